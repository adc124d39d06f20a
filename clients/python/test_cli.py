"""The AWS CLI: a session that creates, puts, queries and deletes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def aws(endpoint, tmp_path):
    """Runs `aws dynamodb ...` and returns what it prints."""
    environment = os.environ | {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_PAGER": "",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
    }
    program = Path(sys.executable).parent / "aws"

    def aws(*arguments):
        run = subprocess.run(
            [program, "dynamodb", *arguments], env=environment, capture_output=True, text=True, timeout=60
        )
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        return json.loads(run.stdout) if run.stdout.strip() else None

    return aws


def test_create_put_query_delete(aws, name):
    aws(
        *("create-table", "--table-name", name, "--billing-mode", "PAY_PER_REQUEST"),
        *("--attribute-definitions", "AttributeName=pk,AttributeType=S", "AttributeName=sk,AttributeType=N"),
        *("--key-schema", "AttributeName=pk,KeyType=HASH", "AttributeName=sk,KeyType=RANGE"),
    )
    aws("wait", "table-exists", "--table-name", name)
    for number in range(3):
        item = {"pk": {"S": "a"}, "sk": {"N": str(number)}}
        aws("put-item", "--table-name", name, "--item", json.dumps(item))
    found = aws(
        *("query", "--table-name", name, "--key-condition-expression", "pk = :p AND sk > :s"),
        *("--expression-attribute-values", '{":p": {"S": "a"}, ":s": {"N": "0"}}'),
        *("--page-size", "1"),
    )
    assert [item["sk"]["N"] for item in found["Items"]] == ["1", "2"]
    aws("delete-item", "--table-name", name, "--key", '{"pk": {"S": "a"}, "sk": {"N": "1"}}')
    assert aws("scan", "--table-name", name, "--select", "COUNT")["Count"] == 2
    assert name in aws("list-tables")["TableNames"]

    with pytest.raises(RuntimeError, match=r"An error occurred \(ConditionalCheckFailedException\) when calling the PutItem"):
        aws(
            *("put-item", "--table-name", name, "--item", '{"pk": {"S": "a"}, "sk": {"N": "0"}}'),
            *("--condition-expression", "attribute_not_exists(pk)"),
        )

    aws("delete-table", "--table-name", name)
    aws("wait", "table-not-exists", "--table-name", name)
    with pytest.raises(RuntimeError, match="ResourceNotFoundException"):
        aws("describe-table", "--table-name", name)
