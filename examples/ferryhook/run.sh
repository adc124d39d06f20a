#!/usr/bin/env bash
# Starts Ferryhook with two receivers of webhooks, sends it webhooks as GitHub does, and shows what becomes of them.
# SORTKEY_BIN names the binary; otherwise the `sortkey` on the PATH is used.
set -euo pipefail
exec python3 "$(dirname "$0")/run.py"
