//! # constant-sort-key
//!
//! ## What it notices
//!
//! The sort key of an index is the same constant for every item in it.
//!
//! ## Why it matters
//!
//! It neither orders nor distinguishes items; it costs its bytes in every item and every index entry.
//!
//! ## Example
//!
//! ```sk
//! table Main { key (PK | SK)  index byEmail (GSI1PK | GSI1SK) project all }
//! entity User in Main {
//!   PK = "USER#{userId}"  SK = "PROFILE"
//!   GSI1PK = "EMAIL#{mail}"  GSI1SK = "USER"
//!   userId uuid = new
//!   mail   string(..200)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Main { key (PK | SK)  index byEmail (GSI1PK) project all }
//! entity User in Main {
//!   PK = "USER#{userId}"  SK = "PROFILE"
//!   GSI1PK = "EMAIL#{mail}"
//!   userId uuid = new
//!   mail   string(..200)
//! }
//! ```
//!
//! ## When to allow
//!
//! When a second entity will soon share the index, with a constant of its own.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1011",
    name: "constant-sort-key",
    theme: Theme::Keys,
    level: Severity::Hint,
    source: include_str!("constant_sort_key.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    let [sort] = index.key.sort.as_slice() else { return };
    let templates: Vec<&Template> =
        cx.design.entities_in(table).filter_map(|entity| entity.template(&sort.text)).collect();
    let natural = cx.design.entities_in(table).any(|entity| entity.attribute(&sort.text).is_some());
    let Some(first) = templates.first() else { return };
    if natural || !templates.iter().all(|template| template.is_constant() && template.text() == first.text())
    {
        return;
    }
    let title = format!("the sort key of `{}` is always \"{}\"", index.name, first.text());
    cx.push(
        cx.at(first.text_span, title)
            .label("a constant orders nothing")
            .also(sort.span, "the sort key")
            .note("Leave the sort key out of the index."),
    );
}
