"""The operations API of a design as a client in another language meets it: its OpenAPI document, and a call."""

import json
import os
import subprocess
import urllib.request

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from conftest import ROOT, binary, listening

SYSTEMS = ["ferryhook", "core-service", "seller-profiles", "t3nets"]


def up(system):
    """A design that runs, in memory."""
    path = ROOT / "systems" / system
    command = [binary(), "up", str(path), "--port", "0", "--in-memory"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def fetch(url, arguments=None):
    """The JSON at an address; with arguments, of a call."""
    data = None if arguments is None else json.dumps(arguments).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


pytestmark = pytest.mark.skipif("SORTKEY_E2E_ENDPOINT" in os.environ, reason="this is our binary's alone")


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_document_is_valid_openapi(system):
    server = up(system)
    try:
        document = fetch(listening(server) + "/openapi.json")
    finally:
        server.terminate()
        server.wait(timeout=20)
    errors = list(OpenAPIV31SpecValidator(document).iter_errors())
    assert errors == []


def test_examples_of_the_document_can_be_sent():
    server = up("ferryhook")
    try:
        address = listening(server)
        create = fetch(address + "/openapi.json")["paths"]["/api/users/create"]["post"]
        example = create["requestBody"]["content"]["application/json"]["example"]
        created = fetch(address + "/api/users/create", example)
    finally:
        server.terminate()
        server.wait(timeout=20)
    assert created["email"] == example["email"]
    assert created["userId"].startswith("usr_")
