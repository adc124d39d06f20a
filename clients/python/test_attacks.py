"""Requests that no client sends: repeated headers, other targets, other algorithms, other people's tokens, odd framing. Each is
rejected, and the server goes on."""

import socket

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest
from botocore.exceptions import ClientError
from test_signatures import Server, code, pytestmark  # noqa: F401

TRUST = """{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "sts:AssumeRole",
    "Principal": {"AWS": "arn:aws:iam::000000000000:user/ann"}}}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("attacks"))
    server.refreshed(lambda: server.run("role", "create", "reader", "--trust", TRUST))
    yield server
    server.stop()


def send(server, message):
    """Sends bytes, and returns the statuses of all answers until the connection ends."""
    host, port = server.endpoint.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        answer = b""
        # A server that refuses early may have closed the connection already.
        try:
            connection.sendall(message)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        try:
            while piece := connection.recv(1 << 16):
                answer += piece
        except ConnectionResetError:
            pass
    return [int(part[4:7]) for part in answer.split(b"HTTP/1.")[1:] for part in [b"1.x " + part[2:]]]


def signed(server, extra=None):
    """The headers of a request that is accepted."""
    host = server.endpoint.removeprefix("http://")
    headers = {
        "Host": host,
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
    } | (extra or {})
    request = botocore.awsrequest.AWSRequest("POST", server.endpoint + "/", headers=headers, data=b"{}")
    key = botocore.credentials.Credentials(server.ann["aws_access_key_id"], server.ann["aws_secret_access_key"])
    botocore.auth.SigV4Auth(key, "dynamodb", "us-east-1").add_auth(request)
    text = lambda value: value.decode() if isinstance(value, bytes) else value
    return {name: text(value) for name, value in request.headers.items()}


def message(headers, line="POST / HTTP/1.1", more="", body=b"{}"):
    lines = [line, *(f"{name}: {value}" for name, value in headers.items()), f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + f"\r\nConnection: close\r\n{more}\r\n").encode("latin1") + body


def test_only_the_untouched_request_is_accepted(server):
    headers = signed(server)
    authorization = headers["Authorization"]
    signature = authorization.rpartition("=")[2]
    host = headers["Host"]
    change = lambda **changed: message(headers | changed)
    assert send(server, message(headers)) == [200]
    rejected = {
        "other body": message(headers, body=b'{"Limit":1}'),
        "unsigned payload": message(signed(server, {"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"}), body=b"[]"),
        "other hash": message(signed(server, {"X-Amz-Content-SHA256": "0" * 64})),
        "upper case": change(Authorization=authorization.replace(signature, signature.upper())),
        "no signature": change(Authorization=authorization.replace(signature, "")),
        "other key": change(Authorization=authorization.replace(*(who["aws_access_key_id"] for who in (server.ann, server.admin)))),
        "unsigned header": message(headers, more="X-Amz-Foo: 1\r\n"),
        "unsigned fork": message(headers, more="X-Sortkey-Fork: a\r\n"),
        "other host in the target": message(headers, line="POST http://evil.example/ HTTP/1.1"),
        "no host": message({name: value for name, value in headers.items() if name != "Host"}, line="POST / HTTP/1.0"),
        "huge header": message(headers, more=f"X-Pad: {'a' * 20_000}\r\n"),
        "folded header": message(headers, more="X-A: 1\r\n 2\r\n"),
        "zero byte": message(headers, more="X-A: 1\x002\r\n"),
        "space before the colon": message(headers, more="Authorization : x\r\n"),
        "two lengths": message(headers, more="Content-Length: 5\r\n"),
        "unknown framing": message(headers, more="Transfer-Encoding: xchunked\r\n"),
    }
    for name in ("Authorization", "Host", "X-Amz-Date", "X-Amz-Target", "Content-Type"):
        rejected[f"{name} twice"] = message(headers, more=f"{name}: {headers[name]}\r\n")
    for algorithm in ("AWS4-HMAC-SHA512", "AWS4-HMAC-SHA1", "AWS4-ECDSA-P256-SHA256", "AWS3", "none"):
        rejected[algorithm] = change(Authorization=authorization.replace("AWS4-HMAC-SHA256", algorithm))
    for name, request in rejected.items():
        assert send(server, request) == [400], name
    # Two framings at once: nothing is answered, and nothing behind it is taken for a request.
    smuggled = message(headers, more="Transfer-Encoding: chunked\r\n") + b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    assert send(server, smuggled) == []
    assert send(server, message(headers, more=f"X-Pad: {'a' * 200_000}\r\n")) == [431]
    assert send(server, message(headers, line=f"POST http://{host}/ HTTP/1.1")) == [200]


def test_a_signature_is_for_one_request_of_a_connection(server):
    good = message(signed(server)).replace(b"Connection: close\r\n", b"")
    host = server.endpoint.removeprefix("http://").encode()
    backup = b"GET /_sortkey/backup HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n"
    assert send(server, good + backup) == [200, 401]


def test_paths_cannot_be_spelled_around_the_guard(server):
    host = server.endpoint.removeprefix("http://")
    for path, status in {
        "/_sortkey/backup": 401,
        "/_sortkey/../metrics": 401,
        "/metrics": 401,
        "/_SORTKEY/backup": 404,
        "//_sortkey/backup": 404,
        "/./_sortkey/backup": 404,
        "/%5fsortkey/backup": 404,
        "/metrics/": 404,
    }.items():
        request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
        assert send(server, request) == [status], path


def test_a_session_token_belongs_to_its_own_key(server):
    sts = server.client(server.ann, "sts")
    assume = lambda: sts.assume_role(RoleArn="arn:aws:iam::000000000000:role/reader", RoleSessionName="one")["Credentials"]
    one, other = assume(), assume()
    of = lambda session, token: {
        "aws_access_key_id": session["AccessKeyId"],
        "aws_secret_access_key": session["SecretAccessKey"],
        "aws_session_token": token,
    }
    assert server.client(of(one, one["SessionToken"])).list_tables()["TableNames"] == []
    for credentials in (
        of(one, other["SessionToken"]),
        of(one, None),
        of(one, one["SessionToken"][:-8] + "AAAAAAA="),
        server.ann | {"aws_session_token": one["SessionToken"]},
    ):
        with pytest.raises(ClientError) as error:
            server.client(credentials).list_tables()
        assert code(error) == "UnrecognizedClientException"
