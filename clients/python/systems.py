"""The systems of this repository as they run: `sortkey up`, in memory, and calls of its operations API."""

import contextlib
import json
import os
import subprocess
import urllib.request

import pytest

from conftest import ROOT, binary, listening

ours_alone = pytest.mark.skipif("SORTKEY_E2E_ENDPOINT" in os.environ, reason="this is our binary's alone")


@contextlib.contextmanager
def up(system):
    """A design that runs, in memory, on a free port: its address."""
    command = [binary(), "up", str(ROOT / "systems" / system), "--port", "0", "--in-memory"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield listening(server)
    finally:
        server.terminate()
        server.wait(timeout=20)


def fetch(url, arguments=None, caller=None):
    """The JSON at an address; with arguments, of a call; with a caller, in their name."""
    data = None if arguments is None else json.dumps(arguments).encode()
    headers = {"Content-Type": "application/json"}
    if caller:
        headers["Sortkey-Caller"] = json.dumps(caller)
    request = urllib.request.Request(url, data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)
