"""Query and Scan: conditions, order, pages, segments, filters."""

import pytest


@pytest.fixture
def songs(client, create):
    """Twelve songs of one artist in a table with an index by year."""
    table = create("artist", "number:N", index=("by-year", "year:N", "number:N"))
    for number in range(12):
        client.put_item(
            TableName=table,
            Item={
                "artist": {"S": "a"},
                "number": {"N": str(number)},
                "year": {"N": str(2000 + number % 3)},
                "name": {"S": f"song {number}"},
            },
        )
    return table


def numbers(items):
    return [int(item["number"]["N"]) for item in items]


def test_pages_forwards_and_backwards(client, songs):
    for forward in (True, False):
        pages = client.get_paginator("query").paginate(
            TableName=songs,
            KeyConditionExpression="artist = :a",
            ExpressionAttributeValues={":a": {"S": "a"}},
            ScanIndexForward=forward,
            PaginationConfig={"PageSize": 5},
        )
        pages = [numbers(page["Items"]) for page in pages]
        assert [len(page) for page in pages] == [5, 5, 2]
        assert sum(pages, []) == sorted(range(12), reverse=not forward)


def test_an_index_is_queried_in_its_own_order(client, songs):
    found = client.query(
        TableName=songs,
        IndexName="by-year",
        KeyConditionExpression="#y = :y AND #n > :n",
        ExpressionAttributeNames={"#y": "year", "#n": "number"},
        ExpressionAttributeValues={":y": {"N": "2001"}, ":n": {"N": "1"}},
    )
    assert numbers(found["Items"]) == [4, 7, 10]


def test_a_filter_is_applied_after_the_limit(client, songs):
    found = client.query(
        TableName=songs,
        KeyConditionExpression="artist = :a",
        FilterExpression="contains(#n, :one)",
        ExpressionAttributeNames={"#n": "name"},
        ExpressionAttributeValues={":a": {"S": "a"}, ":one": {"S": "1"}},
        Limit=11,
    )
    assert numbers(found["Items"]) == [1, 10]
    assert (found["Count"], found["ScannedCount"]) == (2, 11)
    assert found["LastEvaluatedKey"] == {"artist": {"S": "a"}, "number": {"N": "10"}}


def test_count_and_projection(client, songs):
    query = {
        "TableName": songs,
        "KeyConditionExpression": "artist = :a AND #n BETWEEN :x AND :y",
        "ExpressionAttributeNames": {"#n": "number"},
        "ExpressionAttributeValues": {":a": {"S": "a"}, ":x": {"N": "3"}, ":y": {"N": "5"}},
    }
    counted = client.query(**query, Select="COUNT")
    assert counted["Count"] == 3 and "Items" not in counted
    projected = client.query(**query, ProjectionExpression="#n")
    assert projected["Items"] == [{"number": {"N": str(number)}} for number in (3, 4, 5)]


def test_the_older_parameters(client, songs):
    found = client.query(
        TableName=songs,
        KeyConditions={
            "artist": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
            "number": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "10"}]},
        },
    )
    assert numbers(found["Items"]) == [10, 11]
    scanned = client.scan(
        TableName=songs,
        ScanFilter={"name": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "song 1"}]}},
    )
    assert sorted(numbers(scanned["Items"])) == [1, 10, 11]


def test_a_scan_covers_the_table_once(client, songs):
    pages = client.get_paginator("scan").paginate(TableName=songs, PaginationConfig={"PageSize": 5})
    assert sorted(number for page in pages for number in numbers(page["Items"])) == list(range(12))


def test_segments_partition_the_table(client, create):
    table = create("pk")
    for number in range(60):
        client.put_item(TableName=table, Item={"pk": {"S": str(number)}})
    seen = []
    for segment in range(3):
        pages = client.get_paginator("scan").paginate(TableName=table, Segment=segment, TotalSegments=3)
        seen += [int(item["pk"]["S"]) for page in pages for item in page["Items"]]
    assert sorted(seen) == list(range(60))


@pytest.mark.parametrize(
    "condition, message",
    [
        ("#n = :n", "Query condition missed key schema element: artist"),
        ("artist = :a AND #n <> :n", "Invalid operator used in KeyConditionExpression: <>"),
        ("artist = :a OR #n = :n", "Invalid operator used in KeyConditionExpression: OR"),
        ("artist = :a AND #n = :a", "One or more parameter values were invalid: Condition parameter type does not match schema type"),
        ("artist < :a", "Query key condition not supported"),
    ],
)
def test_conditions_that_a_query_cannot_use(client, songs, condition, message):
    request = {"ExpressionAttributeValues": {}, "ExpressionAttributeNames": {}}
    for name, value in ((":a", {"S": "a"}), (":n", {"N": "1"})):
        if name in condition:
            request["ExpressionAttributeValues"][name] = value
    if "#n" in condition:
        request["ExpressionAttributeNames"]["#n"] = "number"
    else:
        del request["ExpressionAttributeNames"]
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.query(TableName=songs, KeyConditionExpression=condition, **request)
    assert refused.value.response["Error"] == {"Code": "ValidationException", "Message": message}
