//! BatchGetItem and BatchWriteItem.

use aws_sdk_dynamodb::types::{
    ConsumedCapacity, DeleteRequest, KeysAndAttributes, PutRequest, ReturnConsumedCapacity, WriteRequest,
};
use sortkey_e2e::{Item, Table, dynamodb, failure, item, n, s};

fn put(item: Item) -> WriteRequest {
    let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
    WriteRequest::builder().put_request(put).build()
}

fn delete(key: Item) -> WriteRequest {
    let delete = DeleteRequest::builder().set_key(Some(key)).build().unwrap();
    WriteRequest::builder().delete_request(delete).build()
}

#[tokio::test]
async fn writes_and_reads_over_two_tables() {
    let client = dynamodb();
    let first = Table::new(&client, "batch", &["pk"]).create(&client).await;
    let second = Table::new(&client, "batch", &["pk", "sk:N"]).create(&client).await;
    let old = item([("pk", s("old"))]);
    client.put_item().table_name(&first).set_item(Some(old.clone())).send().await.unwrap();

    let written = client
        .batch_write_item()
        .request_items(&first, vec![put(item([("pk", s("new")), ("x", n(1))])), delete(old)])
        .request_items(&second, (0..10).map(|i| put(item([("pk", s("p")), ("sk", n(i))]))).collect())
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    assert!(written.unprocessed_items.unwrap().is_empty());
    let units: f64 =
        written.consumed_capacity.unwrap().iter().filter_map(ConsumedCapacity::capacity_units).sum();
    assert_eq!(units, 12.0);

    let keys = |keys: Vec<Item>| KeysAndAttributes::builder().set_keys(Some(keys));
    let read = client
        .batch_get_item()
        .request_items(
            &first,
            keys(vec![item([("pk", s("old"))]), item([("pk", s("new"))])]).build().unwrap(),
        )
        .request_items(
            &second,
            keys((0..20).map(|i| item([("pk", s("p")), ("sk", n(i))])).collect())
                .projection_expression("sk")
                .consistent_read(true)
                .build()
                .unwrap(),
        )
        .send()
        .await
        .unwrap();
    assert!(read.unprocessed_keys.unwrap().is_empty());
    let responses = read.responses.unwrap();
    assert_eq!(responses[&first], [item([("pk", s("new")), ("x", n(1))])]);
    assert_eq!(responses[&second].len(), 10);
    assert!(responses[&second].iter().all(|item| item.len() == 1));
}

#[tokio::test]
async fn a_reply_of_16_mb_leaves_the_rest_unprocessed() {
    let client = dynamodb();
    let table = Table::new(&client, "heavy", &["pk:N"]).create(&client).await;
    for number in 0..50 {
        let item = item([("pk", n(number)), ("body", s("x".repeat(390_000)))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let mut wanted: Vec<Item> = (0..50).map(|number| item([("pk", n(number))])).collect();
    let mut replies = Vec::new();
    while !wanted.is_empty() {
        let keys = KeysAndAttributes::builder().set_keys(Some(wanted)).build().unwrap();
        let read = client.batch_get_item().request_items(&table, keys).send().await.unwrap();
        replies.push(read.responses.unwrap()[&table].len());
        wanted = read.unprocessed_keys.unwrap().remove(&table).map(|rest| rest.keys).unwrap_or_default();
    }
    assert_eq!(replies.iter().sum::<usize>(), 50);
    assert!(replies.len() > 1, "19 MB in {replies:?}");
}

#[tokio::test]
async fn batches_that_are_too_long_or_ambiguous_are_refused() {
    let client = dynamodb();
    let table = Table::new(&client, "refused", &["pk:N"]).create(&client).await;
    let puts = |numbers: &[i32]| numbers.iter().map(|i| put(item([("pk", n(i))]))).collect::<Vec<_>>();
    let twice = client.batch_write_item().request_items(&table, puts(&[1, 1])).send().await;
    assert_eq!(failure(twice).message, "Provided list of item keys contains duplicates");
    let many: Vec<i32> = (0..26).collect();
    let many = client.batch_write_item().request_items(&table, puts(&many)).send().await;
    assert_eq!(failure(many).code, "ValidationException");
    let keys = KeysAndAttributes::builder().set_keys(Some((0..101).map(|i| item([("pk", n(i))])).collect()));
    let many = client.batch_get_item().request_items(&table, keys.build().unwrap()).send().await;
    assert_eq!(failure(many).code, "ValidationException");
    let nowhere = client.batch_write_item().request_items("no-such-table", puts(&[1])).send().await;
    assert!(nowhere.unwrap_err().into_service_error().is_resource_not_found_exception());
}
