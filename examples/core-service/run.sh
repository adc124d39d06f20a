#!/usr/bin/env bash
# Starts the Core service with a platform, a provider of OAuth 2, an object store and a receiver of webhooks, and shows it at work.
# SORTKEY_BIN names the binary; otherwise the `sortkey` on the PATH is used.
set -euo pipefail
exec python3 "$(dirname "$0")/run.py"
