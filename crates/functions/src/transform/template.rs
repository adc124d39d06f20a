//! Texts with places: `Order {/order/id} from {header:X-Shop}`.

use std::borrow::Cow;

use serde_json::Value;

use super::document::Budget;
use super::{ApplyProblem, TransformProblem};
use crate::Headers;
use crate::config::is_header_name;
use crate::pointer::Pointer;

/// The longest template.
const MAX_TEMPLATE_BYTES: usize = 8 * 1024;

/// The most places in a template.
const MAX_TEMPLATE_PLACES: usize = 64;

/// A text with places. `{/a/b}` is the value at a JSON Pointer: a text as it is, nothing for `null` or where nothing is, and compact JSON for everything else.
/// `{header:NAME}` is the value of a header of the webhook. `{{` and `}}` are braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Body(Pointer),
    Header(String),
}

impl Template {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<Template, TransformProblem> {
        if text.len() > MAX_TEMPLATE_BYTES {
            return Err(TransformProblem::Template);
        }
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..];
            rest = match (brace.strip_prefix("{{"), brace.strip_prefix("}}"), brace.strip_prefix('{')) {
                (Some(after), _, _) => {
                    plain.push('{');
                    after
                }
                (None, Some(after), _) => {
                    plain.push('}');
                    after
                }
                (None, None, Some(inside)) => {
                    let (place, after) = inside.split_once('}').ok_or(TransformProblem::Template)?;
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(Part::parse(place)?);
                    after
                }
                (None, None, None) => return Err(TransformProblem::Template),
            };
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        let places = parts.iter().filter(|part| !matches!(part, Part::Text(_))).count();
        if places > MAX_TEMPLATE_PLACES { Err(TransformProblem::Template) } else { Ok(Template { parts }) }
    }

    pub(super) fn reads_body(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Body(_)))
    }

    /// The text, unless it is longer than allowed, which is noticed before it is made.
    pub(super) fn render(
        &self,
        document: &Value,
        headers: Headers<'_>,
        most_bytes: usize,
        budget: &mut Budget,
    ) -> Result<Option<String>, ApplyProblem> {
        let mut text = String::new();
        for part in &self.parts {
            let piece = match part {
                Part::Text(plain) => Cow::Borrowed(plain.as_str()),
                Part::Header(name) => Cow::Owned(headers.joined(name).unwrap_or_default()),
                Part::Body(pointer) => match pointer.find(document) {
                    None | Some(Value::Null) => Cow::Borrowed(""),
                    Some(Value::String(value)) => Cow::Borrowed(value.as_str()),
                    Some(other) if budget.measure(other)?.bytes <= most_bytes => {
                        Cow::Owned(other.to_string())
                    }
                    Some(_) => return Ok(None),
                },
            };
            if piece.len() > most_bytes - text.len() {
                return Ok(None);
            }
            budget.work(piece.len())?;
            text.push_str(&piece);
        }
        Ok(Some(text))
    }
}

impl Part {
    fn parse(place: &str) -> Result<Part, TransformProblem> {
        match place.strip_prefix("header:") {
            Some(name) if is_header_name(name) => Ok(Part::Header(name.to_owned())),
            Some(_) => Err(TransformProblem::Template),
            None => Ok(Part::Body(Pointer::parse(place)?)),
        }
    }
}
