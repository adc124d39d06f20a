//! # key-type-not-scalar
//!
//! ## What it notices
//!
//! A key attribute of a table or index has a type that is stored as something else than a string, a number
//! or bytes.
//!
//! ## Why it matters
//!
//! CreateTable accepts S, N and B for key attributes. A Boolean, a list, a map or a set in an index key
//! means that items are rejected when written.
//!
//! ## Example
//!
//! ```sk
//! table Webhooks { key (accountId | webhookId)  index byActive (accountId | isActive) project all }
//! entity Webhook in Webhooks {
//!   accountId uuid
//!   webhookId uuid = new
//!   isActive  bool = true
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Webhooks { key (accountId | webhookId)  index byActive (accountId | activeSince) project all sparse }
//! entity Webhook in Webhooks {
//!   accountId    uuid
//!   webhookId    uuid = new
//!   activeSince? time(iso)
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: the table cannot be created, or the items cannot be written.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{Source, source};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1002",
    name: "key-type-not-scalar",
    theme: Theme::Keys,
    level: Severity::Error,
    source: include_str!("key_type_not_scalar.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    for name in keys.flat_map(Key::attributes) {
        for entity in cx.design.entities_in(table) {
            let Some(Source::Natural(attribute)) = source(entity, &name.text) else {
                continue;
            };
            let ty = cx.design.type_of(attribute);
            if matches!(ty.stored(), Stored::S | Stored::N | Stored::B | Stored::Any) {
                continue;
            }
            let title = format!("`{name}` is {}, which cannot be a key", a(&ty.describe()));
            cx.push(
                cx.at(name.span, title)
                    .label("must be stored as a string, a number or bytes")
                    .also(attribute.type_place(), "declared here")
                    .note("For yes-or-no questions use a sparse index: an attribute that is present only when the answer is yes."),
            );
        }
    }
}
