//! PutItem, GetItem and DeleteItem.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{self, Bool, Bs, L, M, Ns, Null, Ss};
use aws_sdk_dynamodb::types::{
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use sortkey_e2e::{Table, b, dynamodb, failure, item, n, s};

#[tokio::test]
async fn an_item_of_all_ten_types_comes_back_as_it_went() {
    let client = dynamodb();
    let table = Table::new(&client, "types", &["pk"]).create(&client).await;
    let nested = M(item([("list", L(vec![s("a"), n(1), Null(true), M(item([("x", Bool(false))]))]))]));
    let stored = item([
        ("pk", s("ключ 🔑")),
        ("string", s("")),
        ("number", n("-12.5")),
        ("binary", b(&[0, 255, 1])),
        ("bool", Bool(true)),
        ("null", Null(true)),
        ("list", L(vec![])),
        ("map", nested),
        ("strings", Ss(vec!["a".into(), "b".into()])),
        ("numbers", Ns(vec!["1".into(), "2".into()])),
        ("binaries", Bs(vec![Blob::new([1]), Blob::new([2])])),
    ]);
    client.put_item().table_name(&table).set_item(Some(stored.clone())).send().await.unwrap();

    let got = client.get_item().table_name(&table).key("pk", s("ключ 🔑")).consistent_read(true);
    assert_eq!(sorted_sets(got.send().await.unwrap().item.unwrap()), stored);

    let absent = client.get_item().table_name(&table).key("pk", s("nobody")).send().await.unwrap();
    assert_eq!(absent.item, None);
}

/// A set has no order, so a comparison needs one.
fn sorted_sets(mut item: sortkey_e2e::Item) -> sortkey_e2e::Item {
    for value in item.values_mut() {
        match value {
            Ss(set) | Ns(set) => set.sort(),
            Bs(set) => set.sort_by_key(|blob| blob.as_ref().to_vec()),
            _ => {}
        }
    }
    item
}

#[tokio::test]
async fn numbers_keep_38_digits_and_print_as_aws_prints_them() {
    let client = dynamodb();
    let table = Table::new(&client, "numbers", &["pk"]).create(&client).await;
    let largest = format!("{}{}", "9".repeat(38), "0".repeat(88));
    for (written, read) in [
        ("0", "0"),
        ("-0", "0"),
        ("007", "7"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("-1.23E-2", "-0.0123"),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ("9.9999999999999999999999999999999999999E+125", &largest),
    ] {
        let item = item([("pk", s(written)), ("n", n(written))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
        let got = client.get_item().table_name(&table).key("pk", s(written)).send().await.unwrap();
        assert_eq!(got.item.unwrap()["n"], n(read), "{written}");
    }
    for refused in ["1e126", "1e-131", "123456789012345678901234567890123456789", "NaN", "", "1 "] {
        let item = item([("pk", s("refused")), ("n", n(refused))]);
        let result = client.put_item().table_name(&table).set_item(Some(item)).send().await;
        assert_eq!(failure(result).code, "ValidationException", "{refused:?}");
    }
}

#[tokio::test]
async fn a_put_replaces_the_whole_item_and_can_return_it() {
    let client = dynamodb();
    let table = Table::new(&client, "replace", &["pk"]).create(&client).await;
    let first = item([("pk", s("a")), ("x", n(1))]);
    let second = item([("pk", s("a")), ("y", n(2))]);
    client.put_item().table_name(&table).set_item(Some(first.clone())).send().await.unwrap();
    let put = client
        .put_item()
        .table_name(&table)
        .set_item(Some(second.clone()))
        .return_values(ReturnValue::AllOld)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    assert_eq!(put.attributes, Some(first));
    let capacity = put.consumed_capacity.unwrap();
    assert_eq!((capacity.table_name(), capacity.capacity_units()), (Some(table.as_str()), Some(1.0)));
    let got = client.get_item().table_name(&table).key("pk", s("a")).send().await.unwrap();
    assert_eq!(got.item, Some(second));
}

#[tokio::test]
async fn a_failed_condition_changes_nothing_and_can_return_the_item() {
    let client = dynamodb();
    let table = Table::new(&client, "condition", &["pk"]).create(&client).await;
    let stored = item([("pk", s("a")), ("version", n(3))]);
    client.put_item().table_name(&table).set_item(Some(stored.clone())).send().await.unwrap();

    let refused = client
        .put_item()
        .table_name(&table)
        .set_item(Some(item([("pk", s("a")), ("version", n(9))])))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert_eq!(refused.message(), Some("The conditional request failed"));
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(refused) =
        refused
    else {
        unreachable!("{refused:?}")
    };
    assert_eq!(refused.item, Some(stored.clone()));

    let refused = client
        .delete_item()
        .table_name(&table)
        .key("pk", s("a"))
        .condition_expression("#v < :three")
        .expression_attribute_names("#v", "version")
        .expression_attribute_values(":three", n(3))
        .send()
        .await;
    assert!(refused.unwrap_err().into_service_error().is_conditional_check_failed_exception());
    let got = client.get_item().table_name(&table).key("pk", s("a")).send().await.unwrap();
    assert_eq!(got.item, Some(stored));
}

#[tokio::test]
async fn a_delete_returns_what_it_deleted() {
    let client = dynamodb();
    let table = Table::new(&client, "delete", &["pk", "sk:N"]).create(&client).await;
    let stored = item([("pk", s("a")), ("sk", n(1)), ("x", s("y"))]);
    client.put_item().table_name(&table).set_item(Some(stored.clone())).send().await.unwrap();
    let delete = client
        .delete_item()
        .table_name(&table)
        .key("pk", s("a"))
        .key("sk", n("1.0"))
        .return_values(ReturnValue::AllOld);
    assert_eq!(delete.clone().send().await.unwrap().attributes, Some(stored));
    assert_eq!(delete.send().await.unwrap().attributes, None, "deleting nothing succeeds");
}

#[tokio::test]
async fn a_projection_picks_attributes_from_within() {
    let client = dynamodb();
    let table = Table::new(&client, "projection", &["pk"]).create(&client).await;
    let address = M(item([("city", s("Turin")), ("zip", s("10121"))]));
    let stored = item([("pk", s("a")), ("address", address), ("tags", L(vec![s("x"), s("y"), s("z")]))]);
    client.put_item().table_name(&table).set_item(Some(stored)).send().await.unwrap();
    let got = client
        .get_item()
        .table_name(&table)
        .key("pk", s("a"))
        .projection_expression("#a.city, tags[1]")
        .expression_attribute_names("#a", "address")
        .send()
        .await
        .unwrap();
    let expected = item([("address", M(item([("city", s("Turin"))]))), ("tags", L(vec![s("y")]))]);
    assert_eq!(got.item, Some(expected));
}

#[tokio::test]
async fn reads_and_writes_cost_what_aws_charges() {
    let client = dynamodb();
    let table = Table::new(&client, "cost", &["pk", "sk"])
        .global("by-kind", &["kind"], &[])
        .local("by-date", "pk", "date")
        .create(&client)
        .await;
    let stored = item([
        ("pk", s("a")),
        ("sk", s("b")),
        ("kind", s("k")),
        ("date", s("d")),
        ("body", s("x".repeat(5000))),
    ]);
    let put = client
        .put_item()
        .table_name(&table)
        .set_item(Some(stored))
        .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
        .return_item_collection_metrics(ReturnItemCollectionMetrics::Size)
        .send()
        .await
        .unwrap();
    let capacity = put.consumed_capacity.unwrap();
    assert_eq!(capacity.table().unwrap().capacity_units(), Some(5.0));
    assert_eq!(capacity.global_secondary_indexes().unwrap()["by-kind"].capacity_units(), Some(5.0));
    assert_eq!(capacity.local_secondary_indexes().unwrap()["by-date"].capacity_units(), Some(1.0));
    assert_eq!(capacity.capacity_units(), Some(11.0));
    let metrics = put.item_collection_metrics.unwrap();
    assert_eq!(metrics.item_collection_key(), Some(&item([("pk", s("a"))])));

    for (consistent, units) in [(false, 1.0), (true, 2.0)] {
        let got = client
            .get_item()
            .table_name(&table)
            .key("pk", s("a"))
            .key("sk", s("b"))
            .consistent_read(consistent)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await
            .unwrap();
        assert_eq!(got.consumed_capacity.unwrap().capacity_units(), Some(units));
    }
}

#[tokio::test]
async fn items_end_at_400_kb() {
    let client = dynamodb();
    let table = Table::new(&client, "large", &["pk"]).create(&client).await;
    let of_size = |bytes: usize| {
        item([("pk", s("a")), ("b", s("x".repeat(bytes - "pk".len() - "a".len() - "b".len())))])
    };
    client.put_item().table_name(&table).set_item(Some(of_size(409_600))).send().await.unwrap();
    let refused = client.put_item().table_name(&table).set_item(Some(of_size(409_601))).send().await;
    assert_eq!(failure(refused).message, "Item size has exceeded the maximum allowed size");
}

#[tokio::test]
async fn keys_must_match_the_schema() {
    let client = dynamodb();
    let table = Table::new(&client, "schema", &["pk", "sk:N"]).create(&client).await;
    let get = || client.get_item().table_name(&table);
    let mismatch = "The provided key element does not match the schema";
    for (request, message) in [
        (get().key("pk", s("a")), mismatch),
        (get().key("pk", s("a")).key("sk", s("1")), mismatch),
        (get().key("pk", s("a")).key("sk", n(1)).key("other", n(1)), mismatch),
    ] {
        assert_eq!(failure(request.send().await).message, message);
    }
    let missing = client.put_item().table_name(&table).item("pk", AttributeValue::S("a".into())).send().await;
    assert_eq!(
        failure(missing).message,
        "One or more parameter values were invalid: Missing the key sk in the item"
    );
}
