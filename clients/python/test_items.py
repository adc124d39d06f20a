"""Single items: put, get, update, delete, with conditions and costs."""

import pytest

KEY = {"pk": {"S": "a"}}


def test_all_ten_types_come_back_as_they_went(client, create):
    table = create("pk")
    item = {
        "pk": {"S": "日本語"},
        "string": {"S": ""},
        "number": {"N": "3.14"},
        "binary": {"B": b"\x00\xff"},
        "bool": {"BOOL": False},
        "null": {"NULL": True},
        "list": {"L": [{"S": "x"}, {"M": {}}]},
        "map": {"M": {"inner": {"L": []}}},
        "strings": {"SS": ["a", "b"]},
        "numbers": {"NS": ["1", "2.5"]},
        "binaries": {"BS": [b"1", b"2"]},
    }
    client.put_item(TableName=table, Item=item)
    got = client.get_item(TableName=table, Key={"pk": {"S": "日本語"}}, ConsistentRead=True)["Item"]
    for kind in ("strings", "numbers", "binaries"):
        (values,) = got[kind].values()
        values.sort()
    assert got == item
    assert "Item" not in client.get_item(TableName=table, Key={"pk": {"S": "nobody"}})


@pytest.mark.parametrize(
    "written, read",
    [
        ("1.0", "1"),
        ("-0.0", "0"),
        ("1E+2", "100"),
        ("1e-3", "0.001"),
        ("+5", "5"),
        ("1E-130", "0." + "0" * 129 + "1"),
        ("9.9999999999999999999999999999999999999E125", "9" * 38 + "0" * 88),
    ],
)
def test_numbers_print_as_aws_prints_them(client, create, written, read):
    table = create("pk")
    client.put_item(TableName=table, Item=KEY | {"n": {"N": written}})
    assert client.get_item(TableName=table, Key=KEY)["Item"]["n"] == {"N": read}


def test_a_condition_that_fails_returns_the_item_if_asked(client, create):
    table = create("pk")
    stored = KEY | {"version": {"N": "1"}}
    client.put_item(TableName=table, Item=stored)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as refused:
        client.put_item(
            TableName=table,
            Item=KEY,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert refused.value.response["Item"] == stored
    assert refused.value.response["Error"]["Message"] == "The conditional request failed"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.parametrize(
    "condition, holds",
    [
        ("n = :five", True),
        ("n <> :five", False),
        ("n BETWEEN :one AND :five", True),
        ("n IN (:one, :five)", True),
        ("NOT n < :five AND attribute_type(n, :type)", True),
        ("begins_with(w, :he) OR n = :one", True),
        ("contains(w, :he) AND size(w) = :five", True),
        ("contains(tags, :he)", True),
        ("attribute_exists(deep.er[0]) AND attribute_not_exists(deep.er[1])", True),
        ("w > :he AND missingone = :five", False),
        ("missingone <> :five", True),
    ],
)
def test_conditions(client, create, condition, holds):
    table = create("pk")
    item = KEY | {
        "n": {"N": "5"},
        "w": {"S": "hello"},
        "tags": {"SS": ["he", "she"]},
        "deep": {"M": {"er": {"L": [{"S": "x"}]}}},
    }
    client.put_item(TableName=table, Item=item)
    values = {":five": {"N": "5"}, ":one": {"N": "1"}, ":he": {"S": "he"}, ":type": {"S": "N"}}
    used = {name: value for name, value in values.items() if name in condition}
    delete = {"TableName": table, "Key": KEY, "ConditionExpression": condition}
    if used:
        delete["ExpressionAttributeValues"] = used
    if holds:
        client.delete_item(**delete)
    else:
        with pytest.raises(client.exceptions.ConditionalCheckFailedException):
            client.delete_item(**delete)


def test_update_expressions(client, create):
    table = create("pk")
    client.put_item(
        TableName=table,
        Item=KEY | {"n": {"N": "1"}, "l": {"L": [{"N": "1"}]}, "gone": {"S": "x"}, "t": {"SS": ["a", "b"]}},
    )
    updated = client.update_item(
        TableName=table,
        Key=KEY,
        UpdateExpression="SET n = n + :two, l = list_append(:list, l), m = if_not_exists(m, :two) "
        "REMOVE gone ADD hits :two DELETE t :a",
        ExpressionAttributeValues={
            ":two": {"N": "2"},
            ":list": {"L": [{"S": "first"}]},
            ":a": {"SS": ["a"]},
        },
        ReturnValues="ALL_NEW",
    )["Attributes"]
    assert updated == KEY | {
        "n": {"N": "3"},
        "l": {"L": [{"S": "first"}, {"N": "1"}]},
        "m": {"N": "2"},
        "hits": {"N": "2"},
        "t": {"SS": ["b"]},
    }


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("NONE", None),
        ("ALL_OLD", {"pk": {"S": "a"}, "x": {"N": "1"}, "y": {"N": "1"}}),
        ("UPDATED_OLD", {"x": {"N": "1"}}),
        ("ALL_NEW", {"pk": {"S": "a"}, "x": {"N": "2"}, "y": {"N": "1"}}),
        ("UPDATED_NEW", {"x": {"N": "2"}}),
    ],
)
def test_return_values(client, create, kind, expected):
    table = create("pk")
    client.put_item(TableName=table, Item=KEY | {"x": {"N": "1"}, "y": {"N": "1"}})
    updated = client.update_item(
        TableName=table,
        Key=KEY,
        UpdateExpression="SET x = :two",
        ExpressionAttributeValues={":two": {"N": "2"}},
        ReturnValues=kind,
    )
    assert updated.get("Attributes") == expected


