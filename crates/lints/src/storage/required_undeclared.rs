//! # required-undeclared
//!
//! ## What it notices
//!
//! A design of some size has not a single optional attribute.
//!
//! ## Why it matters
//!
//! Documents that list attributes rarely specify which are required. If all are, half-finished items cannot
//! be written; if not, the design should mark the optional ones.
//!
//! ## Example
//!
//! ```sk
//! table T { key (a) }
//! entity A in T { a uuid = new  b int(0..)  c int(0..)  d int(0..)  e int(0..)  f int(0..)  g int(0..)  h int(0..)  i int(0..)  j int(0..)  k int(0..) }
//! table U { key (a) }
//! entity B in U { a uuid = new  b int(0..)  c int(0..)  d int(0..)  e int(0..)  f int(0..)  g int(0..)  h int(0..)  i int(0..)  j int(0..)  k int(0..) }
//! table V { key (a) }
//! entity C in V { a uuid = new  b int(0..)  c int(0..)  d int(0..)  e int(0..)  f int(0..)  g int(0..)  h int(0..)  i int(0..)  j int(0..)  k int(0..) }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table T { key (a) }
//! entity A in T { a uuid = new  b? int(0..)  c int(0..) }
//! ```
//!
//! ## When to allow
//!
//! When everything really is required.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4016",
    name: "required-undeclared",
    theme: Theme::Storage,
    level: Severity::Hint,
    source: include_str!("required_undeclared.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let attributes: Vec<&Attribute> =
        cx.design.entities.iter().flat_map(|entity| &entity.attributes).collect();
    if attributes.len() > 30
        && attributes.iter().filter(|attribute| attribute.optional).count() * 50 < attributes.len()
    {
        let first = &cx.design.entities[0];
        let title = format!("hardly any of {} attributes is optional", attributes.len());
        cx.push(cx.at(first.name.span, title).label("which may be absent?").note("Mark them: `name? type`."));
    }
}
