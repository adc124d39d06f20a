#!/usr/bin/env bash
# Builds the core as WebAssembly and runs it in Node: the same bytes as the native build, and Ferryhook's calls against a server.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v node >/dev/null; then
    echo "clients: no node on this machine, its suite is left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
    exit 0
fi
sortkey="${SORTKEY_BIN:-$PWD/target/debug/sortkey}"
# As it is packed: through wasm-opt, which clients/run.sh has installed beside the TypeScript suite. Its size is part of the test.
(cd clients/typescript && node ../../bindings/javascript/build.mjs >/dev/null)

work="$(mktemp -d)"
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
"$sortkey" check --emit "$work/program.json" systems/ferryhook/ferryhook.sk >"$work/check" 2>&1 || { cat "$work/check" >&2; exit 1; }
"$sortkey" up --in-memory --port 0 systems/ferryhook/ferryhook.sk >"$work/server" 2>&1 &
server=$!
endpoint=
for _ in $(seq 100); do
    endpoint="$(grep -o 'http://[0-9.]*:[0-9]*' "$work/server" | head -1 || true)"
    [ -z "$endpoint" ] || break
    sleep 0.1
done
if [ -z "$endpoint" ]; then
    cat "$work/server" >&2
    exit 1
fi
node clients/wasm/test.mjs bindings/javascript/dist/core.wasm "$work/program.json" "$endpoint"
