#!/usr/bin/env bash
# Signs and verifies webhooks beside the libraries of their providers, in both directions: standardwebhooks, svix, stripe and GitHub's.
# Installs them below target/ and clients/webhooks/node_modules the first time. A language that the machine does not have is left out, with a
# word; SORTKEY_REQUIRE_CLIENTS=1 makes that a failure.
#
#   clients/webhooks/run.sh            installs what is missing and runs the suites
#   clients/webhooks/run.sh install    installs only
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=target/clients-webhooks

# Whether a program is installed; prints a line if it is not.
have() {
    command -v "$1" >/dev/null && return
    echo "webhooks: no $1 on this machine, its suite is left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
    return 1
}

install_python() {
    cmp --silent clients/webhooks/requirements.txt "$venv/.installed" && return
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r clients/webhooks/requirements.txt
    cp clients/webhooks/requirements.txt "$venv/.installed"
}

install_javascript() {
    cd clients/webhooks
    cmp --silent package-lock.json node_modules/.installed && return
    npm ci --no-audit --no-fund --loglevel=error
    cp package-lock.json node_modules/.installed
}

if have python3; then (install_python); fi
if have node; then (install_javascript); fi
[ "${1:-}" != install ] || exit 0

if [ -z "${SORTKEY_WEBHOOKS_BIN:-}" ]; then
    cargo build --quiet --package sortkey-functions --example webhooks
    export SORTKEY_WEBHOOKS_BIN="${CARGO_TARGET_DIR:-$PWD/target}/debug/examples/webhooks"
fi
if [ -x "$venv/bin/python" ]; then (cd clients/webhooks && "../../$venv/bin/python" -m pytest -q -p no:cacheprovider); fi
if command -v node >/dev/null; then (cd clients/webhooks && npm test --silent); fi
