#!/usr/bin/env bash
# Records the tests of the five systems and replays them in Rust, Node and Python: the same requests, answers and items. Then
# enforces the policies of `sortkey generate iam` on the recorded requests. At the end the three languages share a database.
# Needs what clients/typescript/run.sh and crates/python/run.sh have built.
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
export SORTKEY_BIN="${SORTKEY_BIN:-$target/debug/sortkey}"
node="$target/clients-typescript"
python="$PWD/target/python-client/bin/python"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

for system in core-service ferryhook listbackup seller-profiles t3nets; do
    design="systems/$system/tests.sk"
    recording="$work/$system.jsonl"
    echo "$system"
    "$SORTKEY_BIN" test "$design" --record "$recording"
    "$SORTKEY_BIN" test "$design" --replay "$recording"
    "$SORTKEY_BIN" check --emit "$work/program.json" "$design" >/dev/null
    if [ -d "$node/node_modules/sortkey" ] && command -v node >/dev/null; then
        cp clients/replay/replay.mjs "$node/suite/"
        node "$node/suite/replay.mjs" "$work/program.json" "$recording"
        node "$node/suite/replay.mjs" "$work/program.json" "$recording" 1 3
    fi
    if [ -x "$python" ] && [ -d "$target/python-package" ]; then
        PYTHONPATH="$target/python-package" "$python" clients/replay/replay.py "$work/program.json" "$recording"
        PYTHONPATH="$target/python-package" "$python" clients/replay/replay.py "$work/program.json" "$recording" 2 3
    fi
    if [ -x target/clients-python/bin/python ]; then
        target/clients-python/bin/python clients/replay/policies.py "$SORTKEY_BIN" "systems/$system/$system.sk" "$recording"
    fi
done

if [ -x "$python" ] && [ -d "$target/python-package" ]; then
    if [ -d "$node/suite" ]; then cp clients/replay/pair.mjs "$node/suite/"; fi
    pair="$(dirname "$SORTKEY_BIN")/examples/pair"
    PYTHONPATH="$target/python-package" "$python" clients/replay/pairs.py "$SORTKEY_BIN" "$pair" "$node/suite"
fi
