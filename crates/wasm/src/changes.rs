//! Records of streams, as changes of a design's items.

use serde_json::{Map, Value as Json, json};
use sortkey_api::decode_output;
use sortkey_api::operations::GetItemOutput;
use sortkey_core::{Core, Failure};

use crate::calling::{lacks, widen};

/// The change of a stream record: `{"entity", "item", "before"}`, or `{}` if it belongs to no entity. `has_doubles`: whether the
/// host's numbers are doubles.
pub fn change(core: &Core, message: &Json, has_doubles: bool) -> Result<Json, Failure> {
    let now_ms = message["now"].as_i64().ok_or_else(|| lacks("now", "milliseconds since 1970"))?;
    let table = message["table"].as_str().ok_or_else(|| lacks("table", "the name of a table"))?;
    let mut change = Map::new();
    for (image, name) in [("new", "item"), ("old", "before")] {
        if message[image].is_null() {
            continue;
        }
        let body = json!({ "Item": message[image] }).to_string();
        let output: GetItemOutput =
            decode_output(body.as_bytes()).map_err(|_| lacks(image, "an item of DynamoDB"))?;
        let Some((entity, mut item)) = core.shown(table, &output.item.unwrap_or_default(), now_ms)? else {
            continue;
        };
        if has_doubles {
            widen(&mut item, name, &mut Vec::new());
        }
        change.insert("entity".to_owned(), entity.into());
        change.insert(name.to_owned(), item);
    }
    Ok(Json::Object(change))
}
