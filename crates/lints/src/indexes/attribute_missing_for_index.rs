//! # attribute-missing-for-index
//!
//! ## What it notices
//!
//! A key attribute of an index is filled by no entity of its table.
//!
//! ## Why it matters
//!
//! An item is in an index only if it has all of the index's key attributes. With one that nothing writes the
//! index stays empty, and every query on it finds nothing.
//!
//! ## Example
//!
//! ```sk
//! table Main { key (PK | SK)  index byHash (GSI2PK) project keys }
//! entity ApiKey in Main {
//!   PK = "USER#{userId}"  SK = "KEY#{keyId}"
//!   userId  uuid
//!   keyId   uuid = new
//!   keyHash string(64)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Main { key (PK | SK)  index byHash (GSI2PK) project keys }
//! entity ApiKey in Main {
//!   PK = "USER#{userId}"  SK = "KEY#{keyId}"
//!   GSI2PK = "KEYHASH#{keyHash}"
//!   userId  uuid
//!   keyId   uuid = new
//!   keyHash string(64)
//! }
//! ```
//!
//! ## When to allow
//!
//! When a process outside this design writes the attribute.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2001",
    name: "attribute-missing-for-index",
    theme: Theme::Indexes,
    level: Severity::Error,
    source: include_str!("attribute_missing_for_index.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    let spelt = |name: &str| name.to_lowercase().replace('_', "");
    for name in index.key.attributes() {
        let filled = cx.design.entities_in(table).any(|entity| entity.stores(&name.text));
        let misspelt = cx
            .design
            .entities_in(table)
            .flat_map(|entity| &entity.attributes)
            .any(|each| spelt(&each.name.text) == spelt(&name.text));
        if !filled && !misspelt && cx.design.entities_in(table).next().is_some() {
            let title = format!("nothing fills `{name}`, so index `{}` is always empty", index.name);
            cx.push(cx.at(name.span, title).label("no entity of this table has it").also(table.name.span, "the table").note("Add a template or an attribute of that name to the entities that belong into the index."));
        }
    }
}
