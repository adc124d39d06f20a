//! # null-in-index-key
//!
//! ## What it notices
//!
//! An attribute that is a key of the table or of an index may be stored as NULL.
//!
//! ## Why it matters
//!
//! A NULL in a key attribute makes DynamoDB reject the whole write: "Type mismatch for Index Key". An absent
//! attribute is fine: the item is just not in the index.
//!
//! ## Example
//!
//! ```sk
//! table Accounts { key (accountId)  index byParent (parentId) project all }
//! entity Account in Accounts {
//!   accountId uuid = new
//!   parentId? uuid @null
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Accounts { key (accountId)  index byParent (parentId) project all sparse }
//! entity Account in Accounts {
//!   accountId uuid = new
//!   parentId? uuid
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: the write fails.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2002",
    name: "null-in-index-key",
    theme: Theme::Indexes,
    level: Severity::Error,
    source: include_str!("null_in_index_key.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Some(null) = attribute.annotation("null") else {
        return;
    };
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let Some(key) = keys.into_iter().find(|key| key.contains(&attribute.name.text)) else {
        return;
    };
    let title = format!("`{}` may be NULL, but it is a key", attribute.name);
    cx.push(
        cx.at(null.span, title)
            .label("DynamoDB rejects a write with NULL in a key")
            .also(key.span, "the key")
            .note("Leave the attribute out instead.")
            .fix(Fix::new("let it be absent", null.span, "").automatic()),
    );
}
