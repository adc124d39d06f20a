"""BatchGetItem and BatchWriteItem."""

import pytest


def test_a_batch_writes_and_reads_two_tables(client, create):
    first, second = create("pk"), create("pk", "sk:N")
    client.put_item(TableName=first, Item={"pk": {"S": "old"}})
    written = client.batch_write_item(
        RequestItems={
            first: [
                {"PutRequest": {"Item": {"pk": {"S": "new"}}}},
                {"DeleteRequest": {"Key": {"pk": {"S": "old"}}}},
            ],
            second: [{"PutRequest": {"Item": {"pk": {"S": "p"}, "sk": {"N": str(n)}}}} for n in range(10)],
        },
        ReturnConsumedCapacity="TOTAL",
    )
    assert written["UnprocessedItems"] == {}
    assert sum(table["CapacityUnits"] for table in written["ConsumedCapacity"]) == 12.0
    read = client.batch_get_item(
        RequestItems={
            first: {"Keys": [{"pk": {"S": "new"}}, {"pk": {"S": "old"}}]},
            second: {
                "Keys": [{"pk": {"S": "p"}, "sk": {"N": str(n)}} for n in range(5, 15)],
                "ProjectionExpression": "sk",
                "ConsistentRead": True,
            },
        }
    )
    assert read["UnprocessedKeys"] == {}
    assert read["Responses"][first] == [{"pk": {"S": "new"}}]
    assert sorted(int(item["sk"]["N"]) for item in read["Responses"][second]) == [5, 6, 7, 8, 9]


def test_what_a_batch_may_not_do(client, create):
    table = create("pk")
    put = {"PutRequest": {"Item": {"pk": {"S": "a"}}}}
    with pytest.raises(client.exceptions.ClientError, match="Provided list of item keys contains duplicates"):
        client.batch_write_item(RequestItems={table: [put, put]})
    with pytest.raises(client.exceptions.ClientError, match="Provided list of item keys contains duplicates"):
        client.batch_get_item(RequestItems={table: {"Keys": [{"pk": {"S": "a"}}] * 2}})
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.batch_write_item(RequestItems={table + "-not": [put]})
