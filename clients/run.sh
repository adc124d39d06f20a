#!/usr/bin/env bash
# Drives the server with boto3, the AWS CLI and the AWS SDK for JavaScript, and compares webhook signatures with those of the
# providers' libraries. Runs generated clients in TypeScript (Node, Deno, Bun) and Python, replays the tests of two systems in three
# languages, and shows generated infrastructure to cfn-lint and moto. Installs the clients below target/ and clients/javascript/node_modules the first time. A language that the machine does not have is left out, with a word;
# SORTKEY_REQUIRE_CLIENTS=1 makes that a failure.
#
#   clients/run.sh            installs what is missing and runs the suites
#   clients/run.sh install    installs only, which needs no server
set -euo pipefail
cd "$(dirname "$0")/.."
venv=target/clients-python

# Whether a program is installed; prints a line if it is not.
have() {
    command -v "$1" >/dev/null && return
    echo "clients: no $1 on this machine, its suite is left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
    return 1
}

# Whether what was installed into a directory is what a file asks for now.
installed() { cmp --silent "$1" "$2/.installed"; }

install_python() {
    installed clients/python/requirements.txt "$venv" && return
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r clients/python/requirements.txt
    cp clients/python/requirements.txt "$venv/.installed"
}

install_javascript() {
    cd clients/javascript
    installed package-lock.json node_modules && return
    npm ci --no-audit --no-fund --loglevel=error
    cp package-lock.json node_modules/.installed
}

# Each part in a subshell of its own, so that a failure of any command in it ends the script.
if have python3; then (install_python); fi
if have node; then (install_javascript); fi
if have python3; then crates/python/run.sh install; fi
clients/webhooks/run.sh install
clients/typescript/run.sh install
clients/infrastructure/run.sh install quick
[ "${1:-}" != install ] || exit 0

if [ -z "${SORTKEY_BIN:-}${SORTKEY_E2E_ENDPOINT:-}" ]; then
    cargo build --quiet --package sortkey-cli --bin sortkey
    export SORTKEY_BIN="$PWD/target/debug/sortkey"
fi
if [ -x "$venv/bin/python" ]; then (cd clients/python && "../../$venv/bin/python" -m pytest -q -p no:cacheprovider); fi
if [ -x target/python-client/bin/python ]; then crates/python/run.sh; fi
if command -v node >/dev/null; then (cd clients/javascript && npm test --silent); fi
# The tests have built the example beside the server. Building it alone would compile its dependencies again.
webhooks="$(dirname "${SORTKEY_BIN:-target/debug/sortkey}")/examples/webhooks"
if [ -x "$webhooks" ]; then export SORTKEY_WEBHOOKS_BIN="${SORTKEY_WEBHOOKS_BIN:-$(realpath "$webhooks")}"; fi
clients/webhooks/run.sh
clients/wasm/run.sh
if [ -z "${SORTKEY_E2E_ENDPOINT:-}" ]; then
    clients/typescript/run.sh
    # Left out where Deno and Bun are neither installed nor installable by name.
    SORTKEY_REQUIRE_CLIENTS='' clients/runtimes/run.sh
    # All systems are replayed at night.
    clients/replay/run.sh seller-profiles t3nets
    clients/infrastructure/run.sh quick
fi
# Left out where Chromium or nginx is neither installed nor installable by name, but for SORTKEY_REQUIRE_TOOLS=1.
if [ -z "${SORTKEY_E2E_ENDPOINT:-}" ]; then
    clients/browser/run.sh
    clients/proxy/run.sh
fi
