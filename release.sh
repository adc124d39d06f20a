#!/usr/bin/env bash
# Builds what people install: a static binary, and from it a tarball, a Debian package, an OCI image, npm packages and a Python
# wheel, with an SBOM and checksums.
#
#   ./release.sh                     checks version, changelog and working tree; builds; packs into target/packages
#   ./release.sh --snapshot          the same from any commit, without those checks
#   ./release.sh --binary PATH       packs a binary that exists instead of building one
#   ./release.sh --help              all options
#
# Needs Rust (with `rustup target add x86_64-unknown-linux-musl`), a C compiler and Python 3.9 or newer; Node for the npm package
# `sortkey`, which `clients/typescript/run.sh install` lets shrink.
# SORTKEY_SIGNING_KEY names an SSH key that signs the checksums.
set -euo pipefail
cd "$(dirname "$0")"
exec python3 packaging/release.py "$@"
