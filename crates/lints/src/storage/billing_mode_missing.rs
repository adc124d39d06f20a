//! # billing-mode-missing
//!
//! ## What it notices
//!
//! Tables do not say how they are paid for, whether they can be restored, or how they are encrypted.
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
    let billing = |table: &Table| table.billing.is_none().then_some("billing");
    let recovery = |table: &Table| table.recovery_days.is_none().then_some("recovery");
    let encryption = |table: &Table| table.encryption.is_none().then_some("encryption");
    unsaid(|table| billing(table).into_iter().collect(), cx);
    unsaid(|table| recovery(table).into_iter().chain(encryption(table)).collect(), cx);
}

/// Reports the first of the tables that leave something open, with the number of them.
fn unsaid(open: impl Fn(&Table) -> Vec<&'static str>, cx: &mut Context<'_>) {
    let tables: Vec<&Table> = cx.design.tables.iter().filter(|table| !open(table).is_empty()).collect();
    let Some(first) = tables.first() else {
        return;
    };
    let lacks = open(first).join(", ");
    let title = match tables.len() {
        1 => format!("`{}` does not say: {lacks}", first.name),
        count => format!("{count} tables do not say: {lacks}"),
    };
    let names: Vec<&str> = tables.iter().map(|table| table.name.text.as_str()).collect();
    cx.push(
        cx.at(first.name.span, title)
            .label("for example this one")
            .note(format!("These do not: {}.", names.join(", ")))
            .note("Say it once for all: `defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }`."),
    );
}
