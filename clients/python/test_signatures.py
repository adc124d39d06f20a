"""Signatures, identities and policies against a server that verifies them: boto3, the AWS CLI, the SDKs for JavaScript and
Rust are accepted, and nothing that was changed after it was signed is."""

import json
import os
import random
import subprocess
import sys
import urllib.parse
from pathlib import Path

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest
import urllib3
from botocore.exceptions import ClientError
from conftest import ROOT, binary, listening

pytestmark = pytest.mark.skipif("SORTKEY_E2E_ENDPOINT" in os.environ, reason="needs a server of its own")

ACCOUNT = "000000000000"
TABLE = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table"


class Server:
    """A server with identities, in a folder of its own."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        (folder / "keys").mkdir()
        (folder / "home").mkdir()
        self.environment = os.environ | {"SORTKEY_KEYRING": str(folder / "keys" / "keyring.json")}
        self.auth = folder / "home" / "auth.json"
        self.admin = self.user("admin", "--admin")
        self.ann = self.user("ann")
        self.process = subprocess.Popen(
            [binary(), "serve", "--port", "0", "--in-memory", "--auth", str(self.auth), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        self.endpoint = listening(self.process)

    def run(self, *arguments):
        command = [binary(), "auth", *arguments, "--file", str(self.auth)]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def user(self, name, *arguments):
        made = dict(line.split("=", 1) for line in self.run("user", "create", name, *arguments).splitlines())
        return {
            "aws_access_key_id": made["AWS_ACCESS_KEY_ID"],
            "aws_secret_access_key": made["AWS_SECRET_ACCESS_KEY"],
        }

    def client(self, credentials, service="dynamodb"):
        config = botocore.config.Config(retries={"max_attempts": 0})
        return boto3.client(
            service, endpoint_url=self.endpoint, region_name="us-east-1", config=config, **credentials
        )

    def refreshed(self, change):
        """Makes a change to the identities and waits until the server has noticed it."""
        change()
        probe = self.user(f"probe{random.getrandbits(60)}")
        for _ in range(200):
            try:
                self.client(probe).list_tables()
                return
            except ClientError as error:
                if error.response["Error"]["Code"] == "AccessDeniedException":
                    return
            subprocess.run(["sleep", "0.05"], check=True)
        raise AssertionError("the server does not notice changes")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("auth"))
    yield server
    server.stop()


def code(error):
    return error.value.response["Error"]["Code"]


def create_table(client, name):
    client.create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )


def test_boto3_is_accepted_and_strangers_are_not(server):
    client = server.client(server.ann)
    create_table(client, "accepted")
    client.put_item(TableName="accepted", Item={"pk": {"S": "ü/&?"}, "text": {"S": "x" * 100_000}})
    assert client.get_item(TableName="accepted", Key={"pk": {"S": "ü/&?"}})["Item"]["pk"] == {"S": "ü/&?"}
    with pytest.raises(ClientError) as error:
        server.client({"aws_access_key_id": "AKIAUNKNOWN", "aws_secret_access_key": "x"}).list_tables()
    assert code(error) == "UnrecognizedClientException"
    with pytest.raises(ClientError) as error:
        server.client(server.ann | {"aws_secret_access_key": "x"}).list_tables()
    assert code(error) == "InvalidSignatureException"
    with pytest.raises(ClientError) as error:
        server.client(server.ann | {"aws_session_token": "abc"}).list_tables()
    assert code(error) == "UnrecognizedClientException"


def test_the_command_line_is_accepted(server, tmp_path):
    environment = os.environ | {
        "AWS_ENDPOINT_URL": server.endpoint,
        "AWS_ACCESS_KEY_ID": server.ann["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": server.ann["aws_secret_access_key"],
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_PAGER": "",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
    }
    program = Path(sys.executable).parent / "aws"
    listed = subprocess.run([program, "dynamodb", "list-tables"], env=environment, capture_output=True, text=True)
    assert listed.returncode == 0, listed.stderr
    whoami = subprocess.run([program, "sts", "get-caller-identity"], env=environment, capture_output=True, text=True)
    assert json.loads(whoami.stdout)["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/ann", whoami.stderr


def test_the_sdk_for_javascript_is_accepted(server):
    folder = ROOT / "clients" / "javascript"
    if not (folder / "node_modules").exists():
        pytest.skip("clients/run.sh install has not installed the SDK for JavaScript")
    script = """
        import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
        const [endpoint, accessKeyId, secretAccessKey] = process.argv.slice(1);
        const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey } });
        console.log((await client.send(new ListTablesCommand({}))).$metadata.httpStatusCode);
    """
    ask = lambda secret: subprocess.run(
        ["node", "--input-type=module", "-e", script, server.endpoint, server.ann["aws_access_key_id"], secret],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    good = ask(server.ann["aws_secret_access_key"])
    assert good.stdout.strip() == "200", good.stderr
    assert "InvalidSignatureException" in ask("wrong").stderr


def test_the_sdk_for_rust_is_accepted(server, tmp_path):
    """`sortkey up --endpoint` signs with the SDK's own crates."""
    (tmp_path / "notes.sk").write_text(
        'design notes\ncaller { userId string(1..20) }\ntable Notes "rust-notes" { key (userId | noteId) }\n'
        "entity Note in Notes {\n  userId string(1..20)\n  noteId id(\"note_\", nanoid 8) = new\n"
        "  text string(1..100)\n  tenant userId\n}\n"
        "pattern listNotes = list Note by userId page 10\noperation createNote = create Note\n"
    )
    environment = server.environment | {
        "AWS_ACCESS_KEY_ID": server.ann["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": server.ann["aws_secret_access_key"],
    }
    up = subprocess.Popen(
        [binary(), "up", "notes.sk", "--port", "0", "--endpoint", server.endpoint],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=tmp_path,
    )
    try:
        listening(up)
        assert "rust-notes" in server.client(server.ann).list_tables()["TableNames"]
    finally:
        up.terminate()
        up.wait(timeout=20)


def test_a_disabled_key_is_rejected_and_an_enabled_one_accepted_again(server):
    bob = server.user("bob")
    server.refreshed(lambda: None)
    server.client(bob).list_tables()
    server.refreshed(lambda: server.run("key", "disable", bob["aws_access_key_id"]))
    with pytest.raises(ClientError) as error:
        server.client(bob).list_tables()
    assert code(error) == "UnrecognizedClientException"
    server.refreshed(lambda: server.run("key", "enable", bob["aws_access_key_id"]))
    server.client(bob).list_tables()


def test_sessions_of_a_role(server):
    trust = {
        "Version": "2012-10-17",
        "Statement": {
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/ann"},
            "Action": "sts:AssumeRole",
        },
    }
    # The key of sessions is made when a server starts with roles.
    server.stop()
    server.run("role", "create", "reader", "--trust", json.dumps(trust))
    server.process = subprocess.Popen(
        [binary(), "serve", "--port", "0", "--in-memory", "--auth", str(server.auth)],
        stdout=subprocess.PIPE,
        text=True,
        env=server.environment,
    )
    server.endpoint = listening(server.process)
    role = f"arn:aws:iam::{ACCOUNT}:role/reader"
    assumed = server.client(server.ann, "sts").assume_role(RoleArn=role, RoleSessionName="s1", DurationSeconds=900)
    given = assumed["Credentials"]
    credentials = {
        "aws_access_key_id": given["AccessKeyId"],
        "aws_secret_access_key": given["SecretAccessKey"],
        "aws_session_token": given["SessionToken"],
    }
    arn = server.client(credentials, "sts").get_caller_identity()["Arn"]
    assert arn == f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/s1" == assumed["AssumedRoleUser"]["Arn"]
    server.client(credentials).list_tables()
    for change, expected in [
        ({"aws_session_token": given["SessionToken"][:-8] + "AAAAAAA="}, "UnrecognizedClientException"),
        ({"aws_session_token": "x" * 100_0}, "UnrecognizedClientException"),
        ({"aws_secret_access_key": "x"}, "InvalidSignatureException"),
    ]:
        with pytest.raises(ClientError) as error:
            server.client(credentials | change).list_tables()
        assert code(error) == expected, change
    for who, role_arn in [(server.admin, role), (server.ann, role + "x"), (credentials, role)]:
        with pytest.raises(ClientError) as error:
            server.client(who, "sts").assume_role(RoleArn=role_arn, RoleSessionName="s1")
        assert code(error) == "AccessDenied"


# The property: botocore signs, the server accepts; anything that is changed afterwards is rejected.


def signed_request(server, random, signer, method="POST"):
    """A request with random headers, body and query, signed by botocore."""
    letters = "abcXYZ019 -_.~/:;,=+&%äß漢"
    text = lambda most: "".join(random.choice(letters) for _ in range(random.randint(1, most)))
    query = "&".join(
        f"{urllib.parse.quote(text(6), safe='')}={urllib.parse.quote(text(8), safe='')}" for _ in range(random.randint(0, 3))
    )
    body = json.dumps({"Limit": random.randint(1, 100)}).encode() + b" " * random.randint(0, 50)
    headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}
    for at in range(random.randint(0, 3)):
        headers[f"X-Test-{at}"] = "".join(random.choice("abc XYZ  019;,=") for _ in range(random.randint(1, 20))).strip() or "x"
    url = f"{server.endpoint}/" + (f"?{query}" if query else "")
    request = botocore.awsrequest.AWSRequest(method=method, url=url, data=body, headers=headers)
    credentials = botocore.credentials.Credentials(
        server.ann["aws_access_key_id"], server.ann["aws_secret_access_key"]
    )
    signer(credentials).add_auth(request)
    prepared = request.prepare()
    return prepared.method, prepared.url, dict(prepared.headers.items()), prepared.body


