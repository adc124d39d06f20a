"""Errors as boto3 raises them, and what surrounds every answer."""

import threading

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from conftest import CREDENTIALS


def test_every_answer_has_a_request_id_and_a_checksum(client):
    metadata = client.list_tables()["ResponseMetadata"]
    assert metadata["HTTPStatusCode"] == 200
    assert metadata["RequestId"]
    assert metadata["HTTPHeaders"]["x-amz-crc32"].isdigit()
    assert metadata["HTTPHeaders"]["content-type"] == "application/x-amz-json-1.0"


def test_a_constraint_of_the_model(endpoint):
    # boto3 checks the model before it sends; the server must report the fault to clients that do not.
    unchecked = boto3.client(
        "dynamodb", endpoint_url=endpoint, config=Config(parameter_validation=False), **CREDENTIALS
    )
    with pytest.raises(ClientError) as refused:
        unchecked.get_item(TableName="x", Key={}, ReturnConsumedCapacity="SOME")
    error = refused.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert error["Message"].startswith("2 validation errors detected: ")
    for violation in (
        "Value 'x' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
        "Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
        "[INDEXES, TOTAL, NONE]",
    ):
        assert violation in error["Message"]


def test_operations_that_are_not_there_yet_say_so(client):
    with pytest.raises(ClientError) as refused:
        client.list_contributor_insights()
    assert "ListContributorInsights" in refused.value.response["Error"]["Message"]


@pytest.mark.parametrize("region, key", [("eu-west-3", "someone"), ("us-east-1", "someone-else")])
def test_tables_do_not_depend_on_region_or_key(client, endpoint, create, region, key):
    table = create("pk")
    other = boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id=key,
        aws_secret_access_key="any",
        aws_session_token="any",
    )
    assert other.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE"


def test_threads_share_a_client(client, create):
    table = create("pk")

    def increment():
        for _ in range(20):
            client.update_item(
                TableName=table,
                Key={"pk": {"S": "counter"}},
                UpdateExpression="ADD hits :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
            )

    threads = [threading.Thread(target=increment) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    got = client.get_item(TableName=table, Key={"pk": {"S": "counter"}}, ConsistentRead=True)
    assert got["Item"]["hits"] == {"N": "160"}
