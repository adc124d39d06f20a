"""Tables: their life, their pages, their settings."""

import pytest


def test_a_table_lives_from_create_to_delete(client, name):
    created = client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "B"},
        ],
        ProvisionedThroughput={"ReadCapacityUnits": 2, "WriteCapacityUnits": 1},
    )["TableDescription"]
    assert created["TableArn"].endswith(f":table/{name}")
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    table = client.describe_table(TableName=name)["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["ItemCount"] == 0
    assert table["TableId"] == created["TableId"]
    assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0

    with pytest.raises(client.exceptions.ResourceInUseException, match=f"Table already exists: {name}"):
        client.create_table(
            TableName=name,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )

    deleted = client.delete_table(TableName=name)["TableDescription"]
    assert deleted["TableStatus"] == "DELETING"
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=name)


def test_a_table_is_known_by_its_arn(client, create):
    table = create("pk")
    arn = client.describe_table(TableName=table)["Table"]["TableArn"]
    client.put_item(TableName=arn, Item={"pk": {"S": "a"}})
    assert client.describe_table(TableName=arn)["Table"]["TableName"] == table
    assert client.get_item(TableName=arn, Key={"pk": {"S": "a"}})["Item"] == {"pk": {"S": "a"}}


def test_tables_are_listed_in_pages(client, create):
    made = sorted(create("pk") for _ in range(5))
    pages = client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2})
    listed = [table for page in pages for table in page["TableNames"]]
    assert listed == sorted(listed)
    assert [table for table in listed if table in made] == made


def test_a_table_changes_its_billing(client, create):
    table = create("pk", index=("by-kind", "kind"))
    client.update_table(
        TableName=table,
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 4, "WriteCapacityUnits": 3},
        GlobalSecondaryIndexUpdates=[
            {
                "Update": {
                    "IndexName": "by-kind",
                    "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 1},
                }
            }
        ],
    )
    client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    described = client.describe_table(TableName=table)["Table"]
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 4
    assert described["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"] == 1


def test_protection_from_deletion(client, create):
    table = create("pk", DeletionProtectionEnabled=True)
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.delete_table(TableName=table)
    assert refused.value.response["Error"]["Code"] == "ValidationException"
    client.update_table(TableName=table, DeletionProtectionEnabled=False)
    client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    client.delete_table(TableName=table)


def test_an_index_is_added_and_removed(client, create):
    table = create("pk")
    for number in range(30):
        client.put_item(TableName=table, Item={"pk": {"S": str(number)}, "kind": {"N": str(number % 3)}})
    client.update_table(
        TableName=table,
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "kind", "AttributeType": "N"},
        ],
        GlobalSecondaryIndexUpdates=[
            {
                "Create": {
                    "IndexName": "by-kind",
                    "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }
            }
        ],
    )
    while describe_index(client, table)["IndexStatus"] != "ACTIVE":
        pass
    found = client.query(
        TableName=table,
        IndexName="by-kind",
        KeyConditionExpression="kind = :k",
        ExpressionAttributeValues={":k": {"N": "1"}},
    )
    assert found["Count"] == 10
    client.update_table(
        TableName=table, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-kind"}}]
    )
    while describe_index(client, table):
        pass


def describe_index(client, table):
    indexes = client.describe_table(TableName=table)["Table"].get("GlobalSecondaryIndexes")
    return indexes and indexes[0]


@pytest.mark.parametrize(
    "change",
    [
        {"AttributeDefinitions": []},
        {"KeySchema": [{"AttributeName": "other", "KeyType": "HASH"}]},
        {"BillingMode": "PROVISIONED"},
        {"TableName": "no spaces please"},
        {"TableName": "x" * 256},
    ],
)
def test_tables_that_make_no_sense_are_refused(client, name, change):
    request = {
        "TableName": name,
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.create_table(**request | change)
    assert refused.value.response["Error"]["Code"] == "ValidationException"
