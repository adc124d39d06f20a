"""`SHA256SUMS`, as `sha256sum --check` reads it, and its signature where there is a key."""

import hashlib
import os
import subprocess
import sys


def write(out, packages):
    lines = [f"{hashlib.sha256(package.read_bytes()).hexdigest()}  {package.name}\n" for package in sorted(packages)]
    sums = out / "SHA256SUMS"
    sums.write_text("".join(lines))
    key = os.environ.get("SORTKEY_SIGNING_KEY")
    if not key:
        print("note: SORTKEY_SIGNING_KEY is not set, so SHA256SUMS is not signed", file=sys.stderr)
        return [sums]
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "sortkey-release", sums], check=True)
    return [sums, out / "SHA256SUMS.sig"]
