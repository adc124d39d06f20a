"""The settings around a table: tags, limits, endpoints, backups, policies."""

import json

import pytest


@pytest.fixture
def arn(client, create):
    return client.describe_table(TableName=create("pk"))["Table"]["TableArn"]


def test_tags(client, arn):
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "blue"}, {"Key": "env", "Value": "test"}])
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "red"}])
    client.untag_resource(ResourceArn=arn, TagKeys=["env"])
    pages = client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
    assert [tag for page in pages for tag in page["Tags"]] == [{"Key": "team", "Value": "red"}]


def test_limits_and_endpoints(client):
    limits = client.describe_limits()
    assert limits["TableMaxReadCapacityUnits"] == 40000
    (endpoint,) = client.describe_endpoints()["Endpoints"]
    assert endpoint["CachePeriodInMinutes"] == 1440


def test_continuous_backups(client, create):
    table = create("pk")

    def recovery():
        described = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
        assert described["ContinuousBackupsStatus"] == "ENABLED"
        return described["PointInTimeRecoveryDescription"]

    assert recovery()["PointInTimeRecoveryStatus"] == "DISABLED"
    client.update_continuous_backups(
        TableName=table,
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7},
    )
    assert recovery()["PointInTimeRecoveryStatus"] == "ENABLED"
    assert recovery()["RecoveryPeriodInDays"] == 7
    with pytest.raises(client.exceptions.TableNotFoundException):
        client.describe_continuous_backups(TableName=table + "-not")


def test_resource_policies(client, arn):
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "dynamodb:Query", "Resource": arn}
        ],
    }
    with pytest.raises(client.exceptions.PolicyNotFoundException):
        client.get_resource_policy(ResourceArn=arn)
    revision = client.put_resource_policy(ResourceArn=arn, Policy=json.dumps(policy))["RevisionId"]
    got = client.get_resource_policy(ResourceArn=arn)
    assert json.loads(got["Policy"]) == policy
    assert got["RevisionId"] == revision
    assert client.delete_resource_policy(ResourceArn=arn, ExpectedRevisionId=revision)["RevisionId"] == revision
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.put_resource_policy(ResourceArn=arn, Policy="{")
    assert refused.value.response["Error"]["Code"] == "ValidationException"
