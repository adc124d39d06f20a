//! # capacity-vs-pattern
//!
//! ## What it notices
//!
//! The declared loads need more units each second than a table with provisioned billing has; or a write happens at every
//! event, or to a whole list at once, and no load is declared at all. Also a claim about cost that the size of the items
//! does not bear out.
//!
//! ## Why it matters
//!
//! Requests beyond the units are throttled: callers see errors or wait. A burst is served from the last five minutes'
//! savings, a steady load is not.
//!
//! ## Example
//!
//! ```sk
//! table Usage {
//!   key     (accountId | day)
//!   billing provisioned 5 rcu 5 wcu
//! }
//! entity UsageDay in Usage {
//!   accountId uuid
//!   day       date
//!   calls     int(0..) = 0 @counter
//! }
//! system operation meter(accountId, n: int(1..)) load 50/s { upsert UsageDay(accountId, day: date(now)) { calls += n } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Usage {
//!   key     (accountId | day)
//!   billing on_demand
//! }
//! entity UsageDay in Usage {
//!   accountId uuid
//!   day       date
//!   calls     int(0..) = 0 @counter
//! }
//! system operation meter(accountId, n: int(1..)) load 50/s { upsert UsageDay(accountId, day: date(now)) { calls += n } }
//! ```
//!
//! ## When to allow
//!
//! When the deployment scales the units by itself.

use crate::claims::facts::{Kind, Outcome, evaluate};
use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_per_event;
use sortkey_design::facts::{ActionSite, actions};
use sortkey_design::model::*;
use sortkey_design::size::typical_bytes;
use sortkey_diagnostics::{Severity, Span};
use sortkey_plan::{Way, write_units};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4020",
    name: "capacity-vs-pattern",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("capacity_vs_pattern.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    cx.design.tables.iter().for_each(|table| provisioned(table, cx));
    cx.design.claims.iter().for_each(|claim| claimed(claim, cx));
}

fn provisioned(table: &Table, cx: &mut Context<'_>) {
    let Some(Billing::Provisioned(capacity)) = table.billing else {
        return;
    };
    for (needed, has, unit) in
        [(writes(cx.design, table), capacity.wcu, "WCU"), (reads(cx, table), capacity.rcu, "RCU")]
    {
        let total: f64 = needed.iter().map(|(units, _)| units).sum();
        if total > has as f64 {
            let title = format!("`{}` needs {total:.0} {unit} a second and has {has}", table.name);
            let mut diagnostic = cx.at(table.name.span, title).label("the rest is throttled");
            for (units, span) in needed {
                diagnostic = diagnostic.also(span, format!("{units:.0} {unit} a second"));
            }
            cx.push(diagnostic.note("Declare `billing on_demand`, or more units."));
        }
    }
    for operation in cx.design.operations.iter().filter(|operation| operation.load.is_none()) {
        let sites = actions(operation);
        let here = |site: &&ActionSite<'_>| {
            let into = cx.design.entity(&site.action.entity.text);
            site.action.verb.writes() && into.is_some_and(|entity| entity.table == table.name)
        };
        let unstated = sites.iter().filter(here).find_map(|site| {
            let counted = site.action.fields.fields.iter().find(|field| is_per_event(field));
            let every = counted.map(|field| (field.span, "at every event"));
            every.or_else(|| site.each.then_some((site.action.span, "to a whole list at once")))
        });
        if let Some((span, how)) = unstated {
            let title = format!("`{}` has {} WCU and is written {how}", table.name, capacity.wcu);
            cx.push(
                cx.at(table.name.span, title)
                    .label("the rest is throttled")
                    .also(span, how)
                    .note("Declare the `load` of the operation if it is known, or `billing on_demand`."),
            );
        }
    }
}

/// A sentence about cost.
fn claimed(claim: &Claim, cx: &mut Context<'_>) {
    if let Outcome::False { found, kind: Kind::Cost } = evaluate(cx, &claim.fact) {
        let title = format!("\"{}\" depends on the size of the items", claim.sentence);
        cx.push(cx.at(claim.fact.span, title).label(found).note(
            "Units are counted by the kilobyte: bound the item, or declare its usual size with `volume`.",
        ));
    }
}

/// Units that the operations with a declared load write, each with the place of its load.
fn writes(design: &Design, table: &Table) -> Vec<(f64, Span)> {
    let mut found = Vec::new();
    for operation in &design.operations {
        let Some(load) = operation.load else { continue };
        let written = actions(operation).into_iter().filter(|site| site.action.verb.writes());
        let entities = written.filter_map(|site| design.entity(&site.action.entity.text));
        let here = entities.filter(|entity| entity.table == table.name);
        let units: u64 = here.map(|entity| write_units(typical_bytes(design, entity))).sum();
        if units > 0 {
            found.push((load.per_second * units as f64, load.span));
        }
    }
    found
}

/// Units that the patterns with a declared load read from the table itself.
fn reads(cx: &Context<'_>, table: &Table) -> Vec<(f64, Span)> {
    let mut found = Vec::new();
    for pattern in &cx.design.patterns {
        let Some(load) = pattern.load else { continue };
        let is_here = |path| std::ptr::eq(cx.table_of(path), table);
        let plan = cx.plan(pattern).filter(|plan| plan.path.way == Way::Key && is_here(plan.path));
        if let Some(plan) = plan {
            found.push((load.per_second * plan.cost.rcu, load.span));
        }
    }
    found
}
