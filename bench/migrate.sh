#!/usr/bin/env bash
# Seller profiles carried over to their next design, on disk: `copy` (items in a second beside the raw rate of the same
# transactions, and how well a bound is kept). A number behind the name is the number of items: bench/migrate.sh copy 200000.
# SORTKEY_BENCH_DIR says on which disk.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --manifest-path migrate/Cargo.toml
what=${1:-copy}
shift || true
exec migrate/target/release/sortkey-bench-migrate "$what" "${SORTKEY_BENCH_DIR:-migrate/target/data}" "$@"
