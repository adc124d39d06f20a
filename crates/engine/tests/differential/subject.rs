//! The engine under test, asked by typed calls or in JSON.

use sortkey_api::operations::*;
use sortkey_api::shape::{Check, Decode, Encode};
use sortkey_api::{ApiError, Operation};
use sortkey_engine::{Engine, Reply};

use pollster::block_on;

/// In which form requests reach the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Typed,
    Json,
}

/// An operation that tests ask for.
pub(crate) trait Ask: Operation<Input: Encode, Output: Decode + Check + Unpin> {
    fn typed(engine: &Engine, input: Self::Input) -> Reply<Self::Output>;
}

macro_rules! ask {
    ($($operation:ident => $method:ident;)*) => {
        $(impl Ask for $operation {
            fn typed(engine: &Engine, input: Self::Input) -> Reply<Self::Output> {
                engine.$method(input)
            }
        })*
    };
}

ask! {
    CreateTable => create_table;
    DescribeTable => describe_table;
    UpdateTable => update_table;
    DeleteTable => delete_table;
    ListTables => list_tables;
    PutItem => put_item;
    GetItem => get_item;
    UpdateItem => update_item;
    DeleteItem => delete_item;
    Query => query;
    Scan => scan;
    BatchGetItem => batch_get_item;
    BatchWriteItem => batch_write_item;
    TransactGetItems => transact_get_items;
    TransactWriteItems => transact_write_items;
    ExecuteStatement => execute_statement;
    UpdateTimeToLive => update_time_to_live;
    DescribeTimeToLive => describe_time_to_live;
    ListStreams => list_streams;
    DescribeStream => describe_stream;
    GetShardIterator => get_shard_iterator;
    GetRecords => get_records;
}

/// Asks the engine.
pub(crate) fn ask<O: Ask>(engine: &Engine, form: Form, input: O::Input) -> Result<O::Output, ApiError> {
    if form == Form::Typed {
        return O::typed(engine, input).wait();
    }
    let body = respell(&json(&input));
    let answer = block_on(engine.call(O::ID, body.as_bytes())).result?;
    Ok(sortkey_api::decode(&answer).expect("what was encoded can be decoded"))
}

pub(crate) fn json<T: Encode>(shape: &T) -> String {
    let mut text = Vec::new();
    sortkey_api::encode(shape, &mut text);
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Writes numbers in other ways, without changing them.
fn respell(body: &str) -> String {
    const NUMBER: &str = "\"N\":\"";
    let mut parts = body.split(NUMBER);
    let mut respelled = parts.next().unwrap_or_default().to_owned();
    for (position, part) in parts.enumerate() {
        respelled.push_str(NUMBER);
        let (number, rest) = part.split_once('"').expect("a string ends");
        match position % 4 {
            0 => respelled.push_str(number),
            1 => respelled.push_str(&format!("{number}e0")),
            2 if number.contains('.') => respelled.push_str(&format!("{number}0")),
            2 => respelled.push_str(&format!("{number}.000")),
            _ => match number.strip_prefix('-') {
                Some(number) => respelled.push_str(&format!("-00{number}")),
                None => respelled.push_str(&format!("+0{number}")),
            },
        }
        respelled.push('"');
        respelled.push_str(rest);
    }
    respelled
}
