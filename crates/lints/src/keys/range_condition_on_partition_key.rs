//! # range-condition-on-partition-key
//!
//! ## What it notices
//!
//! A pattern asks for a range or a prefix of an attribute that is the partition key of the only path that
//! could serve it.
//!
//! ## Why it matters
//!
//! DynamoDB finds a partition by the hash of its key, so a partition key can only be compared for equality.
//! A Query with `<`, `BETWEEN` or `begins_with` on it is refused with "Query key condition not supported".
//!
//! ## Example
//!
//! ```sk
//! table Accounts { key (accountId)  index byPath (accountPath) project all }
//! entity Account in Accounts {
//!   accountId   uuid = new
//!   accountPath string(..900)
//! }
//! pattern accountsInPath(path: string) = list Account where accountPath starts with path page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Accounts { key (accountId)  index byPath (rootId | accountPath) project all }
//! entity Account in Accounts {
//!   accountId   uuid = new
//!   rootId      uuid
//!   accountPath string(..900)
//! }
//! pattern accountsInPath(path: string) = list Account by rootId where accountPath starts with path page 50
//! ```
//!
//! ## When to allow
//!
//! Never: the request would be refused.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;
use sortkey_plan::Obstacle;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1001",
    name: "range-condition-on-partition-key",
    theme: Theme::Keys,
    level: Severity::Error,
    source: include_str!("range_condition_on_partition_key.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(choice) = cx.unserved(pattern) else { return };
    for rejected in &choice.rejected {
        let Obstacle::RangeOnPartition(range) = rejected.obstacle else {
            continue;
        };
        let table = cx.table_of(rejected.path);
        let title = format!("a range cannot select partitions of `{}`", rejected.path.describe(cx.program));
        cx.push(
            cx.at(range, title)
                .label("only `=` is possible on a partition key")
                .also(table.name.span, "the table")
                .note("Make the attribute a sort key, behind a partition key that the pattern knows."),
        );
        return;
    }
}
