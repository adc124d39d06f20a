#!/usr/bin/env bash
# Runs the examples in Python and JavaScript with the clients that clients/run.sh has installed, against SORTKEY_BIN.
# The Rust examples are tests of the workspace.
set -euo pipefail
cd "$(dirname "$0")/.."
python=target/clients-python/bin/python
if [ -x "$python" ]; then "$python" -m pytest -q -p no:cacheprovider examples/boto3; fi
if [ -d clients/javascript/node_modules ]; then
    # A copy, so that `import` finds the installed SDK without installing it twice.
    copy=clients/javascript/node_modules/.example
    rm -rf "$copy"
    cp -r examples/javascript "$copy"
    node --test "$copy"/*.test.js
    rm -rf "$copy"
fi
