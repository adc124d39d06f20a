//! UpdateContinuousBackups and DescribeContinuousBackups.

use aws_sdk_dynamodb::types::{
    ContinuousBackupsStatus, PointInTimeRecoverySpecification, PointInTimeRecoveryStatus,
};
use sortkey_e2e::{Table, dynamodb};

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
