"""Builds the static binary. It needs no libraries of the machine it runs on, so one build serves every Linux distribution."""

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
