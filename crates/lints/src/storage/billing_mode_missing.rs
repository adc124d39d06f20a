//! # billing-mode-missing
//!
//! ## What it notices
//!
//! Tables do not declare their billing, their recovery or their encryption.
//!
//! ## Why it matters
//!
//! These are the settings that somebody misses on the worst day. The defaults are provisioned billing, no
//! recovery, no deletion protection.
//!
//! ## Example
//!
//! ```sk
//! defaults { recovery 35d  encryption aws_owned }
//! table Users { key (userId) }
//! entity User in Users { userId uuid = new }
//! ```
//!
//! ## Better
//!
//! ```sk
//! defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }
//! table Users { key (userId) }
//! entity User in Users { userId uuid = new }
//! ```
//!
//! ## When to allow
//!
//! When deployment sets all of it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4019",
    name: "billing-mode-missing",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("billing_mode_missing.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let lacking = |what: fn(&Table) -> bool| -> Vec<&Table> {
        cx.design.tables.iter().filter(|table| what(table)).collect()
    };
    let billing = lacking(|table| table.billing.is_none());
    let protection = lacking(|table| !unprotected(table).is_empty());
    // One diagnostic if the same tables lack everything, two if the gaps are in different tables.
    if billing == protection {
        unsaid(&billing, |table| [&["billing"][..], &unprotected(table)].concat(), cx);
    } else {
        unsaid(&billing, |_| vec!["billing"], cx);
        unsaid(&protection, unprotected, cx);
    }
}

fn unprotected(table: &Table) -> Vec<&'static str> {
    let recovery = table.recovery_days.is_none().then_some("recovery");
    recovery.into_iter().chain(table.encryption.is_none().then_some("encryption")).collect()
}

/// Reports the first of the tables that leave something open, with the names of the others.
fn unsaid(tables: &[&Table], open: impl Fn(&Table) -> Vec<&'static str>, cx: &mut Context<'_>) {
    let Some((first, others)) = tables.split_first() else {
        return;
    };
    let lacks = open(first).join(", ");
    let title = match others {
        [] => format!("`{}` does not say: {lacks}", first.name),
        _ => format!("{} tables do not say: {lacks}", tables.len()),
    };
    let mut diagnostic = cx.at(first.name.span, title).label("these settings are missing");
    for other in others {
        diagnostic = diagnostic.also(other.name.span, "nor does this");
    }
    cx.push(diagnostic.note("Say it once for all: `defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }`."));
}
