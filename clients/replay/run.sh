#!/usr/bin/env bash
# Records the tests of the five systems and replays them in Rust, Node and Python: the same requests, answers and databases. Then
# enforces the policies of `sortkey generate iam` on the recorded tests. At the end the three languages share a database.
# Needs what clients/typescript/run.sh and crates/python/run.sh have built.
#
#   clients/replay/run.sh              all systems
#   clients/replay/run.sh ferryhook    one of them, and everything else
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
export SORTKEY_BIN="${SORTKEY_BIN:-$target/debug/sortkey}"
examples="$(dirname "$SORTKEY_BIN")/examples"
node="$target/clients-typescript"
python="$PWD/target/python-client/bin/python"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

leave_out() {
    echo "clients/replay: $1, left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
}

# The programs of the languages that are there.
languages=()
if [ -x "$examples/replay" ]; then languages+=("rust=$examples/replay"); else leave_out "no $examples/replay"; fi
if [ -d "$node/node_modules/sortkey" ] && command -v node >/dev/null; then
    cp clients/replay/{replay,pair}.mjs "$node/suite/"
    languages+=("node=node $node/suite/replay.mjs")
else
    leave_out "Node has no package sortkey"
fi
if [ -x "$python" ] && [ -d "$target/python-package" ]; then
    export PYTHONPATH="$target/python-package"
    languages+=("python=$python clients/replay/replay.py")
else
    leave_out "Python has no package sortkey"
    exit 0
fi

systems=("$@")
[ "$#" -gt 0 ] || systems=(core-service ferryhook listbackup seller-profiles t3nets)
for system in "${systems[@]}"; do
    design="systems/$system/tests.sk"
    recording="$work/$system.jsonl"
    echo "$system"
    "$SORTKEY_BIN" test "$design" --record "$recording"
    "$SORTKEY_BIN" check --emit "$work/program.json" "$design" >/dev/null
    "$python" clients/replay/served.py "$SORTKEY_BIN" "$work/program.json" "$recording" "${languages[@]}"
    "$python" clients/replay/policies.py "$SORTKEY_BIN" "systems/$system/$system.sk" "$recording"
done
"$python" clients/replay/workers.py "$SORTKEY_BIN"
"$python" clients/replay/pairs.py "$SORTKEY_BIN" "$examples/pair" "$node/suite"
