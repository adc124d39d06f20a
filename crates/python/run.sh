#!/usr/bin/env bash
# The Python package against the engine in process, boto3 and aiobotocore on loopback; the types of generated clients.
#
#   crates/python/run.sh            installs what is missing below target/, and runs the suite
#   crates/python/run.sh install    installs only
#
# The extension module is the one that the tests of the workspace have built; without one it is built here.
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
venv=target/python-client
requirements=crates/python/tests/python/requirements.txt

if ! cmp --silent "$requirements" "$venv/.installed"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$venv/.installed"
fi
[ "${1:-}" != install ] || exit 0

library="$target/debug/deps/libsortkey_native.so"
[ -f "$library" ] || cargo test --quiet --workspace --test package --no-run
# The package as a wheel would install it, with its entry point for pytest.
site="$target/python-package"
rm -rf "$site"
mkdir -p "$site/sortkey-0.dist-info"
cp -r crates/python/python/sortkey "$site/"
cp "$library" "$site/sortkey/_native.abi3.so"
printf '[pytest11]\nsortkey = sortkey.pytest_plugin\n' >"$site/sortkey-0.dist-info/entry_points.txt"
printf 'Metadata-Version: 2.1\nName: sortkey\nVersion: 0\n' >"$site/sortkey-0.dist-info/METADATA"
export SORTKEY_BIN="${SORTKEY_BIN:-$target/debug/sortkey}" PYTHONPATH="$site"
"$venv/bin/python" -m pytest -q -p no:cacheprovider "${@:-crates/python/tests/python}"
