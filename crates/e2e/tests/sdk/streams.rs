//! ListStreams, DescribeStream, GetShardIterator and GetRecords.

use aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType};
use aws_sdk_dynamodbstreams::Client as StreamsClient;
use aws_sdk_dynamodbstreams::types::{OperationType, Record, ShardIteratorType};
use sortkey_e2e::{Table, dynamodb, failure, item, n, s, streams};

fn view(kind: StreamViewType) -> StreamSpecification {
    StreamSpecification::builder().stream_enabled(true).stream_view_type(kind).build().unwrap()
}

/// Every record that the stream has now, shard after shard.
async fn records(client: &StreamsClient, stream: &str) -> Vec<Record> {
    let mut records = Vec::new();
    let described = client.describe_stream().stream_arn(stream).send().await.unwrap();
    for shard in described.stream_description.unwrap().shards.unwrap() {
        let mut iterator = client
            .get_shard_iterator()
            .stream_arn(stream)
            .shard_id(shard.shard_id().unwrap())
            .shard_iterator_type(ShardIteratorType::TrimHorizon)
            .send()
            .await
            .unwrap()
            .shard_iterator;
        while let Some(position) = iterator {
            let page = client.get_records().shard_iterator(position).limit(2).send().await.unwrap();
            let page_records = page.records.unwrap_or_default();
            // An open shard has a next iterator for ever: an empty page is its present end.
            iterator = page.next_shard_iterator.filter(|_| !page_records.is_empty());
            records.extend(page_records);
        }
    }
    records
}

#[tokio::test]
async fn a_change_becomes_a_record_with_both_images() {
    let client = dynamodb();
    let table = Table::new(&client, "stream", &["pk"])
        .with(|request| request.stream_specification(view(StreamViewType::NewAndOldImages)))
        .create(&client)
        .await;
    let put = |x: i32| {
        client.put_item().table_name(&table).set_item(Some(item([("pk", s("a")), ("x", n(x))]))).send()
    };
    put(1).await.unwrap();
    put(2).await.unwrap();
    put(2).await.unwrap();
    client.delete_item().table_name(&table).key("pk", s("a")).send().await.unwrap();
    client.delete_item().table_name(&table).key("pk", s("a")).send().await.unwrap();

    let streams = streams();
    let listed = streams.list_streams().table_name(&table).send().await.unwrap().streams.unwrap();
    assert_eq!(listed.len(), 1);
    let stream = listed[0].stream_arn().unwrap();
    let table = client.describe_table().table_name(&table).send().await.unwrap().table.unwrap();
    assert_eq!(table.latest_stream_arn(), Some(stream));

    // Writing what is there already and deleting what is not leave no trace.
    let records = records(&streams, stream).await;
    let kinds: Vec<_> = records.iter().map(|record| record.event_name().unwrap().clone()).collect();
    assert_eq!(kinds, [OperationType::Insert, OperationType::Modify, OperationType::Remove]);
    let modified = records[1].dynamodb().unwrap();
    let x = |image: Option<&std::collections::HashMap<_, aws_sdk_dynamodbstreams::types::AttributeValue>>| {
        image.unwrap()["x"].as_n().unwrap().clone()
    };
    assert_eq!((x(modified.old_image()), x(modified.new_image())), ("1".into(), "2".into()));
    assert_eq!(modified.stream_view_type().unwrap().as_str(), "NEW_AND_OLD_IMAGES");
    assert!(records.iter().all(|record| record.event_source() == Some("aws:dynamodb")));
    assert!(records[2].dynamodb().unwrap().new_image().is_none());
    let sequence: Vec<u128> =
        records.iter().map(|r| r.dynamodb().unwrap().sequence_number().unwrap().parse().unwrap()).collect();
    assert!(sequence.is_sorted_by(|a, b| a < b));
}

#[tokio::test]
async fn a_view_of_keys_shows_keys() {
    let client = dynamodb();
    let table = Table::new(&client, "keys", &["pk"]).create(&client).await;
    let described = client
        .update_table()
        .table_name(&table)
        .stream_specification(view(StreamViewType::KeysOnly))
        .send()
        .await
        .unwrap()
        .table_description
        .unwrap();
    let stream = described.latest_stream_arn().unwrap();
    let item = item([("pk", s("a")), ("x", n(1))]);
    client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    let records = records(&streams(), stream).await;
    let change = records[0].dynamodb().unwrap();
    assert_eq!(change.keys().unwrap()["pk"].as_s().unwrap(), "a");
    assert!(change.new_image().is_none() && change.old_image().is_none());
}

#[tokio::test]
async fn iterators_start_at_after_or_behind_a_record() {
    let client = dynamodb();
    let table = Table::new(&client, "iterators", &["pk", "sk:N"])
        .with(|request| request.stream_specification(view(StreamViewType::KeysOnly)))
        .create(&client)
        .await;
    for number in 0..4 {
        let item = item([("pk", s("a")), ("sk", n(number))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let streams = streams();
    let arn = streams.list_streams().table_name(&table).send().await.unwrap().streams.unwrap()[0]
        .stream_arn
        .clone();
    let arn = arn.unwrap();
    let all = records(&streams, &arn).await;
    let second = all[1].dynamodb().unwrap().sequence_number().unwrap();
    // All four share a partition, so they share the shard that has any.
    let shards =
        streams.describe_stream().stream_arn(&arn).send().await.unwrap().stream_description.unwrap().shards;
    let mut counts = Vec::new();
    for shard in shards.unwrap() {
        let from = |kind: ShardIteratorType| {
            let request = streams.get_shard_iterator().stream_arn(&arn).shard_id(shard.shard_id().unwrap());
            request.shard_iterator_type(kind)
        };
        for request in [
            from(ShardIteratorType::TrimHorizon),
            from(ShardIteratorType::AtSequenceNumber).sequence_number(second),
            from(ShardIteratorType::AfterSequenceNumber).sequence_number(second),
            from(ShardIteratorType::Latest),
        ] {
            // A shard whose range does not cover the number refuses it; it has no record to count either.
            let Ok(iterator) = request.send().await else { continue };
            let page =
                streams.get_records().set_shard_iterator(iterator.shard_iterator).send().await.unwrap();
            counts.push(page.records.unwrap_or_default().len());
        }
    }
    counts.retain(|count| *count > 0);
    assert_eq!(counts, [4, 3, 2]);
}

#[tokio::test]
async fn iterators_and_streams_that_do_not_exist() {
    let streams = streams();
    let stray = streams.get_records().shard_iterator("not-an-iterator").send().await;
    assert_eq!(failure(stray).code, "ValidationException");
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/none/stream/2026-01-01T00:00:00.000";
    let stray = streams.describe_stream().stream_arn(arn).send().await;
    assert_eq!(failure(stray).code, "ResourceNotFoundException");
}
