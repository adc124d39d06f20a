"""`sortkey-cli` for npm: a launcher, and the binary in a package per platform, which npm installs where it fits."""

import json

from archives import Tree, compressed, write
from payload import REPOSITORY, SUMMARY
from project import ROOT

PLATFORM = "sortkey-cli-linux-x64"


def pack(payload, out):
    launcher = Tree()
    launcher.file("package/package.json", manifest(payload, {
        "name": "sortkey-cli",
        "bin": {"sortkey": "sortkey.js"},
        "main": "index.js",
        "optionalDependencies": {PLATFORM: payload.release.version},
        "engines": {"node": ">=18"},
    }))
    launcher.file("package/sortkey.js", (ROOT / "packaging/npm_package/sortkey.js").read_bytes(), executable=True)
    launcher.file("package/index.js", (ROOT / "packaging/npm_package/index.js").read_bytes())
    launcher.file("package/README.md", (ROOT / "packaging/npm_package/README.md").read_bytes())
    binary = Tree()
    binary.file("package/package.json", manifest(payload, {"name": PLATFORM, "os": ["linux"], "cpu": ["x64"]}))
    binary.file("package/bin/sortkey", payload.executable, executable=True)
    for tree in [launcher, binary]:
        for name in ["LICENSE", "NOTICE"]:
            tree.file(f"package/{name}", payload.document(name))
    return [write_package(payload, out, "sortkey-cli", launcher), write_package(payload, out, PLATFORM, binary)]


def manifest(payload, members):
    common = {
        "version": payload.release.version,
        "description": SUMMARY,
        "license": "Apache-2.0",
        "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"},
    }
    return json.dumps({**members, **common}, indent=2).encode()


def write_package(payload, out, name, tree):
    data = compressed(tree.tar(payload.release.timestamp), payload.compression)
    return write(out / f"{name}-{payload.release.version}.tgz", data)
