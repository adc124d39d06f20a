#!/usr/bin/env bash
# Everything that must hold before a change lands: format, lints, tests.
set -euo pipefail
cd "$(dirname "$0")"
cargo fmt --all --check
cargo clippy --workspace --all-targets --quiet -- -D warnings
cargo test --workspace --quiet
