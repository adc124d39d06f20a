"""The audit log: identities, decisions and the statements behind them, as boto3 causes them."""

import json
import subprocess

import pytest
from botocore.exceptions import ClientError
from conftest import binary
from test_signatures import TABLE, Server, create_table, pytestmark  # noqa: F401


def test_who_did_what_and_why_is_recorded(tmp_path):
    log = tmp_path / "audit.log"
    server = Server(tmp_path, "--iam", "enforce", "--audit", str(log))
    try:
        allow = {"Sid": "Own", "Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": f"{TABLE}/orders"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
        server.refreshed(lambda: server.run("user", "policy", "ann", "own-orders", document))
        create_table(server.client(server.admin), "orders")
        ann = server.client(server.ann)
        ann.get_item(TableName="orders", Key={"pk": {"S": "secret-key"}})
        with pytest.raises(ClientError):
            ann.delete_item(TableName="orders", Key={"pk": {"S": "secret-key"}})
        with pytest.raises(ClientError):
            server.client(server.ann | {"aws_secret_access_key": "x"}).list_tables()
        assert server.client(server.ann, "sts").get_caller_identity()["Account"]
    finally:
        server.stop()
    run = lambda *arguments: subprocess.run([binary(), "audit", *arguments], capture_output=True, text=True)
    assert run("verify", log).returncode == 0
    shown = [json.loads(line) for line in run("show", "--json", log).stdout.splitlines()]
    found = [
        (line["operation"], line.get("who", "").rpartition("/")[2], line["decision"], line["why"]) for line in shown
    ]
    assert ("CreateTable", "admin", "allowed", "administrator") in found
    assert ("GetItem", "ann", "allowed", "statement 1 (Own) of own-orders, an identity-based policy") in found
    assert ("DeleteItem", "ann", "denied", "no statement of an identity-based policy") in found
    assert ("GetCallerIdentity", "ann", "allowed", "open to every identity") in found
    rejected = [line for line in shown if line["decision"] == "rejected" and line["operation"] == "ListTables"]
    assert rejected and rejected[-1]["key"] == server.ann["aws_access_key_id"] and "who" not in rejected[-1]
    assert "secret-key" not in log.read_text()
