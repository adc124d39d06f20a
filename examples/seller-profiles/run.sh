#!/usr/bin/env bash
# Starts Seller profiles with an identity provider and generated orders, and shows them in use. `--records 3000 --calls 500` makes
# it a measurement of the document's three latencies. Needs Node 20 and `sortkey` on the PATH, or SORTKEY_BIN.
set -euo pipefail
exec node "$(dirname "$0")/run.mjs" "$@"
