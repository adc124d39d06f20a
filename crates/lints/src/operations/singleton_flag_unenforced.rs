//! # singleton-flag-unenforced
//!
//! ## What it notices
//!
//! A flag such as `isDefault` should be true for one item only, and nothing enforces it.
//!
//! ## Why it matters
//!
//! A condition sees one item. Two callers set the flag on two items, and there are two defaults.
//!
//! ## Example
//!
//! ```sk
//! table Cards { key (userId | cardId) }
//! entity Card in Cards {
//!   userId    uuid
//!   cardId    uuid = new
//!   isDefault bool = false
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Cards { key (userId | cardId) }
//! entity Card in Cards {
//!   userId    uuid
//!   cardId    uuid = new
//!   isDefault bool = false
//!   unique userId when isDefault = true
//! }
//! ```
//!
//! ## When to allow
//!
//! When several may be true after all.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6013",
    name: "singleton-flag-unenforced",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("singleton_flag_unenforced.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let flag =
        matches!(attribute.name.text.as_str(), "isDefault" | "isPrimary" | "isMain" | "default" | "primary");
    let enforced = entity
        .uniques
        .iter()
        .any(|unique| unique.when.as_ref().is_some_and(|when| when.mentions(&attribute.name.text)));
    if flag && matches!(attribute.ty, Type::Bool) && !enforced {
        let title = format!("two items can both have `{}`", attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("enforced by nothing")
                .note(format!("`unique owner when {} = true` allows one per owner.", attribute.name)),
        );
    }
}
