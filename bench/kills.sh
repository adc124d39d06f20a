#!/usr/bin/env bash
# Systems under clients while their server is killed: bench/kills.sh [SYSTEM ...] [--clients 64] [--kills 20] [--pause 2]. Afterwards every
# item is held against what was promised. SORTKEY_BIN names the binary; otherwise a release build is made.
set -euo pipefail
cd "$(dirname "$0")"
if [ -z "${SORTKEY_BIN:-}" ]; then
    cargo build --release --manifest-path ../Cargo.toml --package sortkey-cli --bin sortkey
    export SORTKEY_BIN="$PWD/../target/release/sortkey"
fi
exec python3 kills/run.py "$@"
