//! # gsi-redundant
//!
//! ## What it notices
//!
//! An index answers nothing that the table's own key, or an earlier index, does not answer: same partition,
//! and its sort attributes are the beginning of the other's.
//!
//! ## Why it matters
//!
//! A prefix query on the other key gives the same items. The index costs writes and storage for nothing.
//!
//! ## Example
//!
//! ```sk
//! table Tags { key (accountId | label)  index byKey (accountId | tagKey) project all }
//! entity Tag in Tags {
//!   label = "{tagKey:escape}#{tagValue}"
//!   accountId uuid
//!   tagKey    string(..60)
//!   tagValue  string(..200)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Tags { key (accountId | label) }
//! entity Tag in Tags {
//!   label = "{tagKey:escape}#{tagValue}"
//!   accountId uuid
//!   tagKey    string(..60)
//!   tagValue  string(..200)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the index projects much less and is read much more.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::parts;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2005",
    name: "gsi-redundant",
    theme: Theme::Indexes,
    level: Severity::Warning,
    source: include_str!("gsi_redundant.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    let entities: Vec<&Entity> = cx.design.entities_in(table).collect();
    let earlier = table
        .indexes
        .iter()
        .take_while(|other| other.name != index.name)
        .map(|other| (&other.key, &other.name));
    for (key, name) in std::iter::once((&table.key, &table.name)).chain(earlier) {
        let same = !entities.is_empty()
            && entities.iter().all(|entity| {
                let flat = |names: &[Name]| {
                    names
                        .iter()
                        .flat_map(|name| {
                            parts(entity, &name.text).into_iter().map(str::to_owned).collect::<Vec<_>>()
                        })
                        .collect::<Vec<String>>()
                };
                let (own, other) = (flat(&index.key.sort), flat(&key.sort));
                flat(&index.key.partition) == flat(&key.partition)
                    && !own.is_empty()
                    && other.starts_with(&own)
                    && other != own
            });
        if same {
            let title = format!("`{}` answers nothing that `{name}` does not", index.name);
            cx.push(
                cx.at(index.name.span, title)
                    .label("redundant")
                    .also(key.span, "a prefix of this sort key gives the same items")
                    .note("Drop the index and query the other key with begins_with."),
            );
            return;
        }
    }
}
