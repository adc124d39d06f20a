#!/usr/bin/env bash
# Builds Sortkey and the benchmark for release, and measures with everything on disk. Prints Markdown. --quick takes a few
# minutes, the long form about twenty, --growth is its second half alone. SORTKEY_BENCH_DIR selects the disk: the
# default is the build directory's.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --manifest-path ../Cargo.toml --package sortkey-cli --bin sortkey
cargo build --release
case "${1:-}" in
--quick) what=(durable --quick) ;;
--growth) what=(growth) ;;
*) what=(durable) ;;
esac
exec target/release/sortkey-bench "${what[@]}" --sortkey ../target/release/sortkey "${SORTKEY_BENCH_DIR:-target/durable}"
