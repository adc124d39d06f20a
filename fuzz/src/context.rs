//! The world around a target: an item, its placeholders, a database.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::LazyLock;

use sortkey_api::OperationId;
use sortkey_engine::{Engine, Settings};
use sortkey_expression::Placeholders;
use sortkey_value::{AttributeValue, Item, Map, Number};

/// An item with placeholders for what is in it.
pub(crate) struct Sample {
    pub(crate) key: Item,
    pub(crate) item: Item,
    names: BTreeMap<String, String>,
    values: Item,
}

/// The one sample: names `#a` to `#f` and values `:a` to `:j` of every type.
pub(crate) fn sample() -> &'static Sample {
    static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
        let values = every_type();
        let named = |prefix: &str| -> Map {
            let letters = 'a'..='j';
            letters.zip(values.clone()).map(|(letter, value)| (format!("{prefix}{letter}"), value)).collect()
        };
        let key = Map::from([("pk".to_owned(), AttributeValue::S("key".to_owned()))]);
        let item: Map = named("").into_iter().chain(key.clone()).collect();
        Sample {
            key: Item::from_map(&key),
            item: Item::from_map(&item),
            names: ('a'..='f').map(|letter| (format!("#{letter}"), letter.to_string())).collect(),
            values: Item::from_map(&named(":")),
        }
    });
    &SAMPLE
}

impl Sample {
    pub(crate) fn placeholders(&self) -> Placeholders<'_> {
        Placeholders::new(Some(&self.names), Some(&self.values))
            .expect("the sample's placeholders are well formed")
    }
}

fn every_type() -> Vec<AttributeValue> {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let inner =
        [("b".to_owned(), AttributeValue::L(vec![text("deep"), AttributeValue::N(Number::from(7_i64))]))];
    vec![
        text("hello"),
        AttributeValue::N(Number::from(-12_i64)),
        AttributeValue::B(vec![0, 255]),
        AttributeValue::Bool(true),
        AttributeValue::Null,
        AttributeValue::L(vec![text("x"), AttributeValue::M(inner.clone().into())]),
        AttributeValue::M(inner.into()),
        AttributeValue::Ss(vec!["s".to_owned(), "t".to_owned()]),
        AttributeValue::Ns(vec![Number::from(1_i64), Number::from(2_i64)]),
        AttributeValue::Bs(vec![vec![1], vec![2]]),
    ]
}

/// A database of its own for one input, forked from one that has a table `users`.
pub(crate) fn database() -> Engine {
    static TEMPLATE: LazyLock<Engine> = LazyLock::new(|| {
        let engine = Engine::memory(Settings { seed: 1, expiry_interval: None, ..Settings::default() });
        for (operation, body) in [(OperationId::CreateTable, TABLE), (OperationId::PutItem, ITEM)] {
            assert!(
                wait(engine.call(operation, body.as_bytes())).result.is_ok(),
                "{operation:?} of the template"
            );
        }
        engine
    });
    TEMPLATE.fork().expect("a database in memory can be forked")
}

const TABLE: &str = r#"{"TableName":"users","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],
    "GlobalSecondaryIndexes":[{"IndexName":"by-n","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"ALL"}}],
    "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;

const ITEM: &str =
    r#"{"TableName":"users","Item":{"pk":{"S":"a"},"n":{"N":"1"},"l":{"L":[{"S":"x"}]},"m":{"M":{}}}}"#;

/// Runs a future to its end.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without a driver");
    runtime.block_on(future)
}
