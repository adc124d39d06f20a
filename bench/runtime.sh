#!/usr/bin/env bash
# The time that the runtime adds to the engine's own, and the operations API beside the DynamoDB API, in one run.
# Prints Markdown. --quick takes a minute, the long form about five. SORTKEY_BENCH_DIR selects the disk: the default is
# the build directory's. --instructions counts instructions instead, the steady signal; it needs valgrind.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-target}"
cargo build --release --quiet

if [ "${1:-}" = --instructions ]; then
    calls=1000
    count() {
        valgrind --tool=callgrind --toggle-collect='*measured_calls*' --callgrind-out-file="$target/callgrind.$1.$2.$3.out" \
            "$target/release/sortkey-bench" instructions "$1" "$2" "$3" "$calls" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
    }
    printf '| %-10s | %-6s | %10s | %10s | %5s |\n' call from engine runtime ratio
    printf '|------------|--------|------------|------------|-------|\n'
    for form in text stored; do
        for call in getOrder placeOrder listOrders; do
            engine=$(count engine $form $call) runtime=$(count runtime $form $call)
            ratio=$((100 * runtime / engine))
            printf '| %-10s | %-6s | %10d | %10d | %2d.%02d |\n' $call $form $((engine / calls)) $((runtime / calls)) $((ratio / 100)) $((ratio % 100))
        done
    done
    exit
fi
cargo build --release --manifest-path ../Cargo.toml --package sortkey-cli --bin sortkey
quick=()
[ "${1:-}" = --quick ] && quick=(--quick)
exec "$target/release/sortkey-bench" runtime "${quick[@]}" --sortkey "${CARGO_TARGET_DIR:-../target}/release/sortkey" "${SORTKEY_BENCH_DIR:-$target/runtime}"
