"""HTTPS: boto3 and curl against certificates of their own, renewed ones, and ones that nobody vouches for."""

import os
import shutil
import stat
import subprocess
import time

import boto3
import botocore.config
import botocore.exceptions
import pytest
from conftest import CREDENTIALS, binary, listening

pytestmark = pytest.mark.skipif("SORTKEY_E2E_ENDPOINT" in os.environ, reason="needs a server of its own")


class Server:
    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen(
            [binary(), "serve", "--port", "0", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        self.endpoint = listening(self.process)
        self.port = self.endpoint.rsplit(":", 1)[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)

    def client(self, verify, **more):
        config = botocore.config.Config(retries={"max_attempts": 0}, **more)
        return boto3.client("dynamodb", endpoint_url=self.endpoint, verify=verify, config=config, **CREDENTIALS)


def test_boto3_and_curl_trust_the_self_signed_certificate_and_nothing_else(tmp_path):
    with Server(tmp_path, "--tls-self-signed", "--data", "data") as server:
        certificate, key = tmp_path / "data/tls-self-signed.pem", tmp_path / "data/tls-self-signed.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        client = server.client(str(certificate))
        client.create_table(
            TableName="tls",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
        client.put_item(TableName="tls", Item={"pk": {"S": "a"}, "text": {"S": "x" * 390_000}})
        for _ in range(20):
            assert len(client.get_item(TableName="tls", Key={"pk": {"S": "a"}})["Item"]["text"]["S"]) == 390_000
        with pytest.raises(botocore.exceptions.SSLError):
            server.client(True).list_tables()
        curl = lambda *flags: subprocess.run(["curl", "-sS", *flags], capture_output=True, text=True)
        if shutil.which("curl"):
            for host in ("localhost", "127.0.0.1"):
                asked = curl("--cacert", str(certificate), f"https://{host}:{server.port}/")
                assert asked.stdout.startswith("healthy"), asked.stderr
            assert curl(server.endpoint).returncode == 60
            for version in ("--tlsv1.3", "--tlsv1.2"):
                asked = curl("--cacert", str(certificate), version, "--tls-max", version[-3:], server.endpoint)
                assert asked.returncode == 0, asked.stderr
            refused = curl("--cacert", str(certificate), "--tlsv1.0", "--tls-max", "1.1", server.endpoint)
            assert refused.returncode != 0
            plain = curl("-o", os.devnull, "-w", "%{http_code}", server.endpoint.replace("https", "http"))
            assert plain.stdout == "400"
    # The certificate is kept, so that clients which trust it go on after a restart.
    before = certificate.read_bytes()
    with Server(tmp_path, "--tls-self-signed", "--data", "data") as server:
        assert certificate.read_bytes() == before
        assert server.client(str(certificate)).list_tables()["TableNames"] == ["tls"]


def issue(folder, name):
    """A certificate for 127.0.0.1, made with openssl: an implementation that is not ours."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        + ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.new", "-out", folder / "cert.new"],
        check=True,
        capture_output=True,
    )
    (folder / f"{name}.pem").write_bytes((folder / "cert.new").read_bytes())
    for kind in ("key", "cert"):
        os.replace(folder / f"{kind}.new", folder / f"{kind}.pem")


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_a_renewed_certificate_is_used_without_a_restart(tmp_path):
    issue(tmp_path, "first")
    flags = ("--in-memory", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
    with Server(tmp_path, *flags) as server:
        lasting = server.client(str(tmp_path / "first.pem"))
        assert lasting.list_tables()["TableNames"] == []
        issue(tmp_path, "second")
        for _ in range(100):
            try:
                server.client(str(tmp_path / "second.pem")).list_tables()
                break
            except botocore.exceptions.SSLError:
                time.sleep(0.1)
        else:
            raise AssertionError("the renewed certificate is not used")
        assert lasting.list_tables()["TableNames"] == [], "a connection from before goes on"
        (tmp_path / "cert.pem").unlink()
        time.sleep(1.5)
        assert server.client(str(tmp_path / "second.pem")).list_tables()["TableNames"] == []
