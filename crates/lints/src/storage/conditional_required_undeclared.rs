//! # conditional-required-undeclared
//!
//! ## What it notices
//!
//! A cron expression is optional beside a choice that has `custom` among its words, and the design does not declare
//! that one needs the other.
//!
//! ## Why it matters
//!
//! A custom schedule without its expression can be stored, and is noticed when it does not run.
//!
//! ## Example
//!
//! ```sk
//! table Schedules { key (scheduleId) }
//! entity Schedule in Schedules {
//!   scheduleId uuid = new
//!   kind       hourly | daily | custom
//!   expression? cron(..120)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Schedules { key (scheduleId) }
//! entity Schedule in Schedules {
//!   scheduleId uuid = new
//!   kind       hourly | daily | custom
//!   expression? cron(..120)
//!   check kind != custom or expression exists
//! }
//! ```
//!
//! ## When to allow
//!
//! When there is a sensible schedule without an expression.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4021",
    name: "conditional-required-undeclared",
    theme: Theme::Storage,
    level: Severity::Hint,
    source: include_str!("conditional_required_undeclared.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    if !attribute.optional || !is_expression(attribute) || attribute.when.is_some() {
        return;
    }
    let custom = entity.attributes.iter().find(|each| {
        matches!(cx.design.type_of(each), Type::Enum { members, .. } if members.iter().any(|word| word == "custom"))
    });
    let said = entity.checks.iter().any(|check| check.condition.mentions(&attribute.name.text));
    if let Some(choice) = custom.filter(|_| !said) {
        let title = format!("nothing says that `{} = custom` needs `{}`", choice.name, attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("needed for one word, optional for all")
                .also(choice.name.span, "the choice")
                .note(format!("Write `check {} != custom or {} exists`.", choice.name, attribute.name)),
        );
    }
}

/// A document without types calls it by name.
fn is_expression(attribute: &Attribute) -> bool {
    let cron = matches!(attribute.ty, Type::String { format: StringFormat::Cron, .. });
    cron || attribute.name.text.to_lowercase().contains("cron")
}
