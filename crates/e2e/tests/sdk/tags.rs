//! TagResource, UntagResource and ListTagsOfResource.

use aws_sdk_dynamodb::types::Tag;
use sortkey_e2e::{Table, dynamodb, failure};

fn tag(key: &str, value: &str) -> Tag {
    Tag::builder().key(key).value(value).build().unwrap()
}

#[tokio::test]
async fn tags_are_added_replaced_removed_and_listed() {
    let client = dynamodb();
    let table = Table::new(&client, "tags", &["pk"])
        .with(|table| table.tags(tag("team", "blue")))
        .create(&client)
        .await;
    let described = client.describe_table().table_name(&table).send().await.unwrap().table.unwrap();
    let arn = described.table_arn().unwrap();
    let listed = || async {
        let tags =
            client.list_tags_of_resource().resource_arn(arn).send().await.unwrap().tags.unwrap_or_default();
        let mut tags: Vec<_> = tags.into_iter().map(|tag| (tag.key, tag.value)).collect();
        tags.sort();
        tags
    };
    let expected = |tags: &[(&str, &str)]| -> Vec<(String, String)> {
        tags.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    };
    assert_eq!(listed().await, expected(&[("team", "blue")]));
    client
        .tag_resource()
        .resource_arn(arn)
        .tags(tag("team", "red"))
        .tags(tag("env", ""))
        .send()
        .await
        .unwrap();
    assert_eq!(listed().await, expected(&[("env", ""), ("team", "red")]));
    client.untag_resource().resource_arn(arn).tag_keys("env").tag_keys("never-there").send().await.unwrap();
    assert_eq!(listed().await, expected(&[("team", "red")]));

    let elsewhere = arn.replace(&table, "no-such-table");
    let refused = client.list_tags_of_resource().resource_arn(elsewhere).send().await;
    assert!(["AccessDeniedException", "ResourceNotFoundException"].contains(&failure(refused).code.as_str()));
}
