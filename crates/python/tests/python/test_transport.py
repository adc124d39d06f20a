"""Requests through boto3 and aiobotocore, with their settings, credentials and retries; and what becomes of a broken network."""

import asyncio
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
import pytest
import sortkey
from botocore.config import Config

ADA = {"userId": "ada"}
KEYS = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}


@pytest.fixture
def served(sortkey_database):
    """The database behind HTTP on loopback, with a list of what arrived; `break_at` ends a connection without an answer."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            operation = self.headers["X-Amz-Target"].rsplit(".", 1)[-1]
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.arrived.append((operation, self.headers))
            answer = sortkey_database.send(operation, body) if server.refuse is None else server.refuse
            if operation in server.breaks:
                server.breaks.remove(operation)
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(answer[0])
            self.send_header("Content-Length", str(len(answer[1])))
            self.end_headers()
            self.wfile.write(answer[1])

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    server.arrived, server.breaks, server.refuse = [], [], None
    server.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def program(database, client):
    return sortkey.Program(database._program, sortkey.botocore(client), **database.options())


def client_of(server, retries=0, **more):
    config = Config(retries={"max_attempts": retries}, user_agent_extra="notes/1", read_timeout=5)
    return boto3.client("dynamodb", endpoint_url=server.endpoint, config=config, **{**KEYS, **more})


def test_requests_are_signed_by_the_users_client(sortkey_database, served):
    client = client_of(served, aws_session_token="session")
    note = program(sortkey_database, client).call("write", {"words": "milk"}, caller=ADA).value
    ((operation, headers),) = served.arrived
    assert operation == "PutItem"
    assert "Credential=test/" in headers["Authorization"] and headers["X-Amz-Security-Token"] == "session"
    assert "notes/1" in headers["User-Agent"]
    # The client itself is as it was.
    item = client.query(
        TableName="notes", KeyConditionExpression="PK = :pk", ExpressionAttributeValues={":pk": {"S": "USER#ada"}}
    )["Items"][0]
    assert item["words"] == {"S": note["words"]}


def test_events_of_the_client_see_the_requests(sortkey_database):
    client, seen = sortkey_database.boto3_client(), []
    client.meta.events.register("before-call.dynamodb.PutItem", lambda params, **_: seen.append(params["body"]))
    program(sortkey_database, client).call("write", {"words": "milk"}, caller=ADA)
    assert b"milk" in seen[0]


def test_a_resource_will_do_and_another_service_will_not(sortkey_database, served):
    resource = boto3.resource("dynamodb", endpoint_url=served.endpoint, **KEYS)
    program(sortkey_database, resource).call("write", {"words": "milk"}, caller=ADA)
    with pytest.raises(TypeError, match="expected a boto3 or aiobotocore client of dynamodb"):
        sortkey.botocore(boto3.client("s3", **KEYS))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("UnrecognizedClientException", sortkey.WrongCredentials),
        ("ExpiredTokenException", sortkey.WrongCredentials),
        ("AccessDeniedException", sortkey.AccessDenied),
        ("ThrottlingException", sortkey.Throttled),
    ],
)
def test_an_answer_that_refuses_has_its_class(sortkey_database, served, code, expected):
    served.refuse = (400, b'{"__type": "com.amazon.coral.service#%s", "message": "no"}' % code.encode())
    with pytest.raises(expected):
        program(sortkey_database, client_of(served)).call("write", {"words": "milk"}, caller=ADA)


def test_no_credentials_at_all(sortkey_database, served, monkeypatch):
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    client = boto3.session.Session().client("dynamodb", endpoint_url=served.endpoint, region_name="us-east-1")
    with pytest.raises(sortkey.WrongCredentials):
        program(sortkey_database, client).call("write", {"words": "milk"}, caller=ADA)
    assert served.arrived == []


def test_a_network_that_drops_in_a_transaction_says_so(sortkey_database, served):
    served.breaks.append("TransactWriteItems")
    notes = program(sortkey_database, client_of(served))
    with pytest.raises(sortkey.ConnectionLost) as dropped:
        notes.call("entitle", {"name": "first"}, caller=ADA)
    assert dropped.value.may_have_happened and dropped.value.operation == "TransactWriteItems"
    # DynamoDB had done it, as a whole: the item and its guard.
    names = sorted(each["PK"]["S"] for each in sortkey_database.dump()["notes"] if "name" in each or "unique" in str(each))
    assert any("ada" in name for name in names) and len(names) >= 2


def test_the_retries_of_the_client_carry_a_transaction_over_a_drop(sortkey_database, served):
    served.breaks.append("TransactWriteItems")
    notes = program(sortkey_database, client_of(served, retries=2))
    notes.call("entitle", {"name": "first"}, caller=ADA)
    assert [operation for operation, _ in served.arrived].count("TransactWriteItems") == 2


# The rules for endpoints looked for the tables of a batch in the input, where there was nothing, and every batch failed.
def test_batches_and_transactions_are_sent(sortkey_database, served):
    key = {"PK": {"S": "USER#ada"}, "SK": {"S": "NOTE#1"}}
    requests = {
        "BatchGetItem": {"RequestItems": {"notes": {"Keys": [key]}}},
        "BatchWriteItem": {"RequestItems": {"notes": [{"PutRequest": {"Item": key}}]}},
        "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "notes", "Key": key}}]},
        "TransactWriteItems": {"TransactItems": [{"Put": {"TableName": "notes", "Item": key}}]},
    }
    transport = sortkey.botocore(client_of(served))
    for operation, body in requests.items():
        status, answer = transport.send(operation, json.dumps(body).encode())
        assert status == 200, answer


def test_nobody_listens(sortkey_database):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"
    client = boto3.client("dynamodb", endpoint_url=endpoint, config=Config(retries={"max_attempts": 0}), **KEYS)
    with pytest.raises(sortkey.ConnectionLost) as refused:
        program(sortkey_database, client).call("write", {"words": "milk"}, caller=ADA)
    assert not refused.value.may_have_happened


def test_aiobotocore_sends_too(sortkey_database, served):
    session = pytest.importorskip("aiobotocore.session")

    async def run():
        async with session.get_session().create_client("dynamodb", endpoint_url=served.endpoint, **KEYS) as client:
            notes = sortkey.AsyncProgram(sortkey_database._program, sortkey.aio(client), **sortkey_database.options())
            await asyncio.gather(*(notes.call("write", {"words": f"{at}"}, caller=ADA) for at in range(3)))
            page = await notes.call("notes", {"userId": "ada"}, caller=ADA)
            served.refuse = (400, b'{"__type": "x#UnrecognizedClientException", "message": "no"}')
            with pytest.raises(sortkey.WrongCredentials):
                await notes.call("write", {"words": "milk"}, caller=ADA)
            return page.items

    assert len(asyncio.run(run())) == 2