def test_the_older_parameters(client, create):
    table = create("pk")
    client.put_item(TableName=table, Item=KEY | {"x": {"N": "1"}})
    client.update_item(
        TableName=table,
        Key=KEY,
        AttributeUpdates={"x": {"Action": "ADD", "Value": {"N": "2"}}, "y": {"Value": {"S": "put"}}},
        Expected={"x": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]}},
    )
    got = client.get_item(TableName=table, Key=KEY, AttributesToGet=["x", "y"])["Item"]
    assert got == {"x": {"N": "3"}, "y": {"S": "put"}}
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(TableName=table, Item=KEY, Expected={"pk": {"Exists": False}})
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.delete_item(
            TableName=table,
            Key=KEY,
            Expected={
                "x": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "3"}]},
                "y": {"ComparisonOperator": "NULL"},
            },
            ConditionalOperator="OR",
        )


def test_capacity(client, create):
    table = create("pk", index=("by-kind", "kind"))
    put = client.put_item(
        TableName=table,
        Item=KEY | {"kind": {"S": "k"}, "body": {"S": "x" * 3000}},
        ReturnConsumedCapacity="INDEXES",
    )["ConsumedCapacity"]
    assert put == {
        "TableName": table,
        "CapacityUnits": 6.0,
        "Table": {"CapacityUnits": 3.0},
        "GlobalSecondaryIndexes": {"by-kind": {"CapacityUnits": 3.0}},
    }
    for consistent, units in [(True, 1.0), (False, 0.5)]:
        got = client.get_item(
            TableName=table, Key=KEY, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL"
        )
        assert got["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": units}


def test_nesting_ends_at_32_levels(client, create):
    table = create("pk")

    def nested(levels):
        value = {"S": "x"}
        for _ in range(levels):
            value = {"L": [value]}
        return value

    client.put_item(TableName=table, Item=KEY | {"deep": nested(31)})
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.put_item(TableName=table, Item=KEY | {"deep": nested(33)})
    assert refused.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
        "supported limit",
    }


@pytest.mark.parametrize(
    "request_, message",
    [
        (
            {"Key": {}},
            "The number of conditions on the keys is invalid",
        ),
        (
            {"Key": {"pk": {"N": "1"}}},
            "The provided key element does not match the schema",
        ),
        (
            {"Key": {"pk": {"S": ""}}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string value. Key: pk",
        ),
        (
            {"Key": KEY, "ProjectionExpression": "a, a"},
            "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of "
            "these paths; path one: [a], path two: [a]",
        ),
        (
            {"Key": KEY, "ProjectionExpression": "a", "AttributesToGet": ["a"]},
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{AttributesToGet} Expression parameters: {ProjectionExpression}",
        ),
        (
            {"Key": KEY, "ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
    ],
)
def test_what_a_get_may_not_do(client, create, request_, message):
    table = create("pk")
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.get_item(TableName=table, **request_)
    error = refused.value.response["Error"]
    assert error["Code"] == "ValidationException"
    if request_["Key"]:
        assert error["Message"] == message
