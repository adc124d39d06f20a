//! # index-name-misleading
//!
//! ## What it notices
//!
//! An index is named after an attribute that is only a part of its partition key.
//!
//! ## Why it matters
//!
//! Its name promises a query by that attribute alone, which is not possible.
//!
//! ## Example
//!
//! ```sk
//! table Tags { key (`accountId#kind` | tagKey)  index accountId-tagKey-index (`accountId#kind` | tagKey) project all }
//! entity Tag in Tags {
//!   `accountId#kind` = "{accountId}#{kind}"
//!   accountId uuid
//!   kind      source | job
//!   tagKey    string(..60)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Tags { key (`accountId#kind` | tagKey)  index accountId-kind-tagKey-index (`accountId#kind` | tagKey) project all }
//! entity Tag in Tags {
//!   `accountId#kind` = "{accountId}#{kind}"
//!   accountId uuid
//!   kind      source | job
//!   tagKey    string(..60)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the name is deployed and cannot change.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::parts;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2007",
    name: "index-name-misleading",
    theme: Theme::Indexes,
    level: Severity::Hint,
    source: include_str!("index_name_misleading.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    let words: Vec<&str> = index.name.text.split('-').collect();
    for partition in &index.key.partition {
        for entity in cx.design.entities_in(table) {
            let parts = parts(entity, &partition.text);
            if parts.len() < 2 || !words.contains(&parts[0]) || parts.iter().all(|part| words.contains(part))
            {
                continue;
            }
            let title = format!("`{}` cannot be queried by `{}` alone", index.name, parts[0]);
            cx.push(
                cx.at(index.name.span, title)
                    .label("the name says otherwise")
                    .also(partition.span, format!("needs {} together", parts.join(" and "))),
            );
            return;
        }
    }
}
