"""A DynamoDB for the tests of a Python program: one server for the session, a fork of its database for each test."""

import json
import os
import subprocess
import urllib.request

import boto3
import pytest


@pytest.fixture(scope="session")
def server():
    """The address of a server in memory. It stops with this process, even if this process is killed."""
    program = os.environ.get("SORTKEY_BIN", "sortkey")
    process = subprocess.Popen([program, "serve", "--in-memory", "--port", "0", "--parent", str(os.getpid())],
                               stdout=subprocess.PIPE, text=True)
    # The first line always has this form: "sortkey is listening on http://127.0.0.1:40123".
    address = process.stdout.readline().split()[-1]
    create_table(client(address))
    yield address
    process.terminate()
    process.wait()


@pytest.fixture
def dynamodb(server, request):
    """A client of a database that nobody else sees: a fork of the one with the empty table."""
    name = request.node.name
    administer(server, "POST", "/_sortkey/forks", {"name": name})
    found = client(server)
    found.meta.events.register("before-sign", lambda request, **_: request.headers.add_header("x-sortkey-fork", name))
    yield found
    administer(server, "DELETE", f"/_sortkey/forks/{name}")


@pytest.fixture
def clock(server, request, dynamodb):
    """Moves the time of the test's own database."""
    def advance(seconds):
        administer(server, "POST", "/_sortkey/clock", {"advanceMs": seconds * 1000}, fork=request.node.name)
        administer(server, "POST", "/_sortkey/expire", fork=request.node.name)
    return advance


def client(address):
    return boto3.client("dynamodb", endpoint_url=address, region_name="us-east-1", aws_access_key_id="any",
                        aws_secret_access_key="any")


def create_table(dynamodb):
    dynamodb.create_table(
        TableName="notes",
        AttributeDefinitions=[{"AttributeName": "user", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "N"}],
        KeySchema=[{"AttributeName": "user", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.update_time_to_live(TableName="notes",
                                 TimeToLiveSpecification={"Enabled": True, "AttributeName": "expiresAt"})


def administer(server, method, path, body=None, fork=None):
    headers = {"Content-Type": "application/json"}
    if fork:
        headers["x-sortkey-fork"] = fork
    data = json.dumps(body).encode() if body is not None else None
    with urllib.request.urlopen(urllib.request.Request(server + path, data, headers, method=method)) as answer:
        return answer.read()
