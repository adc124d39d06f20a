#!/usr/bin/env bash
# Starts ListBackup with a platform, a provider of OAuth 2, an object store and a mailbox, and shows it at work.
# With a number as its argument, the server is killed as often meanwhile.
# SORTKEY_BIN names the binary; otherwise the `sortkey` on the PATH is used.
set -euo pipefail
exec python3 "$(dirname "$0")/run.py" "$@"
