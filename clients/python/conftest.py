"""A server for the session, clients that point at it, and tables that no other test has.

Set SORTKEY_E2E_ENDPOINT to run the same tests against another DynamoDB; otherwise the binary in SORTKEY_BIN (or the newest
one under target/) is started on a free port and ended with the session.
"""

import itertools
import os
import re
import subprocess
import threading
from pathlib import Path

import boto3
import pytest
import shapes

ROOT = Path(__file__).resolve().parents[2]
CREDENTIALS = {
    "region_name": "us-east-1",
    "aws_access_key_id": "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key": "secret",
}

called_operations = set()
differences = []
shapes.watch(differences)


@pytest.fixture(autouse=True)
def answers_as_modelled():
    """No answer of a test has what the service model does not have."""
    yield
    found = list(differences)
    differences.clear()
    assert not found, found


@pytest.fixture(scope="session")
def buckets(tmp_path_factory):
    """The directory whose subdirectories are the buckets of exports and imports."""
    return tmp_path_factory.mktemp("buckets")


@pytest.fixture(scope="session")
def endpoint(buckets):
    """The address that requests go to."""
    given = os.environ.get("SORTKEY_E2E_ENDPOINT")
    if given:
        yield given
        return
    server = subprocess.Popen(
        [binary(), "serve", "--port", "0", "--in-memory", "--export-dir", str(buckets)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield listening(server)
    finally:
        server.terminate()
        server.wait(timeout=20)


def binary():
    """The binary to test."""
    given = os.environ.get("SORTKEY_BIN")
    if given:
        return given
    built = [ROOT / "target" / profile / "sortkey" for profile in ("debug", "release")]
    built = [path for path in built if path.exists()]
    assert built, "build the binary first: cargo build"
    return str(max(built, key=lambda path: path.stat().st_mtime))


def listening(server):
    """The address that the server prints. The rest of its output is read too, so that it never waits for us."""
    for line in server.stdout:
        address = re.search(r"https?://[0-9.]+:[0-9]+", line)
        if address:
            threading.Thread(target=server.stdout.read, daemon=True).start()
            return address.group()
    raise AssertionError("the server ended without saying where it listens")


@pytest.fixture(scope="session")
def session():
    """A boto3 session that remembers which operations were called."""
    session = boto3.Session(**CREDENTIALS)

    def remember(model, **_):
        called_operations.add(model.name)

    for service in ("dynamodb", "dynamodbstreams"):
        session.events.register(f"before-call.{service}.*", remember)
    return session


@pytest.fixture(scope="session")
def client(session, endpoint):
    """DynamoDB as its API has it: every value with its type."""
    return session.client("dynamodb", endpoint_url=endpoint)


@pytest.fixture(scope="session")
def resource(session, endpoint):
    """DynamoDB with Python's values."""
    return session.resource("dynamodb", endpoint_url=endpoint)


@pytest.fixture(scope="session")
def streams(session, endpoint):
    """The Streams API, on the same port."""
    return session.client("dynamodbstreams", endpoint_url=endpoint)


numbers = itertools.count()


@pytest.fixture
def name():
    """A table name that no other test has."""
    return f"py-{os.getpid()}-{next(numbers)}"


@pytest.fixture
def create(client, name):
    """Creates tables: `create("pk", "sk:N", index=("by-kind", "kind"))`, and returns the name."""
    made = itertools.count()

    def create(*keys, index=None, **more):
        table = f"{name}-{next(made)}"
        schema, attributes = key_schema(keys)
        if index:
            index_schema, index_attributes = key_schema(index[1:])
            attributes |= index_attributes
            more["GlobalSecondaryIndexes"] = [
                {"IndexName": index[0], "KeySchema": index_schema, "Projection": {"ProjectionType": "ALL"}}
            ]
        client.create_table(
            TableName=table,
            KeySchema=schema,
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()
            ],
            BillingMode="PAY_PER_REQUEST",
            **more,
        )
        client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
        return table

    return create


def key_schema(keys):
    """The schema of keys written `"name"` or `"name:N"`, and the types of their attributes."""
    split = [(*key.split(":"), "S")[:2] for key in keys]
    roles = ("HASH", "RANGE")
    schema = [{"AttributeName": name, "KeyType": role} for (name, _), role in zip(split, roles)]
    return schema, dict(split)


def pytest_collection_modifyitems(items):
    """Tests that look back at all others run after them."""
    items.sort(key=lambda item: item.path.name == "test_coverage.py")
