# What clean_debian.sh does inside of the Debian: every package is installed into a folder of its own, and used.
set -euo pipefail
cd /used
version="$(basename /packages/sortkey_*_amd64.deb | cut -d_ -f2)"

# A design is made and checked, and a server answers.
use() { # name, command...
    local name=$1
    shift
    [ "$("$@" --version)" = "sortkey $version" ] || { echo "$name: another version" >&2; exit 1; }
    rm -rf "/used/design-$name"
    mkdir "/used/design-$name"
    (cd "/used/design-$name" && "$@" init links >/dev/null && "$@" check links >/dev/null)
    (cd "/used/design-$name/links" && exec "$@" up --in-memory --port 0 >"/used/$name.log" 2>&1) &
    local server=$! address=
    for _ in $(seq 100); do
        address="$(grep -o 'http://127.0.0.1:[0-9]*' "/used/$name.log" | head -1 || true)"
        [ -z "$address" ] || break
        sleep 0.1
    done
    python3 -c "import sys, urllib.request; urllib.request.urlopen('$address/ready', timeout=5).read()" || { cat "/used/$name.log" >&2; exit 1; }
    kill "$server"
    wait "$server" || true
    echo "$name: $version serves"
}

dpkg -i /packages/sortkey_*_amd64.deb >/dev/null
use deb sortkey
dpkg -r sortkey >/dev/null 2>&1
! command -v sortkey >/dev/null

mkdir tarball
tar -xzf /packages/sortkey-*-x86_64-unknown-linux-*.tar.gz -C tarball
use tarball /used/tarball/*/sortkey

mkdir image
tar -xf /packages/sortkey-*-oci.tar -C image
python3 - <<'PYTHON'
import json, tarfile
from pathlib import Path
blob = lambda digest: Path("image/blobs", *digest.split(":"))
manifest = json.loads(blob(json.loads(Path("image/index.json").read_text())["manifests"][0]["digest"]).read_text())
for layer in manifest["layers"]:
    with tarfile.open(blob(layer["digest"])) as archive:
        archive.extractall("rootfs", filter="data")
Path("entrypoint").write_text(json.loads(blob(manifest["config"]["digest"]).read_text())["config"]["Entrypoint"][0])
PYTHON
use image "/used/rootfs$(cat entrypoint)"
# The image has no C library, in which only a static binary runs.
chroot rootfs "$(cat entrypoint)" --version >/dev/null || { echo "image: the binary is not static" >&2; exit 1; }

python3 -m venv venv
venv/bin/pip install --quiet --no-index --disable-pip-version-check /packages/sortkey_cli-*.whl
use wheel /used/venv/bin/sortkey
if ls /packages/sortkey-*-cp310-*.whl >/dev/null 2>&1; then
    venv/bin/pip install --quiet --no-index --disable-pip-version-check /packages/sortkey-*-cp310-*.whl
    venv/bin/python -c 'from sortkey.testing import Database; Database.of("design notes\ntable Notes \"notes\" { key (id) }\nentity Note in Notes { id slug }\n").program()'
    echo "wheel of the client: opens a design"
fi

if command -v npm >/dev/null; then
    mkdir npm
    (cd npm && npm init --yes >/dev/null && npm install --offline --no-audit --no-fund --loglevel=error /packages/sortkey-cli-linux-x64-*.tgz /packages/sortkey-cli-[0-9]*.tgz)
    use npm /used/npm/node_modules/.bin/sortkey
fi
