//! The id that a provider gives to a delivery, by which duplicates are detected.

use super::Incoming;
use crate::json;
use crate::pointer::Pointer;

/// The longest id that is used. A longer one is treated as if there were none.
const MAX_ID_BYTES: usize = 256;

/// The place of a delivery's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdSource {
    /// In the first of these headers that is there.
    Headers(Vec<String>),
    /// At a place in the JSON of the body, as text or as a whole number.
    Body(Pointer),
}

impl IdSource {
    /// The first of these headers that is there.
    pub fn headers<const N: usize>(names: [&str; N]) -> IdSource {
        IdSource::Headers(names.map(str::to_owned).to_vec())
    }
}

/// The id of a delivery.
///
/// GitHub's and Shopify's signatures do not cover headers: a recorded webhook can be sent again under another id, and only the
/// bytes of the body show it. Their ids are therefore digests of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryId {
    /// The id.
    pub id: String,
    /// Whether the signature covers it. GitHub's and Shopify's do not cover headers: a recorded webhook can be sent again
    /// under another id, and only the bytes of the body show it.
    pub is_signed: bool,
}

pub(super) fn find(source: &IdSource, incoming: &Incoming<'_>, is_signed: bool) -> Option<DeliveryId> {
    let id = match source {
        IdSource::Headers(names) => in_headers(names, incoming)?.to_owned(),
        IdSource::Body(pointer) => in_body(pointer, incoming.body)?,
    };
    let usable = (1..=MAX_ID_BYTES).contains(&id.len()) && !id.chars().any(char::is_control);
    usable.then_some(DeliveryId { id, is_signed })
}

/// The first header that is there decides. One that is there twice is no id, since each reader could take another one.
fn in_headers<'a>(names: &[String], incoming: &Incoming<'a>) -> Option<&'a str> {
    let mut values = names.iter().map(|name| incoming.headers.all(name)).find_map(|mut values| {
        let first = values.next()?;
        Some((first, values.next().is_some()))
    });
    values.take().filter(|(_, repeated)| !repeated).map(|(value, _)| value)
}

fn in_body(pointer: &Pointer, body: &[u8]) -> Option<String> {
    let body = json::read(body)?;
    match pointer.find(&body)? {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}
