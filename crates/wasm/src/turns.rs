//! Turns of workers, as messages.

use serde_json::{Value as Json, json};
use sortkey_api::decode_output;
use sortkey_api::operations::GetItemOutput;
use sortkey_core::{Due, Failure, Turn};
use sortkey_design::model::Change;

use crate::calling::lacks;

/// The turn of a message, by its one member: `{"change": {"table", "kind", "image", "at"}}`, `{"due": {"cursor"}}`,
/// `{"one": {"key", "share", "sinceMs"}}` or `{"slot": {"atMs"}}`.
pub(crate) fn turned(message: &Json) -> Result<Turn, Failure> {
    let text = |json: &Json| json.as_str().map(str::to_owned);
    // An item in DynamoDB's JSON.
    let item = |json: &Json| {
        let body = json!({ "Item": json }).to_string();
        let output = decode_output::<GetItemOutput>(body.as_bytes());
        let output = output.map_err(|_| lacks("image", "an item of DynamoDB"))?;
        Ok::<_, Failure>(output.item.unwrap_or_default())
    };
    if let Some(change) = message.get("change") {
        let kind = match change["kind"].as_str() {
            Some("create") => Change::Create,
            Some("update") => Change::Update,
            Some("delete") => Change::Delete,
            Some("expire") => Change::Expire,
            _ => return Err(lacks("kind", "create, update, delete or expire")),
        };
        let at = text(&change["at"]).ok_or_else(|| lacks("at", "a position in a stream"))?;
        let table = text(&change["table"]).ok_or_else(|| lacks("table", "the name of a table"))?;
        return Ok(Turn::Change { table, change: kind, image: item(&change["image"])?, at });
    }
    if let Some(due) = message.get("due") {
        return Ok(Turn::Due { cursor: text(&due["cursor"]) });
    }
    if let Some(one) = message.get("one") {
        let since_ms = one["sinceMs"].as_i64().ok_or_else(|| lacks("sinceMs", "milliseconds since 1970"))?;
        let share = text(&one["share"]).unwrap_or_default();
        return Ok(Turn::One(Due { key: item(&one["key"])?, share, since_ms }));
    }
    let at_ms = message["slot"]["atMs"].as_i64();
    at_ms.map(|at_ms| Turn::Slot { at_ms }).ok_or_else(|| lacks("turn", "a change, due items or a slot"))
}
