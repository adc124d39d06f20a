//! The fixed list of facts that a claim can state, and their values in a design.

use super::cost;
use crate::Context;
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_design::size::fixed_length;

/// The result of checking a claim.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It holds.
    True,
    /// It does not hold.
    False {
        /// For the label.
        found: String,
        /// The rule that reports it.
        kind: Kind,
    },
    /// It cannot be evaluated.
    Unknown(String),
}

/// The kinds of false claims, each with a rule of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Count,
    Strong,
    Length,
    Expiry,
    SoftDelete,
    Cost,
    Other,
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
enum Fact {
    Number(f64),
    /// Milliseconds.
    Duration(u64),
    Text(String),
    Bool(bool),
}

/// Evaluates a claim.
pub(crate) fn evaluate(cx: &Context<'_>, claim: &Expr) -> Outcome {
    match &claim.kind {
        ExprKind::Binary { op: Op::And, left, right } => match evaluate(cx, left) {
            Outcome::True => evaluate(cx, right),
            other => other,
        },
        ExprKind::Not { operand } => match fact(cx, operand) {
            Ok((Fact::Bool(false), _)) => Outcome::True,
            Ok((_, kind)) => Outcome::False { found: "it is so".to_owned(), kind },
            Err(reason) => Outcome::Unknown(reason),
        },
        ExprKind::Binary { op, left, right } => compare(cx, *op, left, right),
        _ => match fact(cx, claim) {
            Ok((Fact::Bool(true), _)) => Outcome::True,
            Ok((Fact::Bool(false), kind)) => Outcome::False { found: "it is not so".to_owned(), kind },
            Ok(_) => Outcome::Unknown("a value, not a statement".to_owned()),
            Err(reason) => Outcome::Unknown(reason),
        },
    }
}

fn compare(cx: &Context<'_>, op: Op, left: &Expr, right: &Expr) -> Outcome {
    let (found, kind) = match fact(cx, left) {
        Ok(found) => found,
        Err(reason) => return Outcome::Unknown(reason),
    };
    let Some(stated) = literal(right) else {
        return Outcome::Unknown("compared with something unknown".to_owned());
    };
    let order = match (&found, &stated) {
        (Fact::Number(a), Fact::Number(b)) => a.partial_cmp(b),
        (Fact::Duration(a), Fact::Duration(b)) => Some(a.cmp(b)),
        (Fact::Text(a), Fact::Text(b)) => Some(a.cmp(b)),
        _ => None,
    };
    let Some(order) = order else {
        return Outcome::Unknown("compared with something of another kind".to_owned());
    };
    let holds = match op {
        Op::Eq => order.is_eq(),
        Op::NotEq => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::LtEq => order.is_le(),
        Op::Gt => order.is_gt(),
        Op::GtEq => order.is_ge(),
        _ => return Outcome::Unknown("this comparison means nothing for facts".to_owned()),
    };
    if holds { Outcome::True } else { Outcome::False { found: format!("it is {}", show(&found)), kind } }
}

fn literal(expr: &Expr) -> Option<Fact> {
    match &expr.kind {
        ExprKind::Number { digits, unit } if unit.is_empty() => digits.parse().ok().map(Fact::Number),
        ExprKind::Number { .. } => expr.as_duration_ms().map(Fact::Duration),
        ExprKind::Text { value } => Some(Fact::Text(value.clone())),
        ExprKind::Name { name } => Some(Fact::Text(name.clone())),
        _ => None,
    }
}

fn show(fact: &Fact) -> String {
    match fact {
        Fact::Number(number) => number.to_string(),
        Fact::Duration(ms) if ms % 86_400_000 == 0 => format!("{}d", ms / 86_400_000),
        Fact::Duration(ms) => format!("{}m", ms / 60_000),
        Fact::Text(text) => format!("\"{text}\""),
        Fact::Bool(value) => value.to_string(),
    }
}

/// The value of a fact by its name and arguments.
fn fact(cx: &Context<'_>, expr: &Expr) -> Result<(Fact, Kind), String> {
    match &expr.kind {
        ExprKind::Name { name } => match name.as_str() {
            "tables" => Ok((Fact::Number(cx.design.tables.len() as f64), Kind::Count)),
            "global_indexes" => {
                let global =
                    cx.design.tables.iter().flat_map(|table| &table.indexes).filter(|index| !index.local);
                Ok((Fact::Number(global.count() as f64), Kind::Count))
            }
            other => Err(format!("there is no fact `{other}`")),
        },
        ExprKind::Call { callee, args } => {
            let name = callee.as_name().unwrap_or_default();
            let first =
                args.values.first().map(|(_, value)| value).ok_or_else(|| format!("`{name}` of what?"))?;
            if name == "cost" {
                let rate = args.values.get(1).map(|(_, value)| value).ok_or("at which rate?")?;
                let dollars = cost::per_month(cx, first.as_name().unwrap_or_default(), rate)?;
                return Ok((Fact::Number(dollars), Kind::Cost));
            }
            let second = args.values.get(1).and_then(|(_, value)| value.as_name());
            called(cx, name, first, second)
        }
        _ => Err("not a fact".to_owned()),
    }
}

