#!/usr/bin/env bash
# Publishes servers through Debian's nginx, with and without the Host header forwarded, and asks as a stranger. Installs
# nginx if it is missing and may be installed (as root, by name) and is left out otherwise. SORTKEY_REQUIRE_TOOLS=1 makes
# that a failure.
set -euo pipefail
cd "$(dirname "$0")"

leave_out() {
    echo "clients/proxy: $1, left out" >&2
    [ "${SORTKEY_REQUIRE_TOOLS:-}" != 1 ] || exit 1
    exit 0
}

if [ -z "${SORTKEY_BIN:-}" ]; then
    (cd ../.. && cargo build --quiet --package sortkey-cli --bin sortkey)
    export SORTKEY_BIN="$PWD/../../target/debug/sortkey"
fi
command -v python3 >/dev/null || leave_out "no python3 on this machine"
if ! [ -x /usr/sbin/nginx ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install --yes --no-install-recommends nginx-light >/dev/null || true
fi
[ -x /usr/sbin/nginx ] || leave_out "no nginx on this machine"
exec python3 -m unittest -q test_proxy
