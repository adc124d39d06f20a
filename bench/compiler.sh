#!/usr/bin/env bash
# Measures the compiler on a design of a thousand lines: one check, and one keystroke in an editor. Prints Markdown.
set -euo pipefail
cd "$(dirname "$0")/compiler"
exec cargo run --release --quiet
