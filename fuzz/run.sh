#!/usr/bin/env bash
# Fuzzes one target for some seconds:  fuzz/run.sh condition 60
# Needs cargo-fuzz. A stable toolchain will do: what libFuzzer needs of the compiler is unlocked for this build alone.
set -euo pipefail
cd "$(dirname "$0")"
target=$1 seconds=${2:-60}
corpus=corpus/$target
mkdir -p "$corpus"
number=0
while IFS= read -r seed; do
    [ -n "$seed" ] || continue
    number=$((number + 1))
    printf '%s' "${seed//\\n/$'\n'}" >"$corpus/seed-$number"
done <"seeds/$target.txt"
cd ..
RUSTC_BOOTSTRAP=1 exec cargo fuzz run "$target" -- -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048
