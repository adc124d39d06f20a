//! The plan of a whole design as text: what `sortkey plan` prints, and the lock file that a review compares.

use super::{ReadPlan, Repeat, SortUse, Step, pattern_script, read, write};
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
            Some(plan) => one_line(design, pattern, &plan),
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
            Some(plan) => one_line(design, pattern, &plan),
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

fn one_line(design: &Design, pattern: &Pattern, plan: &ReadPlan<'_>) -> String {
    let consistency = if pattern.strong { "strong" } else { "eventual" };
    let sort = match plan.sort {
        SortUse::Whole => "partition",
        SortUse::Equal => "key",
        SortUse::Prefix => "prefix",
        SortUse::Range(_) => "range",
    };
    let fetch = if plan.fetches { " + fetch" } else { "" };
    let then = pattern.then.as_ref().map(|name| format!(" + get {name}")).unwrap_or_default();
    let whole = pattern_script(design, pattern).map(|script| script.body.cost()).unwrap_or_default();
    let rule = whole.requests - plan.cost.requests;
    let rule = match rule > 0.0 {
        true => {
            format!(" + at most {} and {} RCU for the rule", requests(rule), units(whole.rcu - plan.cost.rcu))
        }
        false => String::new(),
    };
    format!(
        "{} by {sort}{fetch}{then}, {consistency}, {}, {} RCU{rule}",
        plan.path.describe(),
        requests(plan.cost.requests),
        units(plan.cost.rcu)
    )
}

fn requests(requests: f64) -> String {
    let plural = if requests == 1.0 { "" } else { "s" };
    format!("{} request{plural}", units(requests))
}

fn step_line(step: &Step) -> String {
    let mut costs = Vec::new();
    // Of a batch the units of one item are shown.
    if step.cost.requests > 1.0 {
        costs.push(requests(step.cost.requests));
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
    let sometimes = if step.sometimes { " if needed" } else { "" };
    format!("{} [{}]{often}{sometimes}, {}", step.request, step.items.join("; "), costs.join(", "))
}

/// Units with as many decimals as they have, at most two.
pub fn units(units: f64) -> String {
    let text = format!("{units:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
