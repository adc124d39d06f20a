//! # sparse-index-not-sparse
//!
//! ## What it notices
//!
//! An index is called sparse, but every item of every entity in it has all of its key attributes.
//!
//! ## Why it matters
//!
//! The index holds a copy of the whole table: it costs full writes and storage, and a reader of the design
//! believes otherwise.
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
    let Some(sparse) = index.sparse else { return };
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
