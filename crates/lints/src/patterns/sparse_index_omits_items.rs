//! # sparse-index-omits-items
//!
//! ## What it notices
//!
//! The only index that serves a pattern is keyed by an optional attribute, and the pattern does not ask for only the
//! items that have it.
//!
//! ## Why it matters
//!
//! An item without a key attribute of an index is not in that index. The pattern works and returns the items that have the
//! attribute; a reader of the pattern may expect all.
//!
//! ## Example
//!
//! ```sk
//! table Invoices { key (invoiceId)  index byPayment (customer | paidAt) project all }
//! entity Invoice in Invoices {
//!   invoiceId uuid = new
//!   customer  uuid
//!   paidAt?   time(iso)
//! }
//! pattern paidInvoices = list Invoice by customer newest first page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Invoices { key (invoiceId)  index byPayment (customer | paidAt) project all }
//! entity Invoice in Invoices {
//!   invoiceId uuid = new
//!   customer  uuid
//!   paidAt?   time(iso)
//! }
//! pattern paidInvoices = list Invoice by customer where paidAt exists newest first page 50
//! ```
//!
//! ## When to allow
//!
//! When the name of the pattern makes it clear enough.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::program::Id;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3017",
    name: "sparse-index-omits-items",
    theme: Theme::Patterns,
    level: Severity::Hint,
    source: include_str!("sparse_index_omits_items.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(plan) = cx.plan(pattern) else { return };
    let Some(optional) = plan.omits.first().map(|id| &cx.entity_of(plan.path).attributes[id.at()]) else {
        return;
    };
    let omits = cx.names(plan.path.entity, &plan.omits);
    let names = omits.join("` and `");
    let title = format!("`{}` finds only items that have `{names}`", pattern.name);
    let said: Vec<String> = omits.iter().map(|name| format!("{name} exists")).collect();
    cx.push(
        cx.at(pattern.name.span, title)
            .label(format!("read through `{}`", plan.path.describe(cx.program)))
            .also(optional.name.span, "may be absent")
            .note(format!("`where {}` says so.", said.join(" and "))),
    );
}
