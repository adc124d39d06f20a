//! # limit-without-counter
//!
//! ## What it notices
//!
//! A limit is declared and nothing counts what it limits, or a plan's usage is incremented without a
//! condition.
//!
//! ## Why it matters
//!
//! A limit that no condition compares with a count is not enforced.
//!
//! ## Example
//!
//! ```sk
//! table Accounts { key (accountId) }
//! entity Account in Accounts {
//!   accountId uuid = new
//!   limits    { sources int(0..), users int(0..) }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Accounts { key (accountId) }
//! entity Account in Accounts {
//!   accountId   uuid = new
//!   limits      { sources int(0..), users int(0..) }
//!   sourceCount int(0..) = 0 @counter
//! }
//! ```
//!
//! ## When to allow
//!
//! When another system enforces the limit.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6008",
    name: "limit-without-counter",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("limit_without_counter.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let counts = |each: &Entity| each.attributes.iter().any(|it| it.has("counter") || it.has("counts"));
    let refers = |each: &Entity| {
        each.attributes.iter().filter_map(|it| it.reference.as_ref()).any(|it| it.entity == entity.name)
    };
    // A plan contains the limits, and the entities that refer to it the counters.
    let counted = counts(entity) || cx.design.entities.iter().any(|each| refers(each) && counts(each));
    let limits = entity
        .attributes
        .iter()
        .find(|each| matches!(each.name.text.as_str(), "limits" | "limit" | "quota" | "quotas"))
        .or_else(|| rate_in(cx.design, entity));
    if let Some(limits) = limits
        && !counted
    {
        let title = format!("nothing counts what `{}` limits", limits.name);
        cx.push(cx.at(limits.name.span, title).label("no counter beside it").note(
            "Keep a count with @counts(E), and let the operation that creates say `if count < limit`.",
        ));
    }
    let planned = entity.attributes.iter().any(|each| each.name.is("plan"));
    let sites =
        cx.design.operations.iter().flat_map(actions).filter(|site| site.action.entity == entity.name);
    for site in sites.filter(|site| planned && site.action.condition.is_none()) {
        let usage = site.action.fields.fields.iter().find(|field| {
            field.op == FieldOp::Add
                && field.path.first().is_some_and(|name| name.text.to_lowercase().starts_with("usage"))
        });
        if let Some(field) = usage {
            let title = "the usage of a plan grows without a limit";
            cx.push(cx.at(field.span, title).label("no condition").also(entity.name.span, "has a plan"));
        }
    }
}

/// A part of a record that limits a rate: `messages_per_day`, `apiCallsPerMonth`.
fn rate_in<'a>(design: &'a Design, entity: &'a Entity) -> Option<&'a Attribute> {
    const PERIODS: [&str; 4] = ["perminute", "perhour", "perday", "permonth"];
    let parts = entity.attributes.iter().flat_map(|attribute| {
        let mut ty = &attribute.ty;
        while let Type::Json { of } = ty {
            ty = of;
        }
        match ty {
            Type::Object { attributes } => attributes.as_slice(),
            Type::Record { name } => design.record(name).map_or(&[][..], |record| &record.attributes),
            _ => &[],
        }
    });
    parts.into_iter().find(|part| {
        let plain = part.name.text.to_lowercase().replace('_', "");
        PERIODS.iter().any(|period| plain.ends_with(period))
    })
}
