#!/usr/bin/env bash
# Instructions per request, from the bytes of the request to the bytes of the answer, without HTTP. Unlike times, they
# hardly differ between runs or machines: the signal to watch from commit to commit. Needs valgrind.
#
#   bench/callgrind.sh [operation...]      default: GetItem PutItem
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --quiet

# Runs one operation n times and prints how many instructions the whole process took.
count() {
    local log
    log=$(valgrind --tool=callgrind --callgrind-out-file="target/callgrind.$1.out" \
        target/release/sortkey-bench instructions "$1" "$2" 2>&1)
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$log"
}

operations=("$@")
[ ${#operations[@]} -gt 0 ] || operations=(GetItem PutItem)
for operation in "${operations[@]}"; do
    # The difference of two runs leaves out starting, loading and stopping.
    fewer=$(count "$operation" 2000)
    more=$(count "$operation" 6000)
    printf '%-20s %8d instructions\n' "$operation" $(((more - fewer) / 4000))
done
