//! The cost of a pattern or an operation in a month at a rate, on demand, in dollars.
//!
//! A size that nothing bounds counts as the largest item there can be: a sentence about cost must hold for every item
//! that the design accepts.

use sortkey_design::facts::{actions, calls};
use sortkey_design::model::*;
use sortkey_design::size::{MAX_ITEM_BYTES, item_bound, typical_bytes};
use sortkey_plan::{read_units, write_units};

use crate::Context;

/// Dollars for a million units, on demand, in us-east-1.
const WRITES: f64 = 0.625;
const READS: f64 = 0.125;

/// The cost of calling something at a rate for thirty days.
pub(super) fn per_month(cx: &Context<'_>, name: &str, rate: &Expr) -> Result<f64, String> {
    let design = cx.design;
    let calls = calls_per_month(rate).ok_or("write the rate as `1_000/d`")?;
    let (rcu, wcu) = match (design.operation(name), design.pattern(name)) {
        (Some(operation), _) => units(cx, operation),
        (None, Some(pattern)) => (reading(cx, pattern), 0.0),
        (None, None) => return Err(format!("there is no pattern or operation `{name}`")),
    };
    let dollars = calls * (rcu * READS + wcu * WRITES) / 1_000_000.0;
    Ok((dollars * 100.0).round() / 100.0)
}

fn calls_per_month(rate: &Expr) -> Option<f64> {
    let ExprKind::Binary { op: Op::Div, left, right } = &rate.kind else {
        return None;
    };
    let ExprKind::Number { digits, unit } = &left.kind else {
        return None;
    };
    let days_each = match right.as_name()? {
        "s" => 1.0 / 86_400.0,
        "m" => 1.0 / 1_440.0,
        "h" => 1.0 / 24.0,
        "d" => 1.0,
        "w" => 7.0,
        _ => return None,
    };
    let count: f64 = digits.parse().ok()?;
    unit.is_empty().then_some(count * 30.0 / days_each)
}

/// Read and write units of one call of an operation.
fn units(cx: &Context<'_>, operation: &Operation) -> (f64, f64) {
    let design = cx.design;
    let called = calls(operation).into_iter().filter_map(|name| design.pattern(name));
    let mut rcu: f64 = called.map(|pattern| reading(cx, pattern)).sum();
    let mut wcu = 0.0;
    for site in actions(operation) {
        let Some(entity) = design.entity(&site.action.entity.text) else {
            continue;
        };
        let bytes = reckoned(design, entity);
        match site.action.verb {
            WriteVerb::Get | WriteVerb::Check => rcu += read_units(bytes, site.action.strong),
            _ => wcu += write_units(bytes) as f64 * if site.transact.is_some() { 2.0 } else { 1.0 },
        }
    }
    (rcu, wcu)
}

fn reading(cx: &Context<'_>, pattern: &Pattern) -> f64 {
    cx.plan(pattern).map_or(0.0, |plan| plan.cost.rcu)
}

/// The declared or estimated size, or the limit where a part has no maximum.
fn reckoned(design: &Design, entity: &Entity) -> u64 {
    let declared = entity.volume.as_ref().and_then(|volume| volume.each_bytes);
    let (_, unbounded) = item_bound(design, entity);
    let open = unbounded.iter().any(|each| !matches!(design.type_of(each), Type::String { .. }));
    match declared {
        None if open => MAX_ITEM_BYTES,
        _ => typical_bytes(design, entity),
    }
}
