"""The order of a release: check, build, pack, list, sign. Each step is a module of its own."""

import argparse
import shutil
import sys
from pathlib import Path

import build
import checksums
import deb
import npm
import npm_client
import oci
import project
import sbom
import tarball
import wheel
import wheel_client
from payload import Payload

FORMATS = {
    "tarball": tarball, "deb": deb, "oci": oci, "npm": npm, "npm-client": npm_client, "wheel": wheel, "wheel-client": wheel_client,
}


def main():
    options = arguments()
    release = project.read()
    if options.notes:
        print(project.notes((project.ROOT / "CHANGELOG.md").read_text(), release.version), end="")
        return
    if not options.snapshot:
        problems = project.problems(release)
        if problems:
            sys.exit("\n".join(f"error: {problem}" for problem in problems))
    if options.check:
        print(f"{release.version} of {release.date} can be released")
        return
    out = options.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    binary = options.binary or build.static_binary()
    payload = Payload(release, binary, compression=1 if options.snapshot else 9, extension=options.extension)
    packages = []
    for name in options.formats:
        packages += FORMATS[name].pack(payload, out)
    packages.append(sbom.write(release, out))
    packages += checksums.write(out, packages)
    for package in packages:
        print(f"{package.stat().st_size:>12,}  {package.name}")


def arguments():
    parser = argparse.ArgumentParser(prog="./release.sh", description="Builds and packs a release of Sortkey.")
    parser.add_argument("--snapshot", action="store_true", help="skip the checks of version, changelog and working tree")
    parser.add_argument("--check", action="store_true", help="only check whether this commit can be released")
    parser.add_argument("--notes", action="store_true", help="only print what the changelog says about this version")
    parser.add_argument("--binary", type=Path, metavar="PATH", help="pack this binary instead of building one")
    parser.add_argument("--extension", type=Path, metavar="PATH", help="pack this extension module of Python instead of building one")
    parser.add_argument("--out", type=Path, metavar="DIR", default=project.ROOT / "target/packages",
                        help="where packages go; emptied first (default: target/packages)")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=list(FORMATS), help="which packages to build")
    return parser.parse_args()


if __name__ == "__main__":
    main()
