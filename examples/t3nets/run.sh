#!/usr/bin/env bash
# Starts T3nets with an issuer, a model that streams and two channels, and shows it answering. Needs Node 20 and `sortkey` on the
# PATH, or SORTKEY_BIN.
set -euo pipefail
exec node "$(dirname "$0")/run.mjs"
