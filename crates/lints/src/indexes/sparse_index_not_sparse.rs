//! # sparse-index-not-sparse
//!
//! ## What it notices
//!
//! An index is called sparse, but every item of every entity in it has all of its key attributes. Or an index of what is
//! due next also holds what is switched off, because the time is always there.
//!
//! ## Why it matters
//!
//! The index holds a copy of the whole table: it costs full writes and storage, and the design suggests
//! otherwise.
//!
//! ## Example
//!
//! ```sk
//! table Seasons { key (profileId | seasonId)  index bySeason (seasonId) project all sparse }
//! entity Season in Seasons {
//!   profileId uuid
//!   seasonId  uuid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Seasons { key (profileId | seasonId)  index bySeason (seasonId) project all }
//! entity Season in Seasons {
//!   profileId uuid
//!   seasonId  uuid = new
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: drop the word.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{Membership, membership};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2003",
    name: "sparse-index-not-sparse",
    theme: Theme::Indexes,
    level: Severity::Warning,
    source: include_str!("sparse_index_not_sparse.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    let Some(sparse) = index.sparse else {
        due(table, index, cx);
        return;
    };
    let entities: Vec<&Entity> = cx.design.entities_in(table).collect();
    if entities.is_empty()
        || !entities.iter().all(|entity| membership(entity, &index.key) == Membership::Always)
    {
        return;
    }
    let title = format!("`{}` holds every item, so it is not sparse", index.name);
    cx.push(
        cx.at(sparse, title)
            .label("every item has these attributes")
            .also(index.key.span, "the key")
            .fix(Fix::new("drop the word", sparse, "").automatic()),
    );
}

/// An index by the time of the next run of something that can be switched off.
fn due(table: &Table, index: &Index, cx: &mut Context<'_>) {
    for entity in cx.design.entities_in(table) {
        let next = index.key.attributes().find(|name| {
            let lower = name.text.to_lowercase();
            ["next", "due", "scheduled"].iter().any(|word| lower.starts_with(word))
        });
        let switch = entity.attributes.iter().find(|each| {
            matches!(cx.design.type_of(each), Type::Bool)
                && ["isActive", "active", "enabled", "isEnabled"].contains(&each.name.text.as_str())
        });
        if let (Some(next), Some(switch)) = (next, switch)
            && membership(entity, &index.key) == Membership::Always
        {
            let title = format!("`{}` also holds what is switched off", index.name);
            cx.push(
                cx.at(index.name.span, title)
                    .label(format!("every item has `{next}`"))
                    .also(switch.name.span, "only those with this on are wanted")
                    .note(format!("Fill a key of the index only `when {} = true`.", switch.name)),
            );
        }
    }
}
