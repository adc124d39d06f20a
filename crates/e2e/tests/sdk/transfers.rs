//! Exports, and imports of what was exported. They need a server whose export directory this process can read.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::types::{
    BillingMode, ExportDescription, ExportFormat, ExportStatus, ImportStatus, ImportTableDescription,
    InputCompressionType, InputFormat, KeyType, PointInTimeRecoverySpecification, S3BucketSource,
    TableCreationParameters,
};
use sortkey_e2e::{Table, definition, dynamodb, export_dir, item, key_element, s, unique_name};

#[tokio::test]
async fn an_export_becomes_a_table() {
    let client = dynamodb();
    let table = Table::new(&client, "exported", &["pk"]).create(&client).await;
    let setting = PointInTimeRecoverySpecification::builder().point_in_time_recovery_enabled(true).build();
    client
        .update_continuous_backups()
        .table_name(&table)
        .point_in_time_recovery_specification(setting.unwrap())
        .send()
        .await
        .unwrap();
    for key in ["a", "b"] {
        let item = item([("pk", s(key))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let described = client.describe_table().table_name(&table).send().await.unwrap().table.unwrap();
    let table_arn = described.table_arn.unwrap();
    let bucket = unique_name("bucket");

    let ion = client.export_table_to_point_in_time().table_arn(&table_arn).s3_bucket(&bucket);
    let ion = ion.export_format(ExportFormat::Ion).send().await.unwrap_err();
    assert!(format!("{ion:?}").contains("ION is not supported"));
    let export = client.export_table_to_point_in_time().table_arn(&table_arn).s3_bucket(&bucket);
    let export = export.client_token(&bucket).send().await.unwrap().export_description.unwrap();
    let export = exported(&client, export.export_arn().unwrap()).await;
    assert_eq!(export.item_count, Some(2));
    let manifest = export_dir().join(&bucket).join(export.export_manifest().unwrap());
    assert!(manifest.is_file());
    let listed = client.list_exports().table_arn(&table_arn).max_results(5).send().await.unwrap();
    assert_eq!(listed.export_summaries()[0].export_arn(), export.export_arn());

    let imported = unique_name("imported");
    let parameters = TableCreationParameters::builder()
        .table_name(&imported)
        .attribute_definitions(definition("pk", "S"))
        .key_schema(key_element("pk", KeyType::Hash))
        .billing_mode(BillingMode::PayPerRequest)
        .build()
        .unwrap();
    let import = client
        .import_table()
        .s3_bucket_source(S3BucketSource::builder().s3_bucket(&bucket).build().unwrap())
        .input_format(InputFormat::DynamodbJson)
        .input_compression_type(InputCompressionType::Gzip)
        .table_creation_parameters(parameters)
        .send()
        .await
        .unwrap();
    let arn = import.import_table_description.unwrap().import_arn.unwrap();
    let done = ended(&client, &arn).await;
    assert_eq!((done.imported_item_count, done.error_count), (2, 0));
    client.wait_until_table_exists().table_name(&imported).wait(Duration::from_secs(60)).await.unwrap();
    let found = client.scan().table_name(&imported).send().await.unwrap();
    assert_eq!(found.count, 2);
    let listed = client.list_imports().page_size(25).send().await.unwrap();
    assert!(listed.import_summary_list().iter().any(|import| import.import_arn() == Some(arn.as_str())));
}

async fn exported(client: &Client, arn: &str) -> ExportDescription {
    loop {
        let described = client.describe_export().export_arn(arn).send().await.unwrap();
        let export = described.export_description.unwrap();
        if export.export_status != Some(ExportStatus::InProgress) {
            assert_eq!(export.export_status, Some(ExportStatus::Completed), "{export:?}");
            return export;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn ended(client: &Client, arn: &str) -> ImportTableDescription {
    loop {
        let described = client.describe_import().import_arn(arn).send().await.unwrap();
        let import = described.import_table_description.unwrap();
        if import.import_status != Some(ImportStatus::InProgress) {
            assert_eq!(import.import_status, Some(ImportStatus::Completed), "{import:?}");
            return import;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
