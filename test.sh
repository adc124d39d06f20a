#!/usr/bin/env bash
# Everything that must hold before a change lands: format, lints, tests, and the AWS SDKs against the built server.
set -euo pipefail
cd "$(dirname "$0")"
cargo fmt --all --check
cargo clippy --workspace --all-targets --quiet -- -D warnings
cargo test --workspace --quiet
clients/run.sh
