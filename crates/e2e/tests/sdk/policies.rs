//! PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy.

use sortkey_e2e::{Table, dynamodb, failure};

const POLICY: &str = r#"{
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "dynamodb:GetItem", "Resource": "*"}]
}"#;

#[tokio::test]
async fn a_policy_is_stored_by_revision() {
    let client = dynamodb();
    let table = Table::new(&client, "policy", &["pk"]).create(&client).await;
    let described = client.describe_table().table_name(&table).send().await.unwrap().table.unwrap();
    let arn = described.table_arn().unwrap();

    let none = client.get_resource_policy().resource_arn(arn).send().await;
    assert!(none.unwrap_err().into_service_error().is_policy_not_found_exception());

    let first = client
        .put_resource_policy()
        .resource_arn(arn)
        .policy(POLICY)
        .send()
        .await
        .unwrap()
        .revision_id
        .unwrap();
    let got = client.get_resource_policy().resource_arn(arn).send().await.unwrap();
    assert_eq!(got.revision_id(), Some(first.as_str()));
    assert!(got.policy().unwrap().contains("dynamodb:GetItem"));

    let other = POLICY.replace("GetItem", "Query");
    let put = |revision: &str| {
        client.put_resource_policy().resource_arn(arn).policy(&other).expected_revision_id(revision).send()
    };
    let second = put(&first).await.unwrap().revision_id.unwrap();
    assert_ne!(first, second);
    let stale = put(&first).await.unwrap_err().into_service_error();
    assert!(stale.is_policy_not_found_exception(), "{stale:?}");

    let deleted = client.delete_resource_policy().resource_arn(arn).send().await.unwrap();
    assert_eq!(deleted.revision_id(), Some(second.as_str()));
    client.delete_resource_policy().resource_arn(arn).send().await.unwrap();
}

#[tokio::test]
async fn what_is_no_policy_is_refused() {
    let client = dynamodb();
    let table = Table::new(&client, "nopolicy", &["pk"]).create(&client).await;
    let described = client.describe_table().table_name(&table).send().await.unwrap().table.unwrap();
    for text in ["nonsense", "[]", r#"{"Version": "2012-10-17"}"#] {
        let put = client
            .put_resource_policy()
            .resource_arn(described.table_arn().unwrap())
            .policy(text)
            .send()
            .await;
        assert_eq!(failure(put).code, "ValidationException", "{text}");
    }
}
