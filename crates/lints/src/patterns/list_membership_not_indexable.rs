//! # list-membership-not-indexable
//!
//! ## What it notices
//!
//! A pattern searches by a member of a list, a set, a map or JSON text.
//!
//! ## Why it matters
//!
//! Such attributes cannot be keys. The search can only be a filter over everything that a wider key returns.
//!
//! ## Example
//!
//! ```sk
//! table Webhooks { key (accountId | webhookId) }
//! entity Webhook in Webhooks {
//!   accountId uuid
//!   webhookId uuid = new
//!   topics    list(string(..60), max 20)
//! }
//! pattern webhooksFor(topic: string) = list Webhook by accountId filter topics contains topic page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Webhooks { key (accountId | webhookId) }
//! table Topics   { key (accountId | sk) }
//! entity Webhook in Webhooks {
//!   accountId uuid
//!   webhookId uuid = new
//! }
//! entity Topic in Topics {
//!   sk = "{topic:escape}#{webhookId}"
//!   accountId uuid
//!   webhookId uuid
//!   topic     string(..60)
//! }
//! pattern webhooksFor = list Topic by accountId, topic page 50
//! ```
//!
//! ## When to allow
//!
//! When the partition is small and stays small.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3010",
    name: "list-membership-not-indexable",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("list_membership_not_indexable.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(entity) = pattern.entities.first().and_then(|name| cx.design.entity(&name.text)) else {
        return;
    };
    let searched = pattern.conditions().into_iter().chain(pattern.filters());
    for expr in searched {
        let ExprKind::Binary { op: Op::Contains, left, .. } = &expr.kind else {
            continue;
        };
        let Some(attribute) = left.as_name().and_then(|name| entity.attribute(name)) else {
            continue;
        };
        let ty = cx.design.type_of(attribute);
        if pattern.is_list()
            && matches!(ty, Type::List { .. } | Type::Map { .. } | Type::Set { .. } | Type::Json { .. })
        {
            let title = format!("`{}` cannot be searched by a key", attribute.name);
            cx.push(
                cx.at(expr.span, title)
                    .label("a filter over everything the key returns")
                    .also(attribute.type_place(), a(&ty.describe()))
                    .note("One small item per member makes it a key."),
            );
        }
    }
}
