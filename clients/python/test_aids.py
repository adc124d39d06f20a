"""Sortkey's additions for tests: forks, faults and a clock that can be moved, all over HTTP.

Everything happens in forks, so that the other tests notice nothing.
"""

import json
import time
import urllib.error
import urllib.request

import pytest
from botocore.config import Config


@pytest.fixture
def administer(endpoint):
    """POSTs to an administration route."""

    def administer(path, body=None, fork=None):
        request = urllib.request.Request(
            f"{endpoint}/_sortkey{path}", method="POST", data=json.dumps(body or {}).encode()
        )
        if fork:
            request.add_header("x-sortkey-fork", fork)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    try:
        urllib.request.urlopen(f"{endpoint}/_sortkey").close()
    except urllib.error.HTTPError:
        pytest.skip("not a Sortkey")
    return administer


@pytest.fixture
def fork(administer, session, endpoint, name):
    """A client whose every request goes to a fork of its own, and the fork's name."""
    administer("/forks", {"name": name})
    client = session.client(
        "dynamodb", endpoint_url=endpoint, config=Config(retries={"total_max_attempts": 1})
    )
    client.meta.events.register(
        "before-sign.dynamodb.*", lambda request, **_: request.headers.add_header("x-sortkey-fork", name)
    )
    return client, name


def test_what_happens_in_a_fork_stays_there(client, create, fork):
    forked, _ = fork
    table = create("pk")
    with pytest.raises(forked.exceptions.ResourceNotFoundException):
        forked.describe_table(TableName=table)
    forked.create_table(
        TableName=table,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    forked.put_item(TableName=table, Item={"pk": {"S": "a"}})
    assert forked.scan(TableName=table)["Count"] == 1
    assert client.scan(TableName=table)["Count"] == 0


def test_the_next_requests_fail_as_told(administer, create, request):
    table = create("pk")
    forked, name = request.getfixturevalue("fork")
    administer("/faults", {"throttle": 1, "operation": "PutItem"}, fork=name)
    put = {"TableName": table, "Item": {"pk": {"S": "a"}}}
    with pytest.raises(forked.exceptions.ProvisionedThroughputExceededException):
        forked.put_item(**put)
    forked.put_item(**put)
    administer("/faults", {"conflict": 1}, fork=name)
    with pytest.raises(forked.exceptions.TransactionCanceledException, match="TransactionConflict"):
        forked.transact_write_items(TransactItems=[{"Put": put}])


def test_time_passes_as_told(administer, create, request):
    table = create("pk")
    forked, name = request.getfixturevalue("fork")
    forked.update_time_to_live(
        TableName=table, TimeToLiveSpecification={"AttributeName": "expires", "Enabled": True}
    )
    tomorrow = {"N": str(int(time.time()) + 86400)}
    forked.put_item(TableName=table, Item={"pk": {"S": "a"}, "expires": tomorrow})
    assert administer("/expire", fork=name) == {"deleted": 0}
    administer("/clock", {"advanceMs": 25 * 3600 * 1000}, fork=name)
    administer("/expire", fork=name)
    assert "Item" not in forked.get_item(TableName=table, Key={"pk": {"S": "a"}})


def test_an_index_lags_as_told(administer, create, request):
    table = create("pk", index=("by-kind", "kind"))
    forked, name = request.getfixturevalue("fork")
    administer("/settings", {"gsiDelayMs": 60_000}, fork=name)
    forked.put_item(TableName=table, Item={"pk": {"S": "a"}, "kind": {"S": "k"}})
    assert forked.scan(TableName=table)["Count"] == 1
    assert forked.scan(TableName=table, IndexName="by-kind")["Count"] == 0
    administer("/clock", {"advanceMs": 61_000}, fork=name)
    assert forked.scan(TableName=table, IndexName="by-kind")["Count"] == 1
