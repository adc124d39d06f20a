"""A keyring whose key is kept by AWS KMS, which moto plays here: made, used, rotated, and refused without KMS."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import boto3
import pytest

from conftest import CREDENTIALS, binary, listening


@pytest.fixture(scope="module")
def kms_endpoint():
    """A server of moto."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    endpoint = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(endpoint + "/moto-api/data.json", timeout=5)
                break
            except OSError:
                assert server.poll() is None, "moto ended"
                time.sleep(0.1)
        yield endpoint
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.fixture
def kms(kms_endpoint):
    """KMS with a key, `alias/sortkey`."""
    kms = boto3.client("kms", endpoint_url=kms_endpoint, **CREDENTIALS)
    key = kms.create_key()["KeyMetadata"]["Arn"]
    existing = {alias["AliasName"] for alias in kms.list_aliases()["Aliases"]}
    if "alias/sortkey" in existing:
        kms.update_alias(AliasName="alias/sortkey", TargetKeyId=key)
    else:
        kms.create_alias(AliasName="alias/sortkey", TargetKeyId=key)
    return kms


@pytest.fixture
def keyring(tmp_path, kms, kms_endpoint):
    """The file of a keyring under that key."""
    path = tmp_path / "keys" / "keyring.json"
    run(kms_endpoint, "keyring", "create", "--kms", "alias/sortkey", "--keyring", str(path))
    return path


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def environment(endpoint, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SORTKEY_KEYRING"))}
    return kept | {
        "AWS_ENDPOINT_URL_KMS": endpoint,
        "AWS_REGION": CREDENTIALS["region_name"],
        "AWS_ACCESS_KEY_ID": CREDENTIALS["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": CREDENTIALS["aws_secret_access_key"],
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/nonexistent",
        "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
    } | more


def run(endpoint, *arguments, env=None):
    """Runs a command that succeeds."""
    done = subprocess.run(
        [binary(), *arguments], env=env or environment(endpoint), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def fails(env, *arguments):
    """Runs a command that fails, and returns its errors."""
    done = subprocess.run([binary(), *arguments], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0, done.stdout
    return done.stderr


class Server:
    """An encrypted database, whose keyring needs KMS."""

    def __init__(self, endpoint, data, keyring, *flags):
        arguments = ["serve", "--port", "0", "--data", str(data), "--keyring", str(keyring), *flags]
        self.process = subprocess.Popen(
            [binary(), *arguments], env=environment(endpoint), stdout=subprocess.PIPE, text=True
        )
        self.client = boto3.client("dynamodb", endpoint_url=listening(self.process), **CREDENTIALS)

    def __enter__(self):
        return self.client

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(timeout=60) == 0


def state(directory):
    """All files below a directory, with their content."""
    files = [path for path in directory.rglob("*") if path.is_file() and path.name != "LOCK"]
    return {str(path): path.read_bytes() for path in files}


@pytest.fixture
def data(tmp_path, keyring, kms_endpoint):
    """A directory with one item."""
    data = tmp_path / "data" / "notes"
    with Server(kms_endpoint, data, keyring, "--encrypt") as client:
        client.create_table(
            TableName="notes",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        )
        client.put_item(TableName="notes", Item={"id": {"S": "1"}, "text": {"S": "a secret"}})
    return data


def read(client):
    return client.get_item(TableName="notes", Key={"id": {"S": "1"}})["Item"]["text"]["S"]


def test_the_file_contains_no_key_and_kms_opens_it(keyring, data, kms_endpoint):
    content = json.loads(keyring.read_text())
    assert set(content) == {"kms"}
    assert content["kms"]["key"].startswith("arn:aws:kms:us-east-1:")
    assert keyring.stat().st_mode & 0o777 == 0o600
    with Server(kms_endpoint, data, keyring) as client:
        assert read(client) == "a secret"


def test_rotation_stays_under_the_key(keyring, data, kms_endpoint):
    before = json.loads(keyring.read_text())["kms"]
    run(kms_endpoint, "keyring", "rotate", "--data", str(data), "--drop-old-keys", "--keyring", str(keyring))
    after = json.loads(keyring.read_text())["kms"]
    assert after["key"] == before["key"]
    assert after["wrapped"] != before["wrapped"]
    with Server(kms_endpoint, data, keyring) as client:
        assert read(client) == "a secret"


def refused(env, keyring, data, why):
    """Commands that need the keyring fail, and change nothing."""
    before = state(data.parent), keyring.read_bytes()
    for arguments in (
        ["serve", "--port", "0", "--data", str(data)],
        ["verify", str(data)],
        ["keyring", "rotate", "--data", str(data)],
    ):
        said = fails(env, *arguments, "--keyring", str(keyring))
        assert "AWS KMS" in said and why in said, said
    assert (state(data.parent), keyring.read_bytes()) == before


def test_a_key_that_is_lost_opens_nothing(keyring, data, kms_endpoint):
    # moto forgets all keys.
    reset = urllib.request.Request(kms_endpoint + "/moto-api/reset", data=b"", method="POST")
    urllib.request.urlopen(reset, timeout=20)
    refused(environment(kms_endpoint), keyring, data, "does not exist")


def test_a_wrong_or_missing_credential_opens_nothing(keyring, data, kms_endpoint):
    authenticate(kms_endpoint, after=0)
    try:
        env = environment(kms_endpoint, AWS_ACCESS_KEY_ID="AKIAWRONGWRONGWRONG0")
        refused(env, keyring, data, "security token")
    finally:
        authenticate(kms_endpoint, after=1_000_000_000)
    without = environment(kms_endpoint, AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")
    refused(without, keyring, data, "credentials")


def authenticate(endpoint, after):
    """Lets moto check credentials after so many requests."""
    request = urllib.request.Request(
        endpoint + "/moto-api/reset-auth",
        data=str(after).encode(),
        headers={"Content-Type": "text/plain"},
        method="POST",
    )
    urllib.request.urlopen(request, timeout=20)


def test_an_unreachable_kms_opens_nothing(keyring, data):
    nowhere = f"http://127.0.0.1:{free_port()}"
    refused(environment(nowhere), keyring, data, nowhere)


def test_a_key_that_is_not_there_makes_no_keyring(tmp_path, kms_endpoint):
    path = tmp_path / "keyring.json"
    said = fails(
        environment(kms_endpoint), "keyring", "create", "--kms", "alias/missing", "--keyring", str(path)
    )
    assert "AWS KMS" in said and "alias/missing" in said, said
    assert not path.exists()


def test_changed_files_are_rejected(keyring, data, kms_endpoint):
    content = json.loads(keyring.read_text())
    for member in ("wrapped", "sealed"):
        flipped = dict(content["kms"])
        text = flipped[member]
        flipped[member] = text[:40] + ("A" if text[40] != "A" else "B") + text[41:]
        keyring.write_text(json.dumps({"kms": flipped}))
        assert fails(environment(kms_endpoint), "verify", str(data), "--keyring", str(keyring))
