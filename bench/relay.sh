#!/usr/bin/env bash
# A webhook relay under load, on disk: `speed` (accepted and delivered a second, and how late, beside raw transactions of the
# same server), `fairness` (one tenant's dead receiver), `queue` (a million due items), `kills` (200,000 events, 100 kills).
# Numbers behind the name make it smaller: bench/relay.sh kills 2000 5. SORTKEY_BENCH_DIR selects the disk.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --manifest-path ../Cargo.toml --package sortkey-cli --bin sortkey
cargo build --release --manifest-path relay/Cargo.toml
what=${1:-speed}
shift || true
exec relay/target/release/sortkey-bench-relay "$what" ../target/release/sortkey "${SORTKEY_BENCH_DIR:-relay/target/data}" "$@"
