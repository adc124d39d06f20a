//! UpdateTimeToLive and DescribeTimeToLive, and items that leave when their time has come.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_dynamodb::types::{
    StreamSpecification, StreamViewType, TimeToLiveSpecification, TimeToLiveStatus,
};
use aws_sdk_dynamodbstreams::types::ShardIteratorType;
use sortkey_e2e::{Table, dynamodb, failure, item, n, s, streams};

fn on(attribute: &str, enabled: bool) -> TimeToLiveSpecification {
    TimeToLiveSpecification::builder().attribute_name(attribute).enabled(enabled).build().unwrap()
}

#[tokio::test]
async fn the_setting_is_made_and_described() {
    let client = dynamodb();
    let table = Table::new(&client, "ttl", &["pk"]).create(&client).await;
    let describe = || client.describe_time_to_live().table_name(&table).send();
    let before = describe().await.unwrap().time_to_live_description.unwrap();
    assert_eq!(before.time_to_live_status(), Some(&TimeToLiveStatus::Disabled));

    let update = |attribute: &str, enabled| {
        client
            .update_time_to_live()
            .table_name(&table)
            .time_to_live_specification(on(attribute, enabled))
            .send()
    };
    update("expires", true).await.unwrap();
    let after = describe().await.unwrap().time_to_live_description.unwrap();
    assert_eq!(after.attribute_name(), Some("expires"));
    assert!(matches!(
        after.time_to_live_status(),
        Some(TimeToLiveStatus::Enabling | TimeToLiveStatus::Enabled)
    ));
    assert_eq!(failure(update("expires", true).await).code, "ValidationException");
}

#[tokio::test]
async fn an_item_past_its_time_leaves_the_table_its_index_and_a_record() {
    let client = dynamodb();
    let table = Table::new(&client, "expiry", &["pk"])
        .global("by-kind", &["kind"], &[])
        .with(|request| {
            let view = StreamSpecification::builder()
                .stream_enabled(true)
                .stream_view_type(StreamViewType::OldImage)
                .build()
                .unwrap();
            request.stream_specification(view)
        })
        .create(&client)
        .await;
    client
        .update_time_to_live()
        .table_name(&table)
        .time_to_live_specification(on("expires", true))
        .send()
        .await
        .unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for (key, expires) in [("past", now - 60), ("future", now + 3600)] {
        let item = item([("pk", s(key)), ("kind", s("k")), ("expires", n(expires))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let remaining = || async {
        client.scan().table_name(&table).index_name("by-kind").send().await.unwrap().items.unwrap()
    };
    let deadline = tokio::time::Instant::now() + Duration::from_secs(120);
    while remaining().await.len() != 1 {
        assert!(tokio::time::Instant::now() < deadline, "the item is still there");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(remaining().await[0]["pk"], s("future"));
    assert_eq!(client.scan().table_name(&table).send().await.unwrap().count, 1);

    let streams = streams();
    let stream = streams.list_streams().table_name(&table).send().await.unwrap().streams.unwrap()[0]
        .stream_arn
        .clone();
    let shards = streams.describe_stream().set_stream_arn(stream.clone()).send().await.unwrap();
    let mut removed_by = Vec::new();
    for shard in shards.stream_description.unwrap().shards.unwrap() {
        let iterator = streams
            .get_shard_iterator()
            .set_stream_arn(stream.clone())
            .set_shard_id(shard.shard_id)
            .shard_iterator_type(ShardIteratorType::TrimHorizon)
            .send()
            .await
            .unwrap()
            .shard_iterator;
        let records =
            streams.get_records().set_shard_iterator(iterator).send().await.unwrap().records.unwrap();
        removed_by.extend(records.into_iter().filter_map(|record| record.user_identity));
    }
    assert_eq!(removed_by.len(), 1);
    assert_eq!(removed_by[0].principal_id(), Some("dynamodb.amazonaws.com"));
    assert_eq!(removed_by[0].r#type(), Some("Service"));
}
