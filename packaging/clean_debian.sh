#!/usr/bin/env bash
# Installs the packages into a Debian that has nothing else, each as a user would, and uses what is installed there: the .deb, the
# tarball, the wheels, the npm packages and the OCI image. Needs root and debootstrap.
#
#   packaging/clean_debian.sh                     target/packages, in a Debian that is made and removed again
#   packaging/clean_debian.sh PACKAGES ROOT       other packages, in a Debian that is at ROOT, or is made there and stays
set -euo pipefail
cd "$(dirname "$0")/.."
packages="$(realpath "${1:-target/packages}")"
root="${2:-}"
if [ -z "$root" ]; then
    root="$(mktemp -d)"
    trap 'rm -rf "$root"' EXIT
fi
if [ ! -x "$root/usr/bin/apt-get" ]; then
    debootstrap --variant=minbase --include=python3,python3-venv,nodejs,npm,curl stable "$root" >&2
fi
rm -rf "$root/packages" "$root/used"
mkdir -p "$root/packages" "$root/used"
cp "$packages"/sortkey* "$root/packages/"
cp packaging/clean_debian_use.sh "$root/packages/use.sh"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
unmount() { umount "$root/proc" || true; }
if [ -z "${2:-}" ]; then trap 'unmount; rm -rf "$root"' EXIT; else trap unmount EXIT; fi
chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/used bash /packages/use.sh
