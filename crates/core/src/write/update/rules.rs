//! The demands of a change: the item is there and the caller's, its conditions,
//! the transitions of its states, the ranges of its numbers.

use sortkey_design::model::{FieldOp, Op, WriteVerb};
use sortkey_design::program::{Expr, ExprKind, States, Type};
use sortkey_value::{AttributeValue, Item, Number};

use super::changes::{To, leaves_range, state_set};
use super::expression::start;
use super::fresh::before;
use super::version::version_demands;
use super::{Plan, Write, inside, way};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::values::{Fields, Val, arithmetic};
use crate::write::belongs::{Whose, demand_types};
use crate::write::given::not_found;
use crate::write::{Test, declared};
use crate::{Failure, FailureKind};

/// Demands that every write on an existing item makes.
pub(super) fn base_demands(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    write: &mut Write,
    stored: Option<&Item>,
) -> Result<(), Failure> {
    let info = plan.info;
    let missing = || missing(scope, plan);
    if plan.verb == WriteVerb::Upsert {
        let expired = Failure::new(FailureKind::Conflict, "an expired item is in the way");
        write.demand(scope, Test::NotExpired, expired)?;
    } else {
        write.demand(scope, Test::Exists, missing())?;
        write.demand(scope, Test::NotExpired, missing())?;
    }
    write.demand(scope, Test::NotDeleted, missing())?;
    let may_make = plan.verb == WriteVerb::Upsert;
    Whose { known: &plan.known, stored, may_make }.demand(scope, info, write, &missing())?;
    if let Some(kind) = &info.kind {
        let own = AttributeValue::S(info.name.to_string());
        match plan.verb {
            WriteVerb::Upsert => {
                // Read first, the item that is in the way can be named.
                let other = Failure::new(FailureKind::Conflict, "another item is in the way");
                write.demand(scope, Test::IsOrNothing(kind.clone(), own), other)?
            }
            _ => write.demand(scope, Test::Is(kind.clone(), own), missing())?,
        };
    }
    version_demands(scope, plan, write)
}

/// All demands of a change made without reading; false if one cannot be expressed.
pub(super) fn demand_all(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    write: &mut Write,
    fresh: Option<&Fields>,
) -> Result<bool, Failure> {
    base_demands(scope, plan, write, None)?;
    let whole = plan.changes.iter().filter_map(|change| match change.path.as_slice() {
        [name] => Some(name),
        _ => None,
    });
    demand_types(scope, plan.info, write, whole)?;
    if let Some(condition) = plan.condition {
        // What is asked about is the item before the change: of one that is not there, its key and its defaults.
        let defaults = fresh.map(|_| before(scope, plan)).transpose()?;
        let condition = condition.clone();
        let test = Test::If { condition, defaults, after: None };
        if !write.demand(scope, test, condition_failed(scope, plan))? {
            return Ok(false);
        }
    }
    for (path, to, rule) in plan.transitions(scope) {
        let failure = invalid_transition(&path, &to);
        if plan.verb != WriteVerb::Upsert && !write.demand(scope, Test::condition(&rule), failure)? {
            return Ok(false);
        }
    }
    for (test, failure) in plan.ranges(scope)? {
        write.demand(scope, test, failure)?;
    }
    Ok(true)
}

/// The conditions of a change on an item that was read.
pub(super) fn rules_hold(scope: &Scope<'_>, plan: &Plan<'_>, old: &Fields) -> Result<(), Failure> {
    let view = Some(View::of(plan.info.at, old));
    if let Some(condition) = plan.condition
        && !scope.holds(condition, view)?
    {
        return Err(condition_failed(scope, plan));
    }
    for (path, to, rule) in plan.transitions(scope) {
        if !scope.holds(&rule, view)? {
            return Err(from_state(scope, plan.info, old, invalid_transition(&path, &to)));
        }
    }
    Ok(())
}

/// The failure for a missing item: the statement's own error, unless that belongs to its condition.
pub(super) fn missing(scope: &Scope<'_>, plan: &Plan<'_>) -> Failure {
    let error = plan.error.filter(|_| plan.condition.is_none());
    declared(&scope.shared.program, error, not_found(plan.info))
}

pub(super) fn condition_failed(scope: &Scope<'_>, plan: &Plan<'_>) -> Failure {
    let message = format!("the condition on the {} does not hold", plan.info.name);
    declared(&scope.shared.program, plan.error, Failure::new(FailureKind::CheckFailed, message))
}

fn invalid_transition(path: &str, to: &str) -> Failure {
    let message = format!("`{path}` cannot become `{to}` now");
    Failure::new(FailureKind::InvalidTransition, message).at(path)
}

