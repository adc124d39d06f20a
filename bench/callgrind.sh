#!/usr/bin/env bash
# Instructions per request, from the bytes of the request to the bytes of the answer, without HTTP. Unlike times, they
# hardly differ between runs or machines: the signal to watch from commit to commit. Needs valgrind.
#
#   bench/callgrind.sh [operation...]      default: all that are measured
#
# The functions that they were spent in:  callgrind_annotate --inclusive=yes bench/target/callgrind.PutItem.out
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --quiet

calls=2000
operations=("$@")
[ ${#operations[@]} -gt 0 ] || operations=(GetItem PutItem UpdateItem Query BatchWriteItem TransactWriteItems)
for operation in "${operations[@]}"; do
    log=$(valgrind --tool=callgrind --toggle-collect='*measured_calls*' --callgrind-out-file="target/callgrind.$operation.out" \
        target/release/sortkey-bench instructions "$operation" "$calls" 2>&1)
    total=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$log")
    printf '%-20s %8d instructions\n' "$operation" $((total / calls))
done
