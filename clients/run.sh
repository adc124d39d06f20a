#!/usr/bin/env bash
# Drives the server with boto3, the AWS CLI and the AWS SDK for JavaScript. Installs the clients below target/ and
# clients/javascript/node_modules the first time. A language that the machine does not have is left out, with a word;
# SORTKEY_REQUIRE_CLIENTS=1 makes that a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${SORTKEY_BIN:-}${SORTKEY_E2E_ENDPOINT:-}" ]; then
    cargo build --quiet --package sortkey-cli --bin sortkey
    export SORTKEY_BIN="$PWD/target/debug/sortkey"
fi

# Whether a program is here; says so if it is not.
have() {
    command -v "$1" >/dev/null && return
    echo "clients: no $1 on this machine, its suite is left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
    return 1
}

# Whether what was installed into a directory is what a file asks for now.
installed() { cmp --silent "$1" "$2/.installed"; }

if have python3; then
    venv=target/clients-python
    if ! installed clients/python/requirements.txt "$venv"; then
        python3 -m venv --clear "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check -r clients/python/requirements.txt
        cp clients/python/requirements.txt "$venv/.installed"
    fi
    (cd clients/python && "../../$venv/bin/python" -m pytest -q -p no:cacheprovider)
fi

if have node; then
    cd clients/javascript
    if ! installed package-lock.json node_modules; then
        npm ci --no-audit --no-fund --loglevel=error
        cp package-lock.json node_modules/.installed
    fi
    npm test --silent
fi