def send(http, method, url, headers, body):
    headers = {name: value.decode() if isinstance(value, bytes) else value for name, value in headers.items()}
    # The length is not signed: it is that of the body that is sent.
    headers = {name: value for name, value in headers.items() if name.lower() != "content-length"}
    path = url.split("/", 3)
    connection = http.connection_from_url(url)
    return connection.urlopen(method, "/" + path[3], body=body, headers=headers, assert_same_host=False, retries=False)


def header_signer(credentials):
    return botocore.auth.SigV4Auth(credentials, "dynamodb", "us-east-1")


class PresignedWithBody(botocore.auth.SigV4QueryAuth):
    """botocore moves a body into the query, which only suits the query protocol; this one signs it where it is."""

    def _modify_request_before_signing(self, request):
        body, request.data = request.data, b""
        super()._modify_request_before_signing(request)
        request.data = body


def query_signer(credentials):
    return PresignedWithBody(credentials, "dynamodb", "us-east-1", expires=300)


@pytest.mark.parametrize("signer", [header_signer, query_signer])
def test_whatever_is_changed_after_signing_is_rejected(server, signer):
    rng = random.Random(20261117)
    http = urllib3.PoolManager()
    accepted = rejected = 0
    for _ in range(150):
        method, url, headers, body = signed_request(server, rng, signer)
        answer = send(http, method, url, headers, body)
        assert answer.status == 200, (url, headers, body, answer.data)
        accepted += 1
        signed_names = [name for name in headers if name.lower().startswith(("x-test-", "x-amz-", "content-type"))]
        changes = [
            (method, url, headers, body + b" "),
            (method, url, headers, body[:-1] if body[-1:] == b" " else body.replace(b"Limit", b"limit")),
            (method, url + ("&" if "?" in url else "?") + "extra=1", headers, body),
            (method, url + ("&" if "?" in url else "?") + "X-Amz-Signature=0", headers, body),
            (method, url, headers | {"X-Amz-Extra": "1"}, body),
            (method, url, headers | {"X-Sortkey-Fork": "other"}, body),
            (method, url, headers | {"Host": "localhost:1"}, body),
            (method, url, headers | {"X-Amz-Target": "DynamoDB_20120810.DescribeLimits"}, body),
        ]
        for name in signed_names:
            if name.lower() not in ("x-amz-target",):
                changes.append((method, url, headers | {name: str(headers[name]) + "x"}, body))
        authorization = headers.get("Authorization")
        if authorization:
            authorization = authorization.decode() if isinstance(authorization, bytes) else authorization
            digit = "0" if authorization[-1] != "0" else "1"
            changes.append((method, url, headers | {"Authorization": authorization[:-1] + digit}, body))
            changes.append((method, url, headers | {"Authorization": authorization.replace("us-east-1", "us-west-1")}, body))
            changes.append((method, url, headers | {"Authorization": authorization.replace("host;", "")}, body))
        else:
            changes.append((method, url.replace("X-Amz-Expires=300", "X-Amz-Expires=301"), headers, body))
            changes.append((method, url.replace("us-east-1", "us-west-1"), headers, body))
        for changed in changes:
            answer = send(http, *changed)
            difference = {name: value for name, value in changed[2].items() if headers.get(name) != value}
            assert answer.status in (400, 403, 404), (url, changed[1], difference, changed[3], answer.data)
            assert b"TableNames" not in answer.data and b"AccountMax" not in answer.data
            rejected += 1
    assert accepted == 150 and rejected > 1_000


