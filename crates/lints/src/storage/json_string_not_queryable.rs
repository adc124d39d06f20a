//! # json-string-not-queryable
//!
//! ## What it notices
//!
//! Structured data is stored as JSON text of unknown shape.
//!
//! ## Why it matters
//!
//! DynamoDB sees one string: no part of it can be filtered, projected or updated, and nothing checks what is
//! written.
//!
//! ## Example
//!
//! ```sk
//! table Connections { key (connectionId) }
//! entity Connection in Connections {
//!   connectionId uuid = new
//!   filters      json(any)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Connections { key (connectionId) }
//! entity Connection in Connections {
//!   connectionId uuid = new
//!   filters      list({ path string(..200), value string(..500) }, max 50)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the content belongs to somebody else and is passed on as it is.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4006",
    name: "json-string-not-queryable",
    theme: Theme::Storage,
    level: Severity::Hint,
    source: include_str!("json_string_not_queryable.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    if matches!(&attribute.ty, Type::Json { of } if **of == (Type::Any { max: None })) {
        let title = format!("`{}` is text to DynamoDB", attribute.name);
        cx.push(cx.at(attribute.type_place(), title).label("JSON of unknown shape").note(
            "A list, a map or a record can be read and changed in part; `json(T)` at least checks the shape.",
        ));
    }
}
