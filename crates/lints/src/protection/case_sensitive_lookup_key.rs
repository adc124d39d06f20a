//! # case-sensitive-lookup-key
//!
//! ## What it notices
//!
//! Something that people type is a key, without a rule that makes it one spelling.
//!
//! ## Why it matters
//!
//! "A@x.com" and "a@x.com" are two keys: two users, or a login that fails.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId uuid = new
//!   email  email @personal
//!   unique email
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId uuid = new
//!   email  email @normalize(trim, lower) @personal
//!   unique email
//! }
//! ```
//!
//! ## When to allow
//!
//! When upper and lower case are distinguished on purpose.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::{is_typed_by_people, parts};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7002",
    name: "case-sensitive-lookup-key",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("case_sensitive_lookup_key.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let name = attribute.name.text.as_str();
    // A reference is compared with what it refers to, and that is normalised.
    let normalized = attribute.has("normalize")
        || cx.design.target(attribute).is_some_and(|target| target.has("normalize"));
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let in_key = keys.flat_map(Key::attributes).any(|key| parts(entity, &key.text).contains(&name));
    let unique = entity.uniques.iter().any(|unique| unique.names.iter().any(|each| each.is(name)));
    if is_typed_by_people(cx.design, attribute) && (in_key || unique) && !normalized {
        let title = format!("`{name}` in another spelling is another key");
        cx.push(
            cx.at(attribute.name.span, title)
                .label("typed by people")
                .note("@normalize(trim, lower) is applied to what is stored and to what is asked for.")
                .fix(
                    Fix::new("normalise it", attribute.span.after(), " @normalize(trim, lower)").automatic(),
                ),
        );
    }
}
