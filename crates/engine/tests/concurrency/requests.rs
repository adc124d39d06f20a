//! The typed requests that these tests make.

use sortkey_api::operations::*;
use sortkey_api::shapes::transaction::{Get, Put, TransactGetItem, TransactWriteItem, Update};
use sortkey_api::{ApiError, ErrorKind, SuppliedItem};
use sortkey_engine::{Engine, Reply};
use sortkey_value::{AttributeValue, Item, Map, ValueRef};

pub(crate) fn key(name: &str) -> Item {
    Item::from([("pk", name)])
}

pub(crate) fn values<const COUNT: usize>(values: [(&str, AttributeValue); COUNT]) -> Option<SuppliedItem> {
    Some(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map>().into())
}

pub(crate) fn put(engine: &Engine, item: Item) {
    let input = PutItemInput { table_name: "table".into(), item: item.into(), ..Default::default() };
    engine.put_item(input).wait().unwrap();
}

pub(crate) fn get(engine: &Engine, name: &str) -> Option<Item> {
    let input = GetItemInput { table_name: "table".into(), key: key(name).into(), ..Default::default() };
    engine.get_item(input).wait().unwrap().item
}

/// Adds to the attribute `n` of an item, and gives its new value.
pub(crate) fn add(engine: &Engine, name: &str, amount: i64) -> Reply<UpdateItemOutput> {
    engine.update_item(UpdateItemInput {
        table_name: "table".into(),
        key: key(name).into(),
        update_expression: Some("ADD n :amount".into()),
        expression_attribute_values: values([(":amount", amount.into())]),
        return_values: Some("UPDATED_NEW".into()),
        ..Default::default()
    })
}

pub(crate) fn number(item: &Item) -> i64 {
    match item.get("n") {
        Some(ValueRef::N(number)) => number.to_i64().unwrap(),
        other => panic!("no number: {other:?}"),
    }
}

/// Moves an amount from one account to another, if it is there.
pub(crate) fn transfer(engine: &Engine, from: &str, to: &str, amount: i64) -> Result<(), ApiError> {
    let update = |name: &str, expression: &str, condition: Option<&str>| TransactWriteItem {
        update: Some(Update {
            key: key(name).into(),
            table_name: "table".into(),
            update_expression: expression.into(),
            condition_expression: condition.map(str::to_owned),
            expression_attribute_values: values([(":amount", amount.into())]),
            ..Default::default()
        }),
        ..Default::default()
    };
    let transact_items = vec![
        update(from, "SET n = n - :amount", Some("n >= :amount")),
        update(to, "SET n = n + :amount", None),
    ];
    let input = TransactWriteItemsInput { transact_items, ..Default::default() };
    engine.transact_write_items(input).wait().map(drop)
}

/// A transaction that puts items.
pub(crate) fn put_together(
    engine: &Engine,
    names: &[&str],
    token: Option<&str>,
) -> Reply<TransactWriteItemsOutput> {
    let put = |name: &&str| TransactWriteItem {
        put: Some(Put { item: key(name).into(), table_name: "table".into(), ..Default::default() }),
        ..Default::default()
    };
    engine.transact_write_items(TransactWriteItemsInput {
        transact_items: names.iter().map(put).collect(),
        client_request_token: token.map(str::to_owned),
        ..Default::default()
    })
}

/// Items as of one moment.
pub(crate) fn get_together(engine: &Engine, names: &[String]) -> Vec<Item> {
    let get = |name: &String| TransactGetItem {
        get: Get { key: key(name).into(), table_name: "table".into(), ..Default::default() },
    };
    let input =
        TransactGetItemsInput { transact_items: names.iter().map(get).collect(), ..Default::default() };
    let output = engine.transact_get_items(input).wait().unwrap();
    output.responses.unwrap().into_iter().filter_map(|response| response.item).collect()
}

/// The codes of a cancelled transaction's reasons.
pub(crate) fn reasons(error: &ApiError) -> Vec<String> {
    assert_eq!(error.kind, ErrorKind::TransactionCanceledException, "{error}");
    match error.details.as_deref() {
        Some(sortkey_api::ErrorDetails::CancellationReasons(reasons)) => {
            reasons.iter().map(|reason| reason.code.clone()).collect()
        }
        other => panic!("no reasons: {other:?}"),
    }
}
