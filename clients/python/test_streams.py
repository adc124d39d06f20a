"""Streams, read the way a consumer reads them: shard by shard, page by page."""

import pytest

VIEW = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def consume(streams, arn):
    """All records that are there now."""
    description = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    records = []
    for shard in description["Shards"]:
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        while iterator:
            page = streams.get_records(ShardIterator=iterator, Limit=3)
            if not page["Records"]:
                break
            records += page["Records"]
            iterator = page.get("NextShardIterator")
    return records


def test_changes_arrive_in_the_order_of_their_key(client, streams, create):
    table = create("pk", StreamSpecification=VIEW)
    for version in range(8):
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"N": str(version)}})
        client.put_item(TableName=table, Item={"pk": {"S": "b"}, "v": {"N": str(version)}})
    client.delete_item(TableName=table, Key={"pk": {"S": "a"}})
    (stream,) = streams.list_streams(TableName=table)["Streams"]
    assert stream["StreamArn"] == client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    records = [
        record["dynamodb"] | {"event": record["eventName"]} for record in consume(streams, stream["StreamArn"])
    ]
    of_a = [record for record in records if record["Keys"] == {"pk": {"S": "a"}}]
    assert [record["event"] for record in of_a] == ["INSERT"] + ["MODIFY"] * 7 + ["REMOVE"]
    assert [record["NewImage"]["v"]["N"] for record in of_a[:-1]] == [str(version) for version in range(8)]
    assert of_a[-1]["OldImage"] == {"pk": {"S": "a"}, "v": {"N": "7"}}
    assert all(record["SizeBytes"] > 0 for record in of_a)
    assert len(records) == 17


@pytest.mark.parametrize(
    "view, images",
    [
        ("KEYS_ONLY", set()),
        ("NEW_IMAGE", {"NewImage"}),
        ("OLD_IMAGE", {"OldImage"}),
        ("NEW_AND_OLD_IMAGES", {"NewImage", "OldImage"}),
    ],
)
def test_views(client, streams, create, view, images):
    table = create("pk", StreamSpecification=VIEW | {"StreamViewType": view})
    for version in ("1", "2"):
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"N": version}})
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    modified = consume(streams, arn)[1]["dynamodb"]
    assert {"NewImage", "OldImage"} & set(modified) == images


def test_a_consumer_of_the_newest_sees_only_what_comes(client, streams, create):
    table = create("pk", StreamSpecification=VIEW)
    client.put_item(TableName=table, Item={"pk": {"S": "before"}})
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterators = [
        streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST")
        for shard in shards
    ]
    client.put_item(TableName=table, Item={"pk": {"S": "after"}})
    pages = [streams.get_records(ShardIterator=one["ShardIterator"])["Records"] for one in iterators]
    assert [record["dynamodb"]["Keys"] for page in pages for record in page] == [{"pk": {"S": "after"}}]


def test_a_stream_that_is_not_there(streams):
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/nothing/stream/2026-01-01T00:00:00.000"
    with pytest.raises(streams.exceptions.ResourceNotFoundException):
        streams.describe_stream(StreamArn=arn)
