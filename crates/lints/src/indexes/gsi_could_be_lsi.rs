//! # gsi-could-be-lsi
//!
//! ## What it notices
//!
//! A global index has the table's own partition key, and the design does not declare how large a partition
//! grows.
//!
//! ## Why it matters
//!
//! A local index would give strongly consistent reads at no extra capacity. It can only be made together
//! with the table, and it limits the items of one partition key to 10 GB. That is a decision to make before
//! the table exists.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (accountId | sourceId)  index byStatus (accountId | phase) project all }
//! entity Source in Sources {
//!   accountId uuid
//!   sourceId  uuid = new
//!   phase     active | paused
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (accountId | sourceId)  index byStatus (accountId | phase) project all }
//! entity Source in Sources {
//!   accountId uuid
//!   sourceId  uuid = new
//!   phase     active | paused
//!   volume 200_000 items, 60 KB each, 20 per accountId max 300_000
//! }
//! ```
//!
//! ## When to allow
//!
//! When eventual consistency is enough and the table exists already.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2008",
    name: "gsi-could-be-lsi",
    theme: Theme::Indexes,
    level: Severity::Hint,
    source: include_str!("gsi_could_be_lsi.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    if index.local
        || index.key.partition.len() != 1
        || index.key.partition != table.key.partition
        || index.key.sort.is_empty()
    {
        return;
    }
    let decided = cx
        .design
        .entities_in(table)
        .any(|entity| entity.volume.as_ref().is_some_and(|volume| !volume.per.is_empty()));
    if !decided {
        let title = format!("`{}` has the partition key of its table", index.name);
        cx.push(cx.at(index.name.span, title).label("a local index would allow strong reads").also(table.key.span, "the same partition key").note("Local indexes are made with the table and limit a partition to 10 GB. Declare `volume ... per` to settle it."));
    }
}
