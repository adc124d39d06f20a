//! # inverse-lookup-missing
//!
//! ## What it notices
//!
//! A relation is kept as a list of ids inside one of its sides, so the other side cannot be asked.
//!
//! ## Why it matters
//!
//! "Which teams is this user in?" would read every team. A list can be neither indexed nor queried.
//!
//! ## Example
//!
//! ```sk
//! table Teams { key (teamId) }
//! entity Team in Teams {
//!   teamId  uuid = new
//!   members list({ userId uuid, role string(..20) }, max 200)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Teams { key (teamId) }
//! table Members { key (teamId | userId)  index byUser (userId) project keys }
//! entity Team in Teams {
//!   teamId uuid = new
//! }
//! entity Member in Members {
//!   teamId uuid
//!   userId uuid
//!   role   string(..20)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the question is never asked.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK2015",
    name: "inverse-lookup-missing",
    theme: Theme::Indexes,
    level: Severity::Hint,
    source: include_str!("inverse_lookup_missing.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Type::List { of, .. } = &attribute.ty else {
        return;
    };
    let id = match &**of {
        Type::Object { attributes } => {
            attributes.iter().map(|each| each.name.text.as_str()).find(|name| name.ends_with("Id"))
        }
        _ => attribute.name.text.ends_with("Ids").then_some(attribute.name.text.as_str()),
    };
    if let Some(id) = id {
        let title = format!("nothing finds the items whose `{}` contain a given `{id}`", attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("a list cannot be indexed")
                .note("One small item per element answers both questions, and has no size limit."),
        );
    }
}
