//! The demands of a change: the item is there and the caller's, its conditions,
//! the transitions of its states, the ranges of its numbers.

use sortkey_design::model::{FieldOp, Op, WriteVerb};
use sortkey_design::program::{Expr, ExprKind, States, Type};
use sortkey_value::{AttributeValue, Item};

use super::changes::{To, leaves_range, state_set};
use super::expression::start;
use super::version::version_demands;
use super::{Plan, Write, inside, way};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::values::{Fields, Val};
use crate::write::given::{not_found, own_tenant};
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
    let entity = info.of(&scope.shared.program);
    let missing = || missing(scope, plan);
    if plan.verb == WriteVerb::Upsert {
        let expired = Failure::new(FailureKind::Conflict, "an expired item is in the way");
        write.demand(scope, Test::NotExpired, expired)?;
    } else {
        write.demand(scope, Test::Exists, missing())?;
        write.demand(scope, Test::NotExpired, missing())?;
    }
    write.demand(scope, Test::NotDeleted, missing())?;
    if let (Some(_), Some(tenant)) = (&scope.caller, entity.tenant)
        && let name = info.name_of(tenant.attribute)
        && !plan.known.contains_key(name)
    {
        let own = own_tenant(scope, info, tenant.attribute)?;
        let test = match plan.verb {
            // Only a key of the item tells whose it is.
            _ if stored.is_some_and(|item| item.get(name).is_none()) => Test::Unchanged(name.clone(), None),
            WriteVerb::Upsert => Test::IsOrNothing(name.clone(), own),
            _ => Test::Is(name.clone(), own),
        };
        write.demand(scope, test, missing())?;
    }
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
    if let Some(condition) = plan.condition {
        let (condition, defaults) = (condition.clone(), fresh.cloned());
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
        let entity = self.info.of(&scope.shared.program);
        let mut tests = Vec::new();
        for change in &self.changes {
            let (Type::Int { min, max }, To::Value(value)) = (&*change.ty, &change.to) else { continue };
            let delta = match (change.op, value.as_integer()) {
                (FieldOp::Add, Some(delta)) => delta,
                (FieldOp::Subtract, Some(delta)) => delta.saturating_neg(),
                _ => continue,
            };
            let shown = change.path.join(".");
            let failure = || leaves_range(&shown);
            let whole = change.path.len() == 1;
            let attribute = Some(&entity.attributes[change.attribute]).filter(|_| whole);
            let start = start(scope, attribute)?.to_i64().unwrap_or(0);
            let path = change.path.clone();
            match (min, max) {
                (_, Some(max)) if delta > 0 => {
                    tests.push((Test::AtMost { path, most: max.saturating_sub(delta), start }, failure()));
                }
                (Some(min), _) if delta < 0 => {
                    tests.push((Test::AtLeast { path, least: min.saturating_sub(delta), start }, failure()));
                }
                _ => {}
            }
        }
        Ok(tests)
    }
}
