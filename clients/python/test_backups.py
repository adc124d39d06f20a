"""Backups, and tables restored from them or to a point in time."""

import time
from datetime import datetime, timezone

import pytest


def put(client, table, key, value="v"):
    client.put_item(TableName=table, Item={"pk": {"S": key}, "kind": {"S": value}})


def keys(client, table, **more):
    return sorted(item["pk"]["S"] for item in client.scan(TableName=table, **more)["Items"])


def wait_for_table(client, table):
    client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})


def wait_for_backup(client, arn):
    for _ in range(600):
        described = client.describe_backup(BackupArn=arn)["BackupDescription"]
        if described["BackupDetails"]["BackupStatus"] == "AVAILABLE":
            return described
        time.sleep(0.1)
    raise AssertionError("the backup is never complete")


def test_backup_and_restore(client, create, name):
    table = create("pk", index=("by-kind", "kind"))
    put(client, table, "a")
    created = client.create_backup(TableName=table, BackupName="before")["BackupDetails"]
    assert created["BackupType"] == "USER"
    described = wait_for_backup(client, created["BackupArn"])
    assert described["SourceTableDetails"]["ItemCount"] == 1
    assert described["SourceTableFeatureDetails"]["GlobalSecondaryIndexes"][0]["IndexName"] == "by-kind"
    put(client, table, "b")

    listed = client.list_backups(TableName=table)["BackupSummaries"]
    assert [backup["BackupArn"] for backup in listed] == [created["BackupArn"]]

    target = f"{name}-restored"
    client.restore_table_from_backup(TargetTableName=target, BackupArn=created["BackupArn"])
    wait_for_table(client, target)
    assert keys(client, target) == ["a"]
    assert keys(client, target, IndexName="by-kind") == ["a"]
    bare = f"{name}-bare"
    client.restore_table_from_backup(
        TargetTableName=bare, BackupArn=created["BackupArn"], GlobalSecondaryIndexOverride=[]
    )
    wait_for_table(client, bare)
    assert "GlobalSecondaryIndexes" not in client.describe_table(TableName=bare)["Table"]

    with pytest.raises(client.exceptions.TableAlreadyExistsException):
        client.restore_table_from_backup(TargetTableName=target, BackupArn=created["BackupArn"])
    deleted = client.delete_backup(BackupArn=created["BackupArn"])["BackupDescription"]
    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    with pytest.raises(client.exceptions.BackupNotFoundException):
        client.describe_backup(BackupArn=created["BackupArn"])


def test_restore_to_a_point_in_time(client, create, name):
    table = create("pk")
    restore = {"SourceTableName": table, "UseLatestRestorableTime": True}
    with pytest.raises(client.exceptions.PointInTimeRecoveryUnavailableException):
        client.restore_table_to_point_in_time(TargetTableName=f"{name}-off", **restore)
    client.update_continuous_backups(
        TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    put(client, table, "a")
    target = f"{name}-latest"
    client.restore_table_to_point_in_time(TargetTableName=target, **restore)
    put(client, table, "b")
    wait_for_table(client, target)
    assert keys(client, target) == ["a"]
    summary = client.describe_table(TableName=target)["Table"]["RestoreSummary"]
    assert summary["SourceTableArn"].endswith(f":table/{table}")
    with pytest.raises(client.exceptions.InvalidRestoreTimeException):
        client.restore_table_to_point_in_time(
            SourceTableName=table,
            TargetTableName=f"{name}-early",
            RestoreDateTime=datetime(2020, 1, 1, tzinfo=timezone.utc),
        )


def test_a_deleted_table_leaves_a_backup(client, create):
    table = create("pk")
    client.update_continuous_backups(
        TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    client.delete_table(TableName=table)
    listed = client.list_backups(TableName=table, BackupType="SYSTEM")["BackupSummaries"]
    assert [backup["BackupName"] for backup in listed] == [f"{table}$DeletedTableBackup"]
