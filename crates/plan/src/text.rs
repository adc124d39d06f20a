//! The plan of a whole design as text: what `sortkey plan` prints, and the lock file that a review compares.

mod keys;
mod values;

pub(crate) use keys::conditions;

use std::fmt::Write as _;

use sortkey_design::program::{ExprKind, OperationId, Pattern, PatternId, Program};

use crate::{
    Cost, ReadPlan, Repeat, Step, Way, extent, pages, pattern_script, read, read_units, sent, steps,
};

/// One line per pattern and one per request of an operation: path, consistency, requests, units. In the order of the
/// text, each line with its name, so that a change of one plan changes its lines alone.
pub fn lock_file(program: &Program) -> String {
    let mut text = String::from(
        "# The access path of every pattern and the requests of every operation.\n\
         # `sortkey plan --check` compares this with the design.\n",
    );
    for (id, pattern) in program.patterns.entries() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} = {}", pattern.name, pattern_line(program, id));
    }
    for (id, operation) in program.operations.entries() {
        for (number, step) in (1..).zip(steps(program, id)) {
            let _ = writeln!(text, "{}.{number} = {}", operation.name, step_line(&step));
        }
    }
    text
}

/// The plan for people: patterns, then operations with their requests.
pub fn plan_text(program: &Program) -> String {
    let mut text = String::new();
    let width = program.patterns.iter().map(|each| each.name.chars().count()).max().unwrap_or(0);
    for (id, pattern) in program.patterns.entries() {
        let _ = writeln!(text, "{:width$}  {}", pattern.name, pattern_line(program, id));
    }
    for (id, operation) in program.operations.entries() {
        let _ = writeln!(text, "\n{}", operation.name);
        for step in steps(program, id) {
            let _ = writeln!(text, "  {}", step_line(&step));
        }
    }
    text
}

/// The access path of a pattern, its consistency, requests and units.
pub fn pattern_line(program: &Program, id: PatternId) -> String {
    let pattern = &program.patterns[id];
    let Some(plan) = read(program, id).and_then(|choice| choice.plan) else {
        return "no path".to_owned();
    };
    let consistency = if plan.strong { "strong" } else { "eventual" };
    let fetch = if plan.fetches { " + fetch" } else { "" };
    let then = pattern.then.map(|next| format!(" + get {}", program.entities[next].name)).unwrap_or_default();
    let whole = pattern_script(program, id).map(|script| script.body.cost()).unwrap_or_default();
    let rule = whole.requests - plan.cost.requests;
    let rule = match rule > 0.0 {
        true => {
            format!(" + at most {} and {} RCU for the rule", requests(rule), units(whole.rcu - plan.cost.rcu))
        }
        false => String::new(),
    };
    let (found, cost) = (found(program, pattern, &plan), plan.cost);
    let price = format!("{}, {} RCU", requests(cost.requests), units(cost.rcu));
    format!("{found}{fetch}{then}, {consistency}, {price}{}{rule}", of_all(program, pattern, &plan))
}

/// The request that finds the items, with its key.
fn found(program: &Program, pattern: &Pattern, plan: &ReadPlan) -> String {
    let mut name = None;
    let flow = pages::reads(program, pattern, plan, false);
    flow.requests(1.0, &mut |request, _| {
        name.get_or_insert(request.name());
    });
    let request = name.unwrap_or("Query");
    let path = plan.path.describe(program);
    match plan.path.way {
        Way::Scan(_) => format!("{request} {}", path.trim_end_matches(" scan")),
        Way::Guard(_) => format!("{request} {path} and its item"),
        Way::Key | Way::Index(_) => {
            let filter = if request == "Query" { filtered(program, pattern, plan) } else { String::new() };
            format!("{request} {path} {}{filter}", conditions(program, pattern, plan))
        }
    }
}

/// The attributes that DynamoDB filters a query by.
fn filtered(program: &Program, pattern: &Pattern, plan: &ReadPlan) -> String {
    let Some(entity) = pattern.entities.first() else { return String::new() };
    let attributes = &program.entities[*entity].attributes;
    let mut names: Vec<&str> = Vec::new();
    for at in sent(program, pattern, plan) {
        pattern.sieve[0][at].expr.walk(&mut |each| {
            if let ExprKind::Attribute(id) = each.kind
                && !names.contains(&&*attributes[id].name)
            {
                names.push(&attributes[id].name);
            }
        });
    }
    if names.is_empty() { String::new() } else { format!(", filter on {}", names.join(", ")) }
}

/// The cost of a whole scan, if one page of it reads less.
fn of_all(program: &Program, pattern: &Pattern, plan: &ReadPlan) -> String {
    let Way::Scan(index) = plan.path.way else { return String::new() };
    let all = extent(program, plan.path);
    let whole = read_units(all.bytes, pattern.strong);
    let what = if index.is_some() { "index" } else { "table" };
    match plan.cost == (Cost { rcu: whole, ..plan.cost }) {
        true => format!(", the whole {what} of {} items", all.items),
        false => format!(" a page, {} RCU for the whole {what} of {} items", units(whole), all.items),
    }
}

fn requests(requests: f64) -> String {
    let plural = if requests == 1.0 { "" } else { "s" };
    format!("{} request{plural}", units(requests))
}

/// The requests of an operation, a line each.
pub fn operation_lines(program: &Program, id: OperationId) -> Vec<String> {
    steps(program, id).iter().map(step_line).collect()
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
