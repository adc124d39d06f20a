"""`sortkey drift` against tables of `sortkey up`, untouched and changed by hand."""

import json

from conftest import HERE, parameters, sortkey, system, up


def drift(name, endpoint, code, *more):
    arguments = ["--deploy", HERE / "plain.toml", "--stage", "prod", "--endpoint", endpoint, *parameters(name)]
    return sortkey("drift", system(name), *arguments, *more, code=code)


def test_tables_of_sortkey_up_have_no_drift(a_system):
    with up(system(a_system), *parameters(a_system)) as server:
        assert drift(a_system, server.endpoint, 0).startswith("no drift: ")


def test_changes_by_hand_are_named():
    with up(system("ferryhook")) as server:
        client = server.client()
        client.update_table(
            TableName="ferryhook-events", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "GSI1"}}]
        )
        arn = client.describe_table(TableName="ferryhook-main")["Table"]["TableArn"]
        client.tag_resource(ResourceArn=arn, Tags=[{"Key": "sortkey:table", "Value": "Other"}])
        found = json.loads(drift("ferryhook", server.endpoint, 1, "--format", "json"))["drift"]
        sarif = json.loads(drift("ferryhook", server.endpoint, 1, "--format", "sarif"))
    assert [(each["table"], each["index"], each["what"], each["expected"], each["found"]) for each in found] == [
        ("ferryhook-main", None, "tag sortkey:table", '"Main"', '"Other"'),
        ("ferryhook-events", "GSI1", "index", "present", "absent"),
    ]
    assert len(sarif["runs"][0]["results"]) == 2


def test_nothing_is_compared_where_nothing_answers():
    drift("ferryhook", "http://127.0.0.1:9", 2)