def mutated(random, method, url, headers, body):
    """A request that differs from another in one random place."""
    base, _, query = url.partition("?")
    headers = dict(headers)
    letters = "abxyzAB019-_.~ %+&=:/;,"
    spoiled = lambda text, at: {
        "insert": text[:at] + random.choice(letters) + text[at:],
        "drop": text[:at] + text[at + 1 :],
        "replace": text[:at] + random.choice(letters) + text[at + 1 :],
        "twice": text[:at] + text[at : at + 1] * 2 + text[at + 1 :],
        "swap": text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :],
        "case": text[:at] + text[at : at + 1].swapcase() + text[at + 1 :],
    }[random.choice(["insert", "drop", "replace", "twice", "swap", "case"])]
    place = random.choice(["query", "query", "header", "header", "spaces", "body", "order"])
    if place == "query" and query:
        query = spoiled(query, random.randrange(len(query))).replace(" ", "%20")
    elif place == "order" and query:
        pairs = query.split("&")
        random.shuffle(pairs)
        query = "&".join(pairs)
    elif place in ("header", "spaces"):
        name = random.choice([name for name in headers if name.lower().startswith("x-test-")] or ["X-Amz-Target"])
        value = headers[name]
        at = random.randrange(len(value))
        headers[name] = f"  {value} ".replace(" ", "  ") if place == "spaces" else spoiled(value, at).strip() or "x"
    elif place == "body":
        body = spoiled(body.decode(), random.randrange(len(body))).encode()
    return method, base + (f"?{query}" if query else ""), headers, body


