//! The message that opens a program.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;
use sortkey_core::{Core, Settings};
use sortkey_design::wire;

/// The members of the message: a program, and what the host decides about it.
///
/// - `program`: the compiled program, as `sortkey check --emit` writes it.
/// - `seed`: 64 hexadecimal digits from the host's source of randomness. They determine every id and token, so they must
///   stay secret.
/// - `cursorKey`: 64 hexadecimal digits that seal cursors. Hosts that serve the same clients share them.
/// - `tablePrefix`: written before the name of every table.
/// - `parameters`: values of the design's parameters.
/// - `bcryptCost`: the logarithm of the rounds of bcrypt.
const MEMBERS: [&str; 6] = ["program", "seed", "cursorKey", "tablePrefix", "parameters", "bcryptCost"];

/// The logarithm of the rounds of bcrypt where a host names none.
const BCRYPT_COST: u64 = 12;

/// The prepared program of a message, or what is wrong with it.
pub(crate) fn opened(message: &[u8]) -> Result<Core, String> {
    // Reading any JSON is less code than reading an object.
    let opening: Json = serde_json::from_slice(message).map_err(|error| error.to_string())?;
    let opening = opening.as_object().ok_or("a message that opens a program is an object")?;
    if let Some(name) = opening.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(format!("a message that opens a program has no `{name}`"));
    }
    let member = |name: &str| opening.get(name).unwrap_or(&Json::Null);
    let cost = member("bcryptCost");
    let bcrypt_cost = if cost.is_null() { Some(BCRYPT_COST) } else { cost.as_u64() };
    let bcrypt_cost = bcrypt_cost.filter(|cost| (4..=31).contains(cost));
    let program = wire::read(member("program")).map_err(|error| error.to_string())?;
    let settings = Settings {
        table_prefix: optional("tablePrefix", member("tablePrefix"))?,
        parameters: parameters(member("parameters"))?,
        bcrypt_cost: bcrypt_cost.ok_or_else(|| format!("`bcryptCost`: expected 4 to 31, not {cost}"))? as u32,
        ..Settings::asking(key("seed", member("seed"))?, key("cursorKey", member("cursorKey"))?)
    };
    Core::new(Arc::new(program), settings).map_err(|problems| {
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; ")
    })
}

fn parameters(json: &Json) -> Result<BTreeMap<String, String>, String> {
    let mut parameters = BTreeMap::new();
    if json.is_null() {
        return Ok(parameters);
    }
    for (name, value) in json.as_object().ok_or("`parameters`: expected an object")? {
        let value = value.as_str().ok_or_else(|| format!("`parameters`: expected text for `{name}`"))?;
        parameters.insert(name.clone(), value.to_owned());
    }
    Ok(parameters)
}

fn optional(name: &str, json: &Json) -> Result<Option<String>, String> {
    match json {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text.clone())),
        _ => Err(format!("`{name}`: expected text")),
    }
}

fn key(name: &str, json: &Json) -> Result<[u8; 32], String> {
    let digits = json.as_str().and_then(hex);
    digits.ok_or_else(|| format!("`{name}`: expected 64 hexadecimal digits"))
}

/// The bytes of hexadecimal digits; none if they are others, or of another number.
pub fn hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    if text.len() != LENGTH * 2 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; LENGTH];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(bytes)
}
