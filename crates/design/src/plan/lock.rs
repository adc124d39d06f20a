//! The plan of a whole design as text: what `sortkey plan` prints, and the lock file that a review compares.

use super::{ReadPlan, Repeat, SortUse, Step, read, write};
use crate::model::*;
use std::fmt::Write as _;

/// One line per pattern and one per request of an operation: path, consistency, requests, units. In the order of the
/// text, each line with its name, so that a change of one plan changes its lines alone.
pub fn lock_file(design: &Design) -> String {
    let mut text = String::from(
        "# The access path of every pattern and the requests of every operation.\n\
         # `sortkey plan --check` compares this with the design.\n",
    );
    for pattern in &design.patterns {
        let line = match read(design, pattern).and_then(|choice| choice.plan) {
            Some(plan) => one_line(pattern, &plan),
            None => "no path".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} = {line}", pattern.name);
    }
    for operation in &design.operations {
        for (number, step) in (1..).zip(write(design, operation)) {
            let _ = writeln!(text, "{}.{number} = {}", operation.name, step_line(&step));
        }
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
            let _ = writeln!(text, "  {}", step_line(&step));
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

fn step_line(step: &Step) -> String {
    let mut costs = Vec::new();
    if step.cost.requests != 1 {
        costs.push(format!("{} requests", step.cost.requests));
    }
    if step.cost.rcu > 0.0 {
        costs.push(format!("{} RCU", units(step.cost.rcu)));
    }
    if step.cost.wcu > 0.0 {
        costs.push(format!("{} WCU", units(step.cost.wcu)));
    }
    let often = match &step.repeat {
        Repeat::Once => String::new(),
        Repeat::Each(list) => format!(" for each of {list}"),
        Repeat::After(error) => format!(" after {error}"),
    };
    format!("{} [{}]{often}, {}", step.request, step.items.join("; "), costs.join(", "))
}

fn units(units: f64) -> String {
    if units.fract() == 0.0 { format!("{units:.0}") } else { format!("{units:.1}") }
}
