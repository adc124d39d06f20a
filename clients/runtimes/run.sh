#!/usr/bin/env bash
# Runs a generated client in Node, Deno and Bun against one server: the package `sortkey` is the same files in each. Needs what
# clients/typescript/run.sh has built; installs Deno and Bun by name, and leaves out what cannot be installed.
# SORTKEY_REQUIRE_CLIENTS=1 makes that a failure.
#
#   clients/runtimes/run.sh            everything
#   clients/runtimes/run.sh install    installs only
set -euo pipefail
cd "$(dirname "$0")/../.."
here="$PWD/clients/runtimes"

leave_out() {
    echo "clients/runtimes: $1, left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
    exit 0
}

command -v node >/dev/null || leave_out "no node on this machine"
if ! cmp --silent "$here/package.json" "$here/node_modules/.installed"; then
    (cd "$here" && npm install --no-package-lock --no-audit --no-fund --loglevel=error) || leave_out "Deno and Bun cannot be installed"
    cp "$here/package.json" "$here/node_modules/.installed"
fi
[ "${1:-}" != install ] || exit 0

target="${CARGO_TARGET_DIR:-$PWD/target}"
sortkey="${SORTKEY_BIN:-$PWD/target/debug/sortkey}"
work="$target/clients-typescript"
[ -d "$work/out/generated/ferryhook" ] || leave_out "clients/typescript/run.sh has not been run"
server=
log="$(mktemp)"
trap '[ -z "$server" ] || kill "$server"; rm -f "$log"' EXIT
"$sortkey" up --in-memory --port 0 systems/ferryhook/ferryhook.sk >"$log" 2>&1 &
server=$!
ENDPOINT=
for _ in $(seq 100); do
    ENDPOINT="$(grep -o 'http://[0-9.]*:[0-9]*' "$log" | head -1 || true)"
    [ -z "$ENDPOINT" ] || break
    sleep 0.1
done
[ -n "$ENDPOINT" ] || { cat "$log" >&2; exit 1; }
export ENDPOINT
cp "$here/program.mjs" "$work/"
cd "$work"
node program.mjs node
"$here/node_modules/.bin/deno" run --quiet --no-lock --allow-all program.mjs deno
"$here/node_modules/.bin/bun" run program.mjs bun
