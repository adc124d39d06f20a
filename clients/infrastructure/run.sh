#!/usr/bin/env bash
# Shows generated infrastructure to the tools that would deploy it: cfn-lint, moto, the CDK, terraform, boto3 against
# `sortkey serve`. Installs what is missing below target/ and node_modules the first time. A tool that the machine does
# not have is left out, with a word; SORTKEY_REQUIRE_CLIENTS=1 makes that a failure.
#
#   clients/infrastructure/run.sh            installs what is missing and runs the checks
#   clients/infrastructure/run.sh quick      without the CDK and terraform, which take minutes
#   clients/infrastructure/run.sh install [quick]    installs only
set -euo pipefail
cd "$(dirname "$0")"
venv=../../target/clients-infrastructure

leave_out() {
    echo "clients/infrastructure: $1, left out" >&2
    [ "${SORTKEY_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
}

command -v python3 >/dev/null || { leave_out "no python3 on this machine"; exit 0; }
if ! cmp --silent requirements.txt "$venv/.installed"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
    cp requirements.txt "$venv/.installed"
fi
quick=
case "$*" in *quick*) quick=1 ;; esac
if [ -n "$quick" ]; then
    :
elif ! command -v node >/dev/null; then
    leave_out "no node on this machine, so the CDK is"
elif ! cmp --silent package-lock.json node_modules/.installed; then
    npm ci --no-audit --no-fund --loglevel=error
    cp package-lock.json node_modules/.installed
fi
[ -n "$quick" ] || command -v terraform >/dev/null || leave_out "no terraform on this machine, so it is"
[ "${1:-}" != install ] || exit 0

if [ -z "${SORTKEY_BIN:-}" ]; then
    (cd ../.. && cargo build --quiet --package sortkey-cli --bin sortkey)
    export SORTKEY_BIN="$PWD/../../target/debug/sortkey"
fi
if [ -n "$quick" ]; then
    shift
    set -- test_cloudformation.py test_drift.py test_terraform.py -k "not applied and not released and not imported and not formatted" "$@"
fi
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider "${@}"
