"""`sortkey` for npm: the package that generated clients use, with the core as WebAssembly inside of JavaScript modules."""

import shutil
import subprocess
import sys

from archives import Tree
from npm import write_package
from project import ROOT

SOURCE = ROOT / "bindings/javascript"


def pack(payload, out):
    if not shutil.which("node"):
        print("no node on this machine: the npm package sortkey is left out", file=sys.stderr)
        return []
    build()
    tree = Tree()
    tree.file("package/package.json", (SOURCE / "package.json").read_bytes().replace(b'"0.1.0"', f'"{payload.release.version}"'.encode()))
    for folder in ["src", "dist"]:
        for file in sorted((SOURCE / folder).iterdir()):
            # The modules are inside of JavaScript; the bare ones are for measuring.
            if file.suffix != ".wasm":
                tree.file(f"package/{folder}/{file.name}", file.read_bytes())
    tree.file("package/README.md", (SOURCE / "README.md").read_bytes())
    for name in ["LICENSE", "NOTICE"]:
        tree.file(f"package/{name}", payload.document(name))
    return [write_package(payload, out, "sortkey", tree)]


def build():
    """Both modules, through wasm-opt if `clients/typescript` has it installed."""
    subprocess.run(["node", SOURCE / "build.mjs"], cwd=ROOT / "clients/typescript", check=True, stdout=subprocess.DEVNULL)
