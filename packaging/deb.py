"""`sortkey_VERSION_amd64.deb`: an `ar` archive of three members, in the order that dpkg expects."""

from archives import Tree, compressed, write
from payload import REPOSITORY, SUMMARY

DOCUMENTATION = "usr/share/doc/sortkey"


def pack(payload, out):
    release = payload.release
    data = Tree()
    data.file("usr/bin/sortkey", payload.executable, executable=True)
    data.file(f"{DOCUMENTATION}/copyright", payload.document("LICENSE"))
    data.file(f"{DOCUMENTATION}/NOTICE", payload.document("NOTICE"))
    data.file(f"{DOCUMENTATION}/changelog.gz", compressed(payload.document("CHANGELOG.md"), 9))
    data.file("usr/share/bash-completion/completions/sortkey", payload.completions("bash"))
    data.file("usr/share/zsh/vendor-completions/_sortkey", payload.completions("zsh"))
    data.file("usr/share/fish/vendor_completions.d/sortkey.fish", payload.completions("fish"))
    control = Tree()
    control.file("control", control_file(payload, data).encode())
    members = [("debian-binary", b"2.0\n")]
    for name, tree in [("control.tar.gz", control), ("data.tar.gz", data)]:
        members.append((name, compressed(tree.tar(release.timestamp, prefix="./"), payload.compression)))
    return [write(out / f"sortkey_{release.version}_amd64.deb", ar(members, release.timestamp))]


def control_file(payload, data):
    sizes = [len(contents) for contents, _, _ in data.entries.values() if contents is not None]
    return f"""\
Package: sortkey
Version: {payload.release.version}
Architecture: amd64
Maintainer: The Sortkey contributors <{REPOSITORY}>
Installed-Size: {sum(sizes) // 1024}
Section: database
Priority: optional
Homepage: {REPOSITORY}
Description: {SUMMARY[:78].rpartition(" ")[0] if len(SUMMARY) > 78 else SUMMARY}
 {SUMMARY}.
 .
 The binary is linked statically and needs no other package.
"""


def ar(members, timestamp):
    archive = b"!<arch>\n"
    for name, contents in members:
        archive += f"{name:<16}{timestamp:<12}{0:<6}{0:<6}{'100644':<8}{len(contents):<10}`\n".encode()
        archive += contents + b"\n" * (len(contents) % 2)
    return archive
