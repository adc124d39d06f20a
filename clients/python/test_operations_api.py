"""The operations API of a design as a client in another language meets it: its OpenAPI document, and a call."""

import json
import urllib.error
import urllib.request

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from systems import fetch, ours_alone, up

SYSTEMS = ["ferryhook", "core-service", "seller-profiles", "t3nets", "listbackup"]

pytestmark = ours_alone


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_document_is_valid_openapi(system):
    with up(system) as address:
        document = fetch(address + "/openapi.json")
    errors = list(OpenAPIV31SpecValidator(document).iter_errors())
    assert errors == []


def test_examples_of_the_document_can_be_sent():
    with up("ferryhook") as address:
        create = fetch(address + "/openapi.json")["paths"]["/api/users/create"]["post"]
        example = create["requestBody"]["content"]["application/json"]["example"]
        created = fetch(address + "/api/users/create", example)
    assert created["email"] == example["email"]
    assert created["userId"].startswith("usr_")


@pytest.mark.parametrize(
    "size, headers, status, code",
    [
        (7 << 20, {}, 413, "TooLarge"),
        (17 << 20, {}, 413, "TooLarge"),
        (10, {"Content-Encoding": "br"}, 400, "Invalid"),
    ],
)
def test_what_is_refused_early_is_a_problem_too(size, headers, status, code):
    with up("ferryhook") as address:
        request = urllib.request.Request(address + "/api/users/create", data=b" " * size, headers=headers)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)
        assert refused.value.headers["Content-Type"] == "application/problem+json"
        assert (refused.value.code, json.load(refused.value)["code"]) == (status, code)
