#!/usr/bin/env bash
# Generates the clients of the five systems in TypeScript, type-checks them with programs that must and must not compile, and
# runs them over the npm package `sortkey` against databases of their own.
#
#   clients/typescript/run.sh            everything
#   clients/typescript/run.sh install    installs only
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v node >/dev/null; then
    echo "clients: no node on this machine, its suite is left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
    exit 0
fi
here=clients/typescript
if ! cmp --silent "$here/package-lock.json" "$here/node_modules/.installed"; then
    # `npm ci` refuses a lock file in which packages of other platforms are missing, which npm itself leaves out.
    (cd "$here" && npm install --no-save --no-audit --no-fund --loglevel=error)
    cp "$here/package-lock.json" "$here/node_modules/.installed"
fi
[ "${1:-}" != install ] || exit 0

export SORTKEY_BIN="${SORTKEY_BIN:-$PWD/target/debug/sortkey}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
# The optimiser takes a minute; packages that are released go through it.
SORTKEY_WASM_OPT="${SORTKEY_WASM_OPT:-0}" node bindings/javascript/build.mjs >/dev/null

work="$target/clients-typescript"
rm -rf "$work"
mkdir -p "$work"
cp -r "$here"/{package.json,tsconfig.json,suite} "$work/"
ln -s "$PWD/$here/node_modules" "$work/node_modules"
# The package as an application has it: copied, since a link would look for the AWS SDK beside itself.
rm -rf "$here/node_modules/sortkey"
mkdir "$here/node_modules/sortkey"
cp -r bindings/javascript/{package.json,src,dist} "$here/node_modules/sortkey/"
for system in core-service ferryhook listbackup seller-profiles t3nets; do
    "$SORTKEY_BIN" generate typescript "systems/$system/$system.sk" --out "$work/generated/$system" >/dev/null
    "$SORTKEY_BIN" generate typescript "systems/$system/$system.sk" --out "$work/generated/$system" --check
done
cd "$work"
node_modules/.bin/tsc -p .
node --test --test-reporter=spec out/suite/*.test.js suite/*.test.mjs
node_modules/.bin/vitest run --root . --reporter=dot suite/fixture.spec.mjs
# jest reads ES modules only with this option of Node.
node --no-warnings --experimental-vm-modules node_modules/.bin/jest --rootDir . --testRegex 'suite/fixture\.jest\.mjs$' --transform '{}'
