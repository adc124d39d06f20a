//! Backups, continuous backups, and the tables that are made of them.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::primitives::DateTime;
use aws_sdk_dynamodb::types::{
    BackupDescription, BackupStatus, BackupSummary, ContinuousBackupsStatus,
    PointInTimeRecoverySpecification, PointInTimeRecoveryStatus, TableStatus,
};
use sortkey_e2e::{Table, dynamodb, item, s, unique_name};

#[tokio::test]
async fn point_in_time_recovery_is_switched_on_and_off() {
    let client = dynamodb();
    let table = Table::new(&client, "recovery", &["pk"]).create(&client).await;
    let describe = || async {
        let described = client.describe_continuous_backups().table_name(&table).send().await.unwrap();
        described.continuous_backups_description.unwrap()
    };
    let before = describe().await;
    assert_eq!(before.continuous_backups_status, ContinuousBackupsStatus::Enabled);
    let recovery = before.point_in_time_recovery_description.unwrap();
    assert_eq!(recovery.point_in_time_recovery_status(), Some(&PointInTimeRecoveryStatus::Disabled));

    for (enabled, status) in
        [(true, PointInTimeRecoveryStatus::Enabled), (false, PointInTimeRecoveryStatus::Disabled)]
    {
        let setting =
            PointInTimeRecoverySpecification::builder().point_in_time_recovery_enabled(enabled).build();
        client
            .update_continuous_backups()
            .table_name(&table)
            .point_in_time_recovery_specification(setting.unwrap())
            .send()
            .await
            .unwrap();
        let recovery = describe().await.point_in_time_recovery_description.unwrap();
        assert_eq!(recovery.point_in_time_recovery_status(), Some(&status));
        assert_eq!(recovery.earliest_restorable_date_time().is_some(), enabled);
    }
    let nowhere = client.describe_continuous_backups().table_name("no-such-table").send().await;
    assert!(nowhere.unwrap_err().into_service_error().is_table_not_found_exception());
}

#[tokio::test]
async fn a_backup_becomes_a_table() {
    let client = dynamodb();
    let table =
        Table::new(&client, "backed-up", &["pk"]).global("by-kind", &["kind"], &[]).create(&client).await;
    put(&client, &table, "a").await;
    let created = client.create_backup().table_name(&table).backup_name("nightly").send().await.unwrap();
    let arn = created.backup_details.unwrap().backup_arn;
    let description = available(&client, &arn).await;
    let source = description.source_table_details.unwrap();
    assert_eq!((source.table_name.as_str(), source.item_count), (table.as_str(), Some(1)));
    put(&client, &table, "b").await;

    let listed = client.list_backups().table_name(&table).limit(10).send().await.unwrap();
    let arns: Vec<_> = listed.backup_summaries().iter().filter_map(BackupSummary::backup_arn).collect();
    assert_eq!(arns, [arn.as_str()]);

    let target = unique_name("restored");
    let restored =
        client.restore_table_from_backup().target_table_name(&target).backup_arn(&arn).send().await.unwrap();
    let restored = restored.table_description.unwrap();
    assert_eq!(restored.table_status, Some(TableStatus::Creating));
    wait(&client, &target).await;
    assert_eq!(keys(&client, &target, None).await, ["a"]);
    assert_eq!(keys(&client, &target, Some("by-kind")).await, ["a"]);
    let described = client.describe_table().table_name(&target).send().await.unwrap().table.unwrap();
    let summary = described.restore_summary.unwrap();
    assert_eq!(summary.source_backup_arn(), Some(arn.as_str()));
    assert!(!summary.restore_in_progress);

    let again = client.restore_table_from_backup().target_table_name(&target).backup_arn(&arn).send().await;
    assert!(again.unwrap_err().into_service_error().is_table_already_exists_exception());
    let deleted = client.delete_backup().backup_arn(&arn).send().await.unwrap();
    let details = deleted.backup_description.unwrap().backup_details.unwrap();
    assert_eq!(details.backup_status, BackupStatus::Deleted);
    let gone = client.describe_backup().backup_arn(&arn).send().await;
    assert!(gone.unwrap_err().into_service_error().is_backup_not_found_exception());
}

#[tokio::test]
async fn a_table_is_restored_to_a_point_in_time() {
    let client = dynamodb();
    let table = Table::new(&client, "continuous", &["pk"]).create(&client).await;
    let restore = |target: &str| {
        client
            .restore_table_to_point_in_time()
            .source_table_name(&table)
            .target_table_name(target)
            .use_latest_restorable_time(true)
    };
    let target = unique_name("as-it-was");
    let off = restore(&target).send().await.unwrap_err().into_service_error();
    assert!(off.is_point_in_time_recovery_unavailable_exception());
    let setting = PointInTimeRecoverySpecification::builder().point_in_time_recovery_enabled(true).build();
    client
        .update_continuous_backups()
        .table_name(&table)
        .point_in_time_recovery_specification(setting.unwrap())
        .send()
        .await
        .unwrap();
    put(&client, &table, "a").await;
    restore(&target).send().await.unwrap();
    put(&client, &table, "b").await;
    wait(&client, &target).await;
    assert_eq!(keys(&client, &target, None).await, ["a"]);
    let early = client
        .restore_table_to_point_in_time()
        .source_table_name(&table)
        .target_table_name(unique_name("too-early"))
        .restore_date_time(DateTime::from_secs(1))
        .send()
        .await;
    assert!(early.unwrap_err().into_service_error().is_invalid_restore_time_exception());
}

async fn put(client: &Client, table: &str, key: &str) {
    let item = item([("pk", s(key)), ("kind", s("x"))]);
    client.put_item().table_name(table).set_item(Some(item)).send().await.unwrap();
}

/// Waits until a backup is complete.
async fn available(client: &Client, arn: &str) -> BackupDescription {
    loop {
        let described = client.describe_backup().backup_arn(arn).send().await.unwrap();
        let description = described.backup_description.unwrap();
        if description.backup_details().unwrap().backup_status == BackupStatus::Available {
            return description;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until a restored table can be used.
async fn wait(client: &Client, table: &str) {
    client.wait_until_table_exists().table_name(table).wait(Duration::from_secs(60)).await.unwrap();
}

/// The keys in a table, or in one of its indexes, in order.
async fn keys(client: &Client, table: &str, index: Option<&str>) -> Vec<String> {
    let index = index.map(str::to_owned);
    let found = client.scan().table_name(table).set_index_name(index).send().await.unwrap();
    let mut keys: Vec<String> = found.items().iter().map(|item| item["pk"].as_s().unwrap().clone()).collect();
    keys.sort();
    keys
}
