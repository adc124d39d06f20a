#!/usr/bin/env bash
# Builds Sortkey and the benchmark for release, and compares. Prints Markdown. --quick takes a minute or two.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --manifest-path ../Cargo.toml --package sortkey-cli --bin sortkey
cargo build --release
exec cargo run --release --quiet -- "$@" --sortkey ../target/release/sortkey
