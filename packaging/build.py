"""Builds what is packed: the static binary, which needs no libraries of the machine it runs on, and the extension module of Python,
which is linked to the C library of the machine that builds it."""

import os
import subprocess

import project

TARGET = "x86_64-unknown-linux-musl"


def static_binary():
    target = project.ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    # `ring` is partly C. It includes nothing that differs between C libraries, so the machine's own compiler will do.
    environment = {"CC_x86_64_unknown_linux_musl": "cc", **os.environ}
    command = ["cargo", "build", "--release", "--locked", "--package", "sortkey-cli", "--target", TARGET]
    subprocess.run(command, cwd=project.ROOT, env=environment, check=True)
    return target / TARGET / "release/sortkey"


def extension_module():
    target = project.ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    subprocess.run(["cargo", "build", "--release", "--locked", "--package", "sortkey-python"], cwd=project.ROOT, check=True)
    return target / "release/libsortkey_native.so"