fn called(cx: &Context<'_>, name: &str, first: &Expr, second: Option<&str>) -> Result<(Fact, Kind), String> {
    let design = cx.design;
    let word = first.as_name().unwrap_or_default();
    let pattern = || design.pattern(word).ok_or_else(|| format!("there is no pattern `{word}`"));
    let entity = || design.entity(word).ok_or_else(|| format!("there is no entity `{word}`"));
    let table = || design.table(word).ok_or_else(|| format!("there is no table `{word}`"));
    match name {
        "key" => {
            let names: Vec<&str> = table()?.key.attributes().map(|name| name.text.as_str()).collect();
            Ok((Fact::Text(names.join(" | ")), Kind::Other))
        }
        "path" => {
            let plan = cx.plan(pattern()?).ok_or("it has no path")?;
            Ok((Fact::Text(plan.path.describe(cx.program)), Kind::Other))
        }
        "strong" => Ok((Fact::Bool(pattern()?.strong), Kind::Strong)),
        "requests" => {
            let plan = cx.plan(pattern()?).ok_or("it has no path")?;
            Ok((Fact::Number(plan.cost.requests), Kind::Other))
        }
        "lifetime" => lifetime(design, entity()?).map(|ms| (Fact::Duration(ms), Kind::Other)),
        "expires" => {
            let entity = entity()?;
            let ttl = design.table_of(entity).and_then(|table| table.ttl.as_ref());
            let expires = ttl.is_some_and(|ttl| entity.attribute(&ttl.text).is_some());
            Ok((Fact::Bool(expires), Kind::Expiry))
        }
        "soft_deletes" => Ok((Fact::Bool(entity()?.deleted.is_some()), Kind::SoftDelete)),
        // An unknown entity is reported by another rule.
        "holds" => {
            let (table, named) = (table()?, second.ok_or("which entity?")?);
            let elsewhere = design.entity(named).is_some_and(|entity| entity.table != table.name);
            Ok((Fact::Bool(!elsewhere), Kind::Other))
        }
        "length" => length(design, first).map(|length| (Fact::Number(length as f64), Kind::Length)),
        "stores" => {
            let (table, attribute) = (table()?, second.ok_or("which attribute?")?);
            let stored = design.entities_in(table).any(|entity| entity.stores(attribute));
            Ok((Fact::Bool(stored), Kind::Other))
        }
        "writes" => {
            let operation =
                design.operation(word).ok_or_else(|| format!("there is no operation `{word}`"))?;
            let wanted = second.ok_or("into which table?")?;
            let writes = actions(operation).into_iter().filter(|site| {
                let into =
                    design.entity(&site.action.entity.text).is_some_and(|entity| entity.table.is(wanted));
                site.action.verb.writes() && into
            });
            Ok((Fact::Number(writes.count() as f64), Kind::Other))
        }
        "tenant_isolated" => {
            let entity = entity()?;
            let isolated =
                entity.tenant.as_ref().is_some_and(|tenant| isolated(design, entity, &tenant.text));
            Ok((Fact::Bool(isolated), Kind::Other))
        }
        "all_times" => {
            let times =
                design.entities.iter().flat_map(|entity| &entity.attributes).filter_map(|attribute| {
                    match &attribute.ty {
                        Type::Time { unit } => Some(unit.describe()),
                        _ => None,
                    }
                });
            let wanted = format!("time({word})");
            Ok((Fact::Bool(times.into_iter().all(|unit| unit == wanted)), Kind::Other))
        }
        other => Err(format!("there is no fact `{other}`")),
    }
}

/// The one duration in the expression that fills the TTL attribute.
fn lifetime(design: &Design, entity: &Entity) -> Result<u64, String> {
    let ttl = design.table_of(entity).and_then(|table| table.ttl.as_ref()).ok_or("its table has no `ttl`")?;
    let attribute = entity.attribute(&ttl.text).ok_or_else(|| format!("it has no `{ttl}`"))?;
    let Some(fill) = &attribute.value else {
        return Ok(0);
    };
    let mut durations = Vec::new();
    fill.value.walk(&mut |expr| durations.extend(expr.as_duration_ms()));
    match durations.as_slice() {
        [] if fill.value.is_name("now") => Ok(0),
        [one] => Ok(*one),
        _ => Err("it has no fixed lifetime".to_owned()),
    }
}

fn length(design: &Design, expr: &Expr) -> Result<u64, String> {
    let ExprKind::Member { base, name } = &expr.kind else {
        return Err("write Entity.attribute".to_owned());
    };
    let entity = base.as_name().and_then(|entity| design.entity(entity)).ok_or("there is no such entity")?;
    let attribute = entity.attribute(&name.text).ok_or_else(|| format!("it has no `{name}`"))?;
    fixed_length(design.type_of(attribute)).ok_or_else(|| "its length is not fixed".to_owned())
}

/// Every key and every index of the entity's table is led by the tenant.
fn isolated(design: &Design, entity: &Entity, tenant: &str) -> bool {
    let Some(table) = design.table_of(entity) else {
        return false;
    };
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    keys.into_iter().all(|key| {
        let slots = key.partition.iter().filter_map(|name| sortkey_design::facts::source(entity, &name.text));
        slots.flat_map(sortkey_design::facts::Source::slots).any(|slot| slot == tenant)
    })
}
