//! The message that opens a program.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;
use sortkey_core::{Core, Settings};
use sortkey_design::wire;

/// A program, and what the host decides about it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Opening {
    /// The compiled program, as `sortkey check --emit` writes it.
    program: Json,
    /// 64 hexadecimal digits from the host's source of randomness. They determine every id and token,
    /// so they must stay secret.
    seed: String,
    /// 64 hexadecimal digits that seal cursors. Hosts that serve the same clients share them.
    cursor_key: String,
    /// Written before the name of every table.
    #[serde(default)]
    table_prefix: Option<String>,
    /// Values of the design's parameters.
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    /// The logarithm of the rounds of bcrypt.
    #[serde(default = "bcrypt_cost")]
    bcrypt_cost: u32,
}

fn bcrypt_cost() -> u32 {
    12
}

/// The prepared program of a message, or what is wrong with it.
pub(crate) fn opened(message: &[u8]) -> Result<Core, String> {
    let opening: Opening = serde_json::from_slice(message).map_err(|error| error.to_string())?;
    if !(4..=31).contains(&opening.bcrypt_cost) {
        return Err(format!("`bcryptCost`: expected 4 to 31, not {}", opening.bcrypt_cost));
    }
    let program = wire::read(&opening.program).map_err(|error| error.to_string())?;
    let settings = Settings {
        table_prefix: opening.table_prefix,
        parameters: opening.parameters,
        bcrypt_cost: opening.bcrypt_cost,
        ..Settings::asking(key("seed", &opening.seed)?, key("cursorKey", &opening.cursor_key)?)
    };
    Core::new(Arc::new(program), settings).map_err(|problems| {
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; ")
    })
}

fn key(name: &str, text: &str) -> Result<[u8; 32], String> {
    hex(text).ok_or_else(|| format!("`{name}`: expected 64 hexadecimal digits"))
}

/// The bytes of hexadecimal digits; none if they are others, or of another number.
pub(crate) fn hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    if text.len() != LENGTH * 2 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; LENGTH];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(bytes)
}
