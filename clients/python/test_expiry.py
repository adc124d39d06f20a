"""Time to live: the setting, and items that leave."""

import time

import pytest

SETTING = {"AttributeName": "expires", "Enabled": True}


def test_the_setting(client, create):
    table = create("pk")
    assert client.describe_time_to_live(TableName=table)["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}
    client.update_time_to_live(TableName=table, TimeToLiveSpecification=SETTING)
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert described["AttributeName"] == "expires"
    with pytest.raises(client.exceptions.ClientError, match="TimeToLive is already enabled"):
        client.update_time_to_live(TableName=table, TimeToLiveSpecification=SETTING)


def test_items_leave_when_their_time_has_come(client, create):
    table = create("pk", index=("by-kind", "kind"))
    client.update_time_to_live(TableName=table, TimeToLiveSpecification=SETTING)
    now = int(time.time())
    for key, expires in (
        ("past", {"N": str(now - 10)}),
        ("soon", {"N": str(now + 1)}),
        ("later", {"N": str(now + 3600)}),
        ("text", {"S": str(now - 10)}),
        ("ancient", {"N": str(now - 6 * 365 * 86400)}),
    ):
        client.put_item(TableName=table, Item={"pk": {"S": key}, "kind": {"S": "k"}, "expires": expires})

    def keys(**index):
        return {item["pk"]["S"] for item in client.scan(TableName=table, **index)["Items"]}

    deadline = time.monotonic() + 30
    while len(keys()) != 3 and time.monotonic() < deadline:
        time.sleep(0.2)
    # A time that is no number, or more than five years ago, is no time to live.
    assert keys() == {"later", "text", "ancient"}
    assert keys(IndexName="by-kind") == {"later", "text", "ancient"}