/// A failure to move, with the state that the item is in and those that it may enter from there.
pub(in crate::write) fn from_state(
    scope: &Scope<'_>,
    info: &EntityInfo,
    item: &Fields,
    failure: Failure,
) -> Failure {
    let shown =
        |states: &&States| failure.field.as_deref() == Some(way(info, &states.path).join(".").as_str());
    let Some(states) = info.of(&scope.shared.program).states.iter().find(shown) else { return failure };
    let now = inside::at(item, &way(info, &states.path)).and_then(Val::as_text);
    let Some(now) = now else { return failure };
    let leads = states.transitions.iter().filter(|each| each.from.iter().any(|from| **from == *now));
    let mut next: Vec<String> = leads.flat_map(|each| &each.to).map(|to| format!("`{to}`")).collect();
    next.dedup();
    let allowed = if next.is_empty() { "nothing".to_owned() } else { next.join(", ") };
    let message = format!("{}: it is `{now}`, and may become {allowed}", failure.message);
    Failure { message, ..failure }
}

impl Plan<'_> {
    /// For every state that is set: where, which, and the moves that lead to it as a condition on the stored item.
    pub(super) fn transitions(&self, scope: &Scope<'_>) -> Vec<(String, String, Expr)> {
        let entity = self.info.of(&scope.shared.program);
        let mut rules = Vec::new();
        for states in &entity.states {
            let Some(state) = state_set(self, states) else { continue };
            let expr = |kind| Expr { kind, ..Expr::default() };
            let mut path = expr(ExprKind::Attribute(states.path.attribute));
            for name in &states.path.inside {
                path = expr(ExprKind::Member { base: Box::new(path), name: name.clone() });
            }
            let binary = |op, left: Expr, right: Expr| {
                expr(ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) })
            };
            let leads = states.transitions.iter().filter(|each| each.to.iter().any(|to| **to == *state));
            let moves = leads.map(|transition| {
                let from = transition.from.iter().map(|word| expr(ExprKind::Word(word.clone())));
                let from = binary(Op::In, path.clone(), expr(ExprKind::List(from.collect())));
                match &transition.condition {
                    Some(condition) => binary(Op::And, from, condition.clone()),
                    None => from,
                }
            });
            let never = || expr(ExprKind::Bool(false));
            let rule = moves.reduce(|left, right| binary(Op::Or, left, right)).unwrap_or_else(never);
            rules.push((way(self.info, &states.path).join("."), state, rule));
        }
        rules
    }

    /// Numbers that grow or shrink stay in the range of their type.
    pub(super) fn ranges(&self, scope: &Scope<'_>) -> Result<Vec<(Test, Failure)>, Failure> {
        let mut tests = Vec::new();
        for change in &self.changes {
            let To::Value(Val::Number(by)) = &change.to else { continue };
            let by = match change.op {
                FieldOp::Add => *by,
                FieldOp::Subtract => by.negated(),
                FieldOp::Set => continue,
            };
            let shown = change.path.join(".");
            let start = start(scope, self.info, change)?;
            let path = change.path.clone();
            let (min, max) = bounds(&change.ty, by);
            let test = match (min, max) {
                (_, Some(max)) if by > Number::ZERO => {
                    arithmetic(Op::Sub, max, by).map(|most| Test::AtMost { path, most, start })
                }
                (Some(min), _) if by < Number::ZERO => {
                    arithmetic(Op::Sub, min, by).map(|least| Test::AtLeast { path, least, start })
                }
                _ => continue,
            };
            tests.push((test.ok_or_else(|| leaves_range(&shown))?, leaves_range(&shown)));
        }
        Ok(tests)
    }
}

/// The least and the greatest value of a number's type: what it declares, otherwise what can be kept. No count by less than
/// 32 bits comes near the end of 64, so it needs no condition.
fn bounds(ty: &Type, by: Number) -> (Option<Number>, Option<Number>) {
    match ty {
        Type::Int { min, max } => {
            let is_large = by.to_i64().is_none_or(|by| by.unsigned_abs() > u64::from(u32::MAX));
            let or_end = |bound: Option<i64>, end: i64| bound.or(is_large.then_some(end)).map(Number::from);
            (or_end(*min, i64::MIN), or_end(*max, i64::MAX))
        }
        Type::Decimal { digits, scale } => {
            let most = format!("{}E-{scale}", "9".repeat(usize::try_from(*digits).unwrap_or(0)));
            let most = Number::parse(&most).ok();
            (most.map(Number::negated), most)
        }
        _ => (None, None),
    }
}
