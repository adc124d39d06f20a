"""The contents of every package: the binary, the documents that must accompany it, and shell completions."""

import subprocess
from functools import cached_property
from pathlib import Path

from project import ROOT

DOCUMENTS = ["LICENSE", "NOTICE", "README.md", "CHANGELOG.md"]
SUMMARY = "A language and compiler for DynamoDB designs, and a DynamoDB-compatible database that runs them"
REPOSITORY = "https://github.com/sortkey/sortkey"


class Payload:
    def __init__(self, release, binary, compression, extension=None):
        self.release = release
        self.binary = Path(binary)
        # The extension module of Python, where one exists already.
        self.extension = extension
        self.compression = compression
        said = subprocess.run([self.binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()
        if said != f"sortkey {release.version}":
            raise SystemExit(f"error: {binary} is {said!r}, not version {release.version}")

    @cached_property
    def executable(self):
        return self.binary.read_bytes()

    def document(self, name):
        return (ROOT / name).read_bytes()

    def completions(self, shell):
        return subprocess.run([self.binary, "completions", shell], check=True, capture_output=True).stdout
