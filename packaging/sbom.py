"""`sortkey-VERSION.cdx.json`: what is linked into the binary, as CycloneDX 1.5, from cargo's own tree and lock file."""

import datetime
import json
import re
import subprocess
import uuid

from archives import write as write_file
from build import TARGET
from project import ROOT


def write(release, out):
    text = json.dumps(bill(release), indent=2).encode()
    return write_file(out / f"sortkey-{release.version}.cdx.json", text)


def bill(release):
    components, depends = linked()
    checksums = lock_file_checksums()
    root = reference("sortkey-cli", release.version)
    time = datetime.datetime.fromtimestamp(release.timestamp, datetime.timezone.utc)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'sortkey {release.version} {release.commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": root, "name": "sortkey", "version": release.version,
                          "licenses": [{"expression": "Apache-2.0"}]},
        },
        "components": [
            component(name, version, licence, checksums)
            for (name, version), licence in sorted(components.items())
            if name != "sortkey-cli"
        ],
        "dependencies": [
            {"ref": reference(*package), "dependsOn": sorted(reference(*child) for child in children)}
            for package, children in sorted(depends.items())
        ],
    }


def component(name, version, licence, checksums):
    entry = {
        "type": "library",
        "bom-ref": reference(name, version),
        "name": name,
        "version": version,
        "licenses": [{"expression": licence}],
    }
    if (name, version) in checksums:
        entry["purl"] = reference(name, version)
        entry["hashes"] = [{"alg": "SHA-256", "content": checksums[name, version]}]
    return entry


def reference(name, version):
    return f"pkg:cargo/{name}@{version}"


def linked():
    """Licences by (name, version) of every crate in the binary, and which crates each one uses. Macros run at compile time
    only and are left out."""
    command = ["cargo", "tree", "--locked", "--package", "sortkey-cli", "--edges", "normal,no-proc-macro", "--no-dedupe",
               "--target", TARGET, "--prefix", "depth", "--format", " {p}|{l}"]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    licences, depends, above = {}, {}, []
    for line in lines:
        depth, name, version, licence = re.match(r"(\d+) (\S+) v(\S+)[^|]*\|(.*)", line).groups()
        package = (name, version)
        licences[package] = expression(licence)
        depends.setdefault(package, set())
        del above[int(depth):]
        if above:
            depends[above[-1]].add(package)
        above.append(package)
    return licences, depends


def expression(licence):
    """`A/B` is the old way to write `A OR B`."""
    return licence.replace(" / ", " OR ").replace("/", " OR ").replace("MPL-2.0+", "MPL-2.0-or-later")


def lock_file_checksums():
    found = {}
    for package in (ROOT / "Cargo.lock").read_text().split("[[package]]"):
        members = dict(re.findall(r'^(name|version|checksum) = "([^"]+)"$', package, re.MULTILINE))
        if "checksum" in members:
            found[members["name"], members["version"]] = members["checksum"]
    return found
