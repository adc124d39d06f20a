//! The plan of a whole design as text: what `sortkey plan` prints, and the lock file that a review compares.

use super::{ReadPlan, SortUse, read, write};
use crate::model::*;
use std::fmt::Write as _;

/// One line per pattern and per request of an operation: path, consistency, requests, units. Sorted as the text is,
/// so that a change of one pattern changes one line.
pub fn lock_file(design: &Design) -> String {
    let mut text = String::from(
        "# The access path of every pattern. `sortkey plan --check` compares this with the design.\n",
    );
    for pattern in &design.patterns {
        let line = match read(design, pattern).and_then(|choice| choice.plan) {
            Some(plan) => one_line(pattern, &plan),
            None => "no path".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} = {line}", pattern.name);
    }
    text
}

/// The plan for people: patterns, then operations with their requests.
pub fn plan_text(design: &Design) -> String {
    let mut text = String::new();
    let width = design.patterns.iter().map(|each| each.name.text.chars().count()).max().unwrap_or(0);
    for pattern in &design.patterns {
        let line = match read(design, pattern).and_then(|choice| choice.plan) {
            Some(plan) => one_line(pattern, &plan),
            None => "no path".to_owned(),
        };
        let _ = writeln!(text, "{:width$}  {line}", pattern.name.text);
    }
    for operation in &design.operations {
        let _ = writeln!(text, "\n{}", operation.name);
        for step in write(design, operation) {
            let cost = step.cost;
            let _ = writeln!(
                text,
                "  {} [{}]  {} RCU, {} WCU",
                step.request,
                step.items.join("; "),
                units(cost.rcu),
                units(cost.wcu)
            );
        }
    }
    text
}

fn one_line(pattern: &Pattern, plan: &ReadPlan<'_>) -> String {
    let consistency = if pattern.strong { "strong" } else { "eventual" };
    let sort = match plan.sort {
        SortUse::Whole => "partition",
        SortUse::Equal => "key",
        SortUse::Prefix => "prefix",
        SortUse::Range(_) => "range",
    };
    let fetch = if plan.fetches { " + fetch" } else { "" };
    let then = pattern.then.as_ref().map(|name| format!(" + get {name}")).unwrap_or_default();
    let requests = plan.cost.requests;
    let plural = if requests == 1 { "" } else { "s" };
    format!(
        "{} by {sort}{fetch}{then}, {consistency}, {requests} request{plural}, {} RCU",
        plan.path.describe(),
        units(plan.cost.rcu)
    )
}

fn units(units: f64) -> String {
    if units.fract() == 0.0 { format!("{units:.0}") } else { format!("{units:.1}") }
}
