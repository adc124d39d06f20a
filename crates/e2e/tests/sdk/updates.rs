//! UpdateItem: every clause, every kind of answer.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{L, M, Ns, Ss};
use aws_sdk_dynamodb::types::{AttributeAction, AttributeValueUpdate, ReturnValue};
use sortkey_e2e::{Item, Table, dynamodb, failure, item, n, s};

async fn table_with(client: &Client, stored: Item) -> String {
    let table = Table::new(client, "update", &["pk"]).create(client).await;
    client.put_item().table_name(&table).set_item(Some(stored)).send().await.unwrap();
    table
}

fn update(client: &Client, table: &str, expression: &str) -> UpdateItemFluentBuilder {
    client.update_item().table_name(table).key("pk", s("a")).update_expression(expression)
}

#[tokio::test]
async fn set_remove_add_and_delete_in_one_expression() {
    let client = dynamodb();
    let table = table_with(
        &client,
        item([
            ("pk", s("a")),
            ("count", n(10)),
            ("list", L(vec![n(1), n(2), n(3)])),
            ("map", M(item([("inner", s("x"))]))),
            ("tags", Ss(vec!["x".into(), "y".into()])),
            ("gone", s("z")),
        ]),
    )
    .await;
    let updated = update(
        &client,
        &table,
        "SET #c = #c - :two, #m.#i = :i, #l = list_append(#l, :more), fresh = if_not_exists(fresh, :i) \
         REMOVE gone, #l[0] ADD points :two, numbers :set DELETE tags :x",
    )
    .expression_attribute_names("#c", "count")
    .expression_attribute_names("#m", "map")
    .expression_attribute_names("#i", "inner")
    .expression_attribute_names("#l", "list")
    .expression_attribute_values(":two", n(2))
    .expression_attribute_values(":i", s("new"))
    .expression_attribute_values(":more", L(vec![n(4)]))
    .expression_attribute_values(":set", Ns(vec!["5".into()]))
    .expression_attribute_values(":x", Ss(vec!["x".into()]))
    .return_values(ReturnValue::AllNew)
    .send()
    .await;
    // The list is set as a whole and shortened in the same expression: the paths overlap.
    assert!(failure(updated).message.starts_with("Invalid UpdateExpression: Two document paths overlap"));

    let updated = update(
        &client,
        &table,
        "SET #c = #c - :two, #m.#i = :i, fresh = if_not_exists(fresh, :i) \
         REMOVE gone, #l[0] ADD points :two, numbers :set DELETE tags :x",
    )
    .expression_attribute_names("#c", "count")
    .expression_attribute_names("#m", "map")
    .expression_attribute_names("#i", "inner")
    .expression_attribute_names("#l", "list")
    .expression_attribute_values(":two", n(2))
    .expression_attribute_values(":i", s("new"))
    .expression_attribute_values(":set", Ns(vec!["5".into()]))
    .expression_attribute_values(":x", Ss(vec!["x".into()]))
    .return_values(ReturnValue::AllNew)
    .send()
    .await
    .unwrap();
    let expected = item([
        ("pk", s("a")),
        ("count", n(8)),
        ("list", L(vec![n(2), n(3)])),
        ("map", M(item([("inner", s("new"))]))),
        ("tags", Ss(vec!["y".into()])),
        ("fresh", s("new")),
        ("points", n(2)),
        ("numbers", Ns(vec!["5".into()])),
    ]);
    assert_eq!(updated.attributes, Some(expected));
}

#[tokio::test]
async fn each_kind_of_return_value() {
    let client = dynamodb();
    let before = item([("pk", s("a")), ("x", n(1)), ("y", n(1))]);
    for (kind, expected) in [
        (ReturnValue::None, None),
        (ReturnValue::AllOld, Some(before.clone())),
        (ReturnValue::UpdatedOld, Some(item([("x", n(1))]))),
        (ReturnValue::AllNew, Some(item([("pk", s("a")), ("x", n(2)), ("y", n(1))]))),
        (ReturnValue::UpdatedNew, Some(item([("x", n(2))]))),
    ] {
        let table = table_with(&client, before.clone()).await;
        let updated = update(&client, &table, "SET x = x + :one")
            .expression_attribute_values(":one", n(1))
            .return_values(kind.clone())
            .send()
            .await
            .unwrap();
        assert_eq!(updated.attributes, expected, "{kind:?}");
    }
}

#[tokio::test]
async fn an_update_creates_the_item_unless_a_condition_forbids_it() {
    let client = dynamodb();
    let table = Table::new(&client, "upsert", &["pk"]).create(&client).await;
    let forbidden = update(&client, &table, "SET x = :x")
        .condition_expression("attribute_exists(pk)")
        .expression_attribute_values(":x", n(1))
        .send()
        .await;
    assert!(forbidden.unwrap_err().into_service_error().is_conditional_check_failed_exception());
    let created = update(&client, &table, "SET x = :x")
        .expression_attribute_values(":x", n(1))
        .return_values(ReturnValue::AllNew)
        .send()
        .await
        .unwrap();
    assert_eq!(created.attributes, Some(item([("pk", s("a")), ("x", n(1))])));
}

#[tokio::test]
async fn the_older_attribute_updates_still_work() {
    let client = dynamodb();
    let table = table_with(&client, item([("pk", s("a")), ("x", n(1)), ("y", n(1))])).await;
    let change = |action: AttributeAction| AttributeValueUpdate::builder().action(action);
    let updated = client
        .update_item()
        .table_name(&table)
        .key("pk", s("a"))
        .attribute_updates("x", change(AttributeAction::Add).value(n(4)).build())
        .attribute_updates("y", change(AttributeAction::Delete).build())
        .attribute_updates("z", change(AttributeAction::Put).value(s("new")).build())
        .return_values(ReturnValue::AllNew)
        .send()
        .await
        .unwrap();
    assert_eq!(updated.attributes, Some(item([("pk", s("a")), ("x", n(5)), ("z", s("new"))])));
}

#[tokio::test]
async fn what_an_update_may_not_do() {
    let client = dynamodb();
    let table = table_with(&client, item([("pk", s("a")), ("word", s("x"))])).await;
    for (expression, message) in [
        (
            "SET pk = :one",
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key",
        ),
        ("SET word = word + :one", "An operand in the update expression has an incorrect data type"),
        ("SET absent.x = :one", "The document path provided in the update expression is invalid for update"),
        (
            "SET x = absent + :one",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        (
            "SET x = :one, x = :one",
            "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [x], path two: [x]",
        ),
        (
            "SET size = :one",
            "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: size",
        ),
        (
            "SET x = :other",
            "Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute value: :other",
        ),
    ] {
        let refused =
            update(&client, &table, expression).expression_attribute_values(":one", n(1)).send().await;
        assert_eq!(failure(refused).message, message, "{expression}");
    }
}
