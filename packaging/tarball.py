"""`sortkey-VERSION-TARGET.tar.gz`: the binary, its documents and completions in one directory."""

from archives import Tree, compressed, write
from build import TARGET


def pack(payload, out):
    release = payload.release
    name = f"sortkey-{release.version}-{TARGET}"
    tree = Tree()
    tree.file(f"{name}/sortkey", payload.executable, executable=True)
    for document in ["LICENSE", "NOTICE", "README.md", "CHANGELOG.md"]:
        tree.file(f"{name}/{document}", payload.document(document))
    for shell in ["bash", "zsh", "fish"]:
        tree.file(f"{name}/completions/sortkey.{shell}", payload.completions(shell))
    data = compressed(tree.tar(release.timestamp), payload.compression)
    return [write(out / f"{name}.tar.gz", data)]
