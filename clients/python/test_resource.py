"""boto3's resource level: Python's own values, condition objects, the batch writer."""

from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary


@pytest.fixture
def table(resource, name):
    table = resource.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    table.wait_until_exists()
    yield table
    table.delete()


def test_values_keep_their_types(table):
    item = {
        "pk": "a",
        "sk": 1,
        "decimal": Decimal("0.1"),
        "bytes": Binary(b"\x00\x01"),
        "set": {"x", "y"},
        "numbers": {1, Decimal("2.5")},
        "none": None,
        "nested": {"list": [True, {"deep": "er"}]},
    }
    table.put_item(Item=item)
    assert table.get_item(Key={"pk": "a", "sk": 1})["Item"] == item


def test_the_batch_writer_writes_everything(table):
    with table.batch_writer(overwrite_by_pkeys=["pk", "sk"]) as batch:
        for number in range(130):
            batch.put_item(Item={"pk": "a", "sk": number % 120})
        batch.delete_item(Key={"pk": "a", "sk": 0})
    assert table.query(KeyConditionExpression=Key("pk").eq("a"), Select="COUNT")["Count"] == 119


def test_condition_objects(table):
    for number in range(10):
        table.put_item(Item={"pk": "a", "sk": number, "size": number * 10, "tags": [f"t{number}"]})
    found = table.query(
        KeyConditionExpression=Key("pk").eq("a") & Key("sk").between(2, 8),
        FilterExpression=Attr("size").gt(30) & ~Attr("tags").contains("t6"),
        ProjectionExpression="sk",
    )
    assert [item["sk"] for item in found["Items"]] == [4, 5, 7, 8]
    assert table.scan(FilterExpression=Attr("size").is_in([0, 90]))["Count"] == 2


def test_exceptions_have_classes(table):
    table.put_item(Item={"pk": "a", "sk": 1})
    with pytest.raises(table.meta.client.exceptions.ConditionalCheckFailedException):
        table.put_item(Item={"pk": "a", "sk": 1}, ConditionExpression=Attr("pk").not_exists())


def test_the_table_knows_itself(table, resource):
    table.reload()
    assert table.table_status == "ACTIVE"
    assert table.item_count == 0
    assert table.key_schema[1] == {"AttributeName": "sk", "KeyType": "RANGE"}
    assert table.name in [other.name for other in resource.tables.all()]
