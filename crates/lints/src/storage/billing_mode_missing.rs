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
    let lacking = |table: &Table| {
        let said = [
            ("billing", table.billing.is_some()),
            ("recovery", table.recovery_days.is_some()),
            ("encryption", table.encryption.is_some()),
        ];
        said.into_iter().filter(|(_, said)| !said).map(|(what, _)| what).collect::<Vec<_>>()
    };
    let tables: Vec<(&Table, Vec<&str>)> = cx
        .design
        .tables
        .iter()
        .map(|table| (table, lacking(table)))
        .filter(|(_, lacking)| !lacking.is_empty())
        .collect();
    let Some((first, lacks)) = tables.first() else {
        return;
    };
    let title = match tables.len() {
        1 => format!("`{}` does not say: {}", first.name, lacks.join(", ")),
        count => format!("{count} tables do not say: {}", lacks.join(", ")),
    };
    cx.push(cx.at(first.name.span, title).label("for example this one").note("Say it once for all: `defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }`."));
}
