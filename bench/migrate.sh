#!/usr/bin/env bash
# Seller profiles carried over to their next design. `copy`: items in a second beside the raw rate of the same transactions, and how
# well a bound is kept. `load`: the whole migration with writers of both designs and readers at work. On disk; `copy-in-memory` and
# `load-in-memory` without one. A number behind the name is the number of items: bench/migrate.sh copy 200000.
# SORTKEY_BENCH_DIR selects the disk.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --manifest-path migrate/Cargo.toml
what=${1:-copy}
shift || true
exec migrate/target/release/sortkey-bench-migrate "$what" "${SORTKEY_BENCH_DIR:-migrate/target/data}" "$@"
