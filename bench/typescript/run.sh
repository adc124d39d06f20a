#!/usr/bin/env bash
# Measures the generated client in TypeScript: size, opening, the cost of a call beside ElectroDB and the bare AWS SDK, how long
# tsc takes for a design of 100 entities, and bundles by webpack and Vite that run.
#
#   bench/typescript/run.sh      needs node, npm and a release build of sortkey (SORTKEY_BIN)
set -euo pipefail
cd "$(dirname "$0")/../.."
export SORTKEY_BIN="${SORTKEY_BIN:-$PWD/target/release/sortkey}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
here="$PWD/bench/typescript"
(cd "$here" && npm install --no-audit --no-fund --no-package-lock --loglevel=error)
(cd "$here" && node ../../bindings/javascript/build.mjs)
rm -rf "$here/node_modules/sortkey"
mkdir "$here/node_modules/sortkey"
cp -r bindings/javascript/{package.json,src,dist} "$here/node_modules/sortkey/"

work="$target/bench-typescript"
rm -rf "$work"
mkdir -p "$work"
ln -s "$here/node_modules" "$work/node_modules"
cp "$here"/*.mjs "$here/package.json" "$work/"
"$SORTKEY_BIN" generate typescript systems/ferryhook/ferryhook.sk --out "$work/ferryhook" >/dev/null
"$SORTKEY_BIN" generate typescript "$here/people.sk" --out "$work/people" >/dev/null
node "$here/hundred.mjs" >"$work/hundred.sk"
"$SORTKEY_BIN" generate typescript "$work/hundred.sk" --out "$work/hundred" >/dev/null
cd "$work"
tsc() { node_modules/.bin/tsc --strict --target ES2022 --module NodeNext --moduleResolution NodeNext --skipLibCheck --types node "$@"; }
tsc --outDir out ferryhook/index.ts people/index.ts
cp package.json out/
ln -s "$here/node_modules" out/node_modules
node --no-warnings --expose-gc measure.mjs

echo 'import type { DynamoDBClient } from "@aws-sdk/client-dynamodb"; import type { Paged } from "sortkey"; export type A = DynamoDBClient | Paged<string>;' >empty.ts
node types.mjs
node_modules/.bin/webpack --mode production --target node --entry ./bundled.mjs --output-path "$work/webpack" >/dev/null
node_modules/.bin/vite build --logLevel error --outDir "$work/vite" --ssr bundled.mjs
echo '{ "type": "commonjs" }' >webpack/package.json
for bundle in webpack/main.js vite/bundled.js; do echo "$bundle: $(node --no-warnings "$bundle")"; done
