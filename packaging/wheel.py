"""`sortkey-cli` for Python: a wheel whose script is the binary itself, so that pip installs no launcher."""

import base64
import hashlib
import io
import time
import zipfile

from archives import write
from payload import REPOSITORY, SUMMARY
from project import ROOT

# A static binary runs with either C library.
TAG = "py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64"


def pack(payload, out):
    files = {
        "sortkey_cli/__init__.py": (ROOT / "packaging/python_package/__init__.py").read_bytes(),
        "sortkey_cli/__main__.py": (ROOT / "packaging/python_package/__main__.py").read_bytes(),
        f"sortkey_cli-{payload.release.version}.data/scripts/sortkey": payload.executable,
    }
    return [write_wheel(payload, out, "sortkey_cli", TAG, files, metadata(payload))]


def write_wheel(payload, out, package, tag, contents, described):
    """A wheel of some files, with what every wheel has."""
    name = f"{package}-{payload.release.version}"
    files = {
        **contents,
        f"{name}.dist-info/METADATA": described,
        f"{name}.dist-info/WHEEL": wheel_file(tag),
        f"{name}.dist-info/licenses/LICENSE": payload.document("LICENSE"),
        f"{name}.dist-info/licenses/NOTICE": payload.document("NOTICE"),
    }
    record = f"{name}.dist-info/RECORD"
    lines = [f"{path},sha256={hash_of(data)},{len(data)}" for path, data in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=payload.compression) as archive:
        moment = time.gmtime(payload.release.timestamp)[:6]
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, moment)
            # pip makes a script executable only if its mode also marks it as a regular file.
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return write(out / f"{name}-{tag}.whl", buffer.getvalue())


def metadata(payload):
    return f"""\
Metadata-Version: 2.4
Name: sortkey-cli
Version: {payload.release.version}
Summary: {SUMMARY}
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Project-URL: Source, {REPOSITORY}
Requires-Python: >=3.9
""".encode()


def wheel_file(tag):
    python, abi, platforms = tag.split("-")
    tags = [f"Tag: {python}-{abi}-{platform}" for platform in platforms.split(".")]
    return "\n".join(["Wheel-Version: 1.0", "Generator: sortkey release.sh", "Root-Is-Purelib: false", *tags, ""]).encode()


def hash_of(contents):
    return base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