def canonical(server, signer, url, headers, body):
    """The text that botocore would sign for a request that is signed already: the text without the signature itself."""
    text = lambda value: value.decode() if isinstance(value, bytes) else value
    headers = {name: text(value) for name, value in headers.items() if name.lower() not in ("authorization", "content-length")}
    unsigned = "&".join(pair for pair in url.partition("?")[2].split("&") if not pair.startswith("X-Amz-Signature="))
    url = url.partition("?")[0] + (f"?{unsigned}" if unsigned else "")
    request = botocore.awsrequest.AWSRequest(method="POST", url=url, data=body, headers=headers)
    # botocore takes the parameters of a URL as they are spelled; the server, like AWS, compares what they mean.
    pairs = [tuple(map(urllib.parse.unquote_to_bytes, (pair.partition("=")[::2]))) for pair in unsigned.split("&") if pair]
    quote = lambda bytes: urllib.parse.quote(bytes, safe="-_.~")
    query = "&".join("=".join(pair) for pair in sorted((quote(name), quote(value)) for name, value in pairs))
    lines = signer.canonical_request(request).split("\n")
    return "\n".join([lines[0], lines[1], query, *lines[3:]])


def digits(url):
    """The signatures in a query."""
    return [pair for pair in url.partition("?")[2].split("&") if pair.startswith("X-Amz-Signature")]


@pytest.mark.parametrize("make", [header_signer, query_signer])
def test_a_random_change_is_rejected_unless_botocore_signs_it_alike(server, make):
    rng = random.Random(20261118)
    http = urllib3.PoolManager()
    signer = make(botocore.credentials.Credentials("x", "x"))
    counts = {True: 0, False: 0}
    for _ in range(60):
        good = signed_request(server, rng, make)
        expected = canonical(server, signer, *good[1:])
        for _ in range(25):
            changed = mutated(rng, *good)
            is_alike = canonical(server, signer, *changed[1:]) == expected and digits(changed[1]) == digits(good[1])
            answer = send(http, *changed)
            is_accepted = answer.status == 200
            assert is_accepted == is_alike, (good, changed, answer.data)
            counts[is_alike] += 1
    assert min(counts.values()) > 300, counts


def test_old_signatures_and_those_from_the_future_are_rejected(server, monkeypatch):
    import datetime

    http = urllib3.PoolManager()
    real = botocore.auth.get_current_datetime if hasattr(botocore.auth, "get_current_datetime") else None
    assert real is not None
    for minutes, expected in [(-16, b"Signature expired"), (16, b"Signature not yet current"), (-14, None), (14, None)]:
        moved = lambda *_, **__: real() + datetime.timedelta(minutes=minutes)
        monkeypatch.setattr(botocore.auth, "get_current_datetime", moved)
        answer = send(http, *signed_request(server, random.Random(1), header_signer))
        if expected:
            assert answer.status == 400 and expected in answer.data, answer.data
        else:
            assert answer.status == 200, answer.data


def test_the_administration_asks_for_an_administrator(server):
    http = urllib3.PoolManager()

    def ask(credentials, path):
        request = botocore.awsrequest.AWSRequest(method="GET", url=server.endpoint + path)
        if credentials:
            credentials = botocore.credentials.Credentials(*credentials.values())
            botocore.auth.SigV4Auth(credentials, "dynamodb", "us-east-1").add_auth(request)
        prepared = request.prepare()
        return send(http, "GET", prepared.url, dict(prepared.headers.items()), None).status

    for path in ["/_sortkey", "/_sortkey/clock", "/metrics"]:
        assert [ask(who, path) for who in (None, server.ann, server.admin)] == [401, 401, 200], path
