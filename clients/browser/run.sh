#!/usr/bin/env bash
# Opens web pages of other sites in Chromium and lets them attack the server. Needs node and Debian's chromium; installs
# what is missing if it may (as root, by name) and is left out otherwise. SORTKEY_REQUIRE_TOOLS=1 makes that a failure.
set -euo pipefail
cd "$(dirname "$0")"

leave_out() {
    echo "clients/browser: $1, left out" >&2
    [ "${SORTKEY_REQUIRE_TOOLS:-}" != 1 ] || exit 1
    exit 0
}

if [ -z "${SORTKEY_BIN:-}" ]; then
    (cd ../.. && cargo build --quiet --package sortkey-cli --bin sortkey)
    export SORTKEY_BIN="$PWD/../../target/debug/sortkey"
fi
command -v node >/dev/null || leave_out "no node on this machine"
browser() { command -v chromium || command -v google-chrome; }
if ! browser >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install --yes --no-install-recommends chromium >/dev/null || true
fi
CHROMIUM="$(browser || true)"
[ -n "$CHROMIUM" ] || leave_out "no chromium on this machine"
export CHROMIUM
[ -d node_modules/playwright-core ] ||
    npm ci --no-audit --no-fund --loglevel=error || leave_out "playwright-core cannot be installed"
npm test --silent
