//! `update`, `upsert` and soft `delete`: one UpdateItem where everything is in hand; otherwise a strong read first, and
//! the condition that what was read is still so.
//!
//! Derived attributes, `when` and templates whose inputs change are recomputed in the same request: no index key is ever
//! stale.

mod changes;
mod conditional;
mod expression;
mod fresh;
mod inside;
mod rules;
mod touch;
mod version;

use std::sync::Arc;

use sortkey_design::model::{FieldOp, Op, WriteVerb};
use sortkey_design::program::{Action, ErrorId, Expr, ExprKind, Path};
use sortkey_value::{Item, Map};

use self::changes::{Change, To};
use self::expression::Expression;
use self::fresh::{Fresh, fresh, instead};
pub(super) use self::rules::from_state;
use self::rules::{base_demands, demand_all, missing, rules_hold};
use self::touch::Touched;
pub(super) use self::version::expected_version;
use super::belongs::agrees;
use super::create::key;
use super::given::{for_storing, key_fields, only_live, only_ours};
use super::guards::guards;
use super::image::{check_failed, checked, complete, fill};
use super::{Act, Answers, Prepared, Secrets, Test, Write};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::read::is_expired;
use crate::session::Session;
use crate::values::{Fields, Val};
use crate::{Failure, FailureKind};

/// A change of one item, before it is known whether the item must be read.
pub(super) struct Plan<'a> {
    pub(super) info: &'a EntityInfo,
    pub(super) verb: WriteVerb,
    /// The attributes that the key gives.
    pub(super) known: Fields,
    pub(super) changes: Vec<Change>,
    pub(super) condition: Option<&'a Expr>,
    pub(super) error: Option<ErrorId>,
    /// Whether the item counts as deleted afterwards, so that its unique values are free again.
    pub(super) gone: bool,
}

pub(super) async fn prepare(
    session: &Session<'_>,
    scope: &mut Scope<'_>,
    action: &Action,
) -> Result<Prepared, Failure> {
    let info = &scope.shared.entities[action.entity];
    let mut known = key_fields(scope, info, action.key.as_ref(), None)?;
    if action.verb == WriteVerb::Upsert {
        known = for_storing(scope, info, known)?;
    }
    only_ours(scope, info, &known)?;
    let changes = changes::gather(scope, info, action, &known)?;
    let plan = Plan {
        info,
        verb: action.verb,
        known,
        changes,
        condition: action.condition.as_ref(),
        error: action.error,
        gone: false,
    };
    prepare_plan(session, scope, plan).await
}

/// Prepares a change, reading the item first if it must be.
pub(super) async fn prepare_plan(
    session: &Session<'_>,
    scope: &mut Scope<'_>,
    mut plan: Plan<'_>,
) -> Result<Prepared, Failure> {
    changes::enter(scope, &mut plan)?;
    changes::count_version(scope, &mut plan);
    let key = key(scope, plan.info, &plan.known)?;
    let touched = Touched::by(scope, &plan);
    if !touched.needs_item()
        && scope.attempt == 0
        && let Some(prepared) = blind(scope, &plan, &touched, key.clone())?
    {
        return Ok(prepared);
    }
    let old = session.get(&plan.info.table, key.clone(), true).await?;
    informed(scope, &plan, &touched, key, old)
}

/// Without reading: everything that changes follows from what is in hand. None if a condition cannot be expressed.
fn blind(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    touched: &Touched<'_>,
    key: Map,
) -> Result<Option<Prepared>, Failure> {
    let info = plan.info;
    let mut write = Write::new(info, key, Act::Check);
    let fresh = match plan.verb {
        WriteVerb::Upsert => match fresh(scope, plan)? {
            Fresh::Item(image) => Some(image),
            // No item can be made this way, but one that is there may be changed.
            Fresh::Impossible(failure) => {
                write.demand(scope, Test::Exists, failure)?;
                None
            }
        },
        _ => None,
    };
    if !demand_all(scope, plan, &mut write, fresh.as_ref())? {
        return Ok(None);
    }
    let mut in_hand = plan.known.clone();
    plan.apply(&mut in_hand, true)?;
    touched.recompute(scope, info, &mut in_hand)?;
    let mut expression = Expression::default();
    for change in plan.changes.iter().filter(|change| !touched.takes_away(change, &in_hand)) {
        expression.change(scope, info, change, &in_hand, plan.verb, &mut write.placeholders)?;
    }
    if !conditional::demand(scope, plan, touched, &in_hand, (&mut write, &mut expression))? {
        return Ok(None);
    }
    for id in touched.attributes() {
        expression.attribute(scope, info, *id, &in_hand, &mut write.placeholders)?;
    }
    for id in touched.templates() {
        let template = &info.of(&scope.shared.program).templates[*id];
        expression.template(scope, info, template, &in_hand, &mut write.placeholders)?;
    }
    if let Some(fresh) = &fresh {
        expression.defaults(scope, info, fresh, &mut write.placeholders)?;
    }
    for check in touched.checks() {
        // Changed attributes are compared with their new values, the others by DynamoDB.
        let test = plan.afterwards(check.condition.clone());
        if !write.demand(scope, test, check_failed(&scope.shared.program, info, check))? {
            return Ok(None);
        }
    }
    write.act = expression.finish();
    if plan.verb == WriteVerb::Upsert {
        // An immutable attribute may have had a value before.
        let attributes = &info.of(&scope.shared.program).attributes;
        let is_kept = |name: &str| attributes.find(name).is_some_and(|id| attributes[id].flags.immutable);
        in_hand.retain(|name, _| !is_kept(name) || plan.known.contains_key(name));
    }
    in_hand.retain(|_, value| !value.is_absent());
    let yields = Val::item(info.at, in_hand);
    let secrets = match &fresh {
        Some(fresh) => Secrets::of(scope, info, fresh, |name| plan.gives(name))?,
        None => None,
    };
    let (answers, is_exact) = (Answers::New, false);
    Ok(Some(Prepared { writes: vec![write], yields, answers, is_exact, cascades: None, secrets }))
}

/// After reading: the new image is computed whole, on condition that its inputs are still what they were.
fn informed(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    touched: &Touched<'_>,
    key: Map,
    stored_item: Option<Item>,
) -> Result<Prepared, Failure> {
    let info = plan.info;
    let is_ours = |item: &Item| info.owns(&scope.shared.program, item);
    let old = match stored_item.as_ref() {
        Some(item) if is_ours(item) => {
            agrees(scope, info, item)?;
            Some(info.read(scope, item)?)
        }
        // The item under the key is of another entity, and is not overwritten.
        Some(item) if plan.verb == WriteVerb::Upsert => return Err(info.in_the_way(item)),
        _ => None,
    };
    let old = match (old, plan.verb) {
        (Some(old), WriteVerb::Upsert) if is_expired(scope, View::of(info.at, &old)) => {
            return instead(scope, plan, key, vec![old]);
        }
        (None, WriteVerb::Upsert) => return instead(scope, plan, key, Vec::new()),
        (Some(old), _) => old,
        (None, _) => return Err(missing(scope, plan)),
    };
    let stored_item = stored_item.unwrap_or_default();
    only_live(scope, info, &old)?;
    let mut write = Write::new(info, key.clone(), Act::Check);
    base_demands(scope, plan, &mut write, Some(&stored_item))?;
    rules_hold(scope, plan, &old)?;
    let mut new = old.clone();
    plan.known.iter().for_each(|(name, value)| {
        new.insert(name.clone(), value.clone());
    });
    plan.apply_to_item(scope, &old, &mut new)?;
    let new = fill(scope, info, new, false)?;
    complete(scope, info, &new, Some(&old))?;
    checked(scope, info, &new)?;
    let changed = || Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name));
    for (test, failure) in plan.ranges(scope)? {
        write.demand(scope, test, failure)?;
    }
    let consulted = touched.consulted(scope, plan);
    let raw = info.decode(&scope.shared.program, &stored_item);
    let rewritten = plan.rewritten(&raw).filter(|name| !consulted.contains(name));
    // An attribute that the item lacked and that is filled now may be filled by another write.
    let is_filled = |name: &&Arc<str>| old.get(name).is_none() && !plan.sets().any(|(set, _)| set == *name);
    let filled = info.anatomy.required.iter().filter(is_filled);
    let mut unchanged: Vec<Arc<str>> = rewritten.chain(filled).chain(&consulted).cloned().collect();
    sortkey_value::order::sort(&mut unchanged);
    unchanged.dedup();
    for name in unchanged {
        let value = stored_item.get(&name).map(|value| value.to_owned());
        write.demand(scope, Test::Unchanged(name, value), changed())?;
    }
    let mut expression = Expression::default();
    let images = (&stored_item, &old, &new);
    expression.difference(scope, info, plan, images, touched.templates(), &mut write.placeholders)?;
    write.act = expression.finish();
    let guards = guards(scope, info, std::slice::from_ref(&old), &new, &key, plan.gone)?;
    // Guards that neither move nor are new stay untouched.
    let kept = super::guards::guards(scope, info, &[], &old, &key, false)?;
    let guards = guards
        .into_iter()
        .filter(|guard| !kept.iter().any(|each| each.key == guard.key && each.act == guard.act));
    let writes: Vec<Write> = std::iter::once(write).chain(guards).collect();
    // A count starts from the value at the time of the write.
    let is_exact = plan.changes.iter().all(|change| change.op == FieldOp::Set);
    let yields = Val::item(info.at, new);
    Ok(Prepared { writes, yields, answers: Answers::New, is_exact, cascades: None, secrets: None })
}

impl Plan<'_> {
    /// The attributes that are set as a whole, with values in hand.
    fn sets(&self) -> impl Iterator<Item = (&Arc<str>, &Val)> {
        self.changes.iter().filter_map(|change| match (&change.to, change.path.as_slice()) {
            (To::Value(value), [name]) if change.op == FieldOp::Set => Some((name, value)),
            _ => None,
        })
    }

    /// A condition on the item as it will be, as far as that is in hand.
    fn afterwards(&self, condition: Expr) -> Test {
        let after = self.sets().map(|(name, value)| (name.clone(), value.clone())).collect();
        Test::If { condition, defaults: None, after: Some(after) }
    }

    /// Puts what is set as a whole into an image.
    fn apply(&self, image: &mut Fields, keep_absent: bool) -> Result<(), Failure> {
        for (name, value) in self.sets() {
            match value.is_absent() && !keep_absent {
                true => drop(image.remove(name)),
                false => image.insert(name.clone(), value.clone()),
            }
        }
        Ok(())
    }
}

/// `deleted when status = deleted`, as the change that deletes.
pub(super) fn remove_by(
    scope: &Scope<'_>,
    info: &EntityInfo,
    deleted: &Expr,
) -> Result<Vec<Change>, Failure> {
    let unclear = || Failure::internal(format!("`deleted when` of {} is not of the form a = b", info.name));
    let ExprKind::Binary { op: Op::Eq, left, right } = &deleted.kind else { return Err(unclear()) };
    let ExprKind::Attribute(id) = left.kind else { return Err(unclear()) };
    let attribute = &info.of(&scope.shared.program).attributes[id];
    let value = scope.eval(right, None)?;
    let (path, ty) = (vec![attribute.name.clone()], Arc::clone(&attribute.ty));
    Ok(vec![Change { attribute: id, path, op: FieldOp::Set, to: To::Value(value), ty }])
}

/// The names on a way into an item.
fn way(info: &EntityInfo, path: &Path) -> Vec<Arc<str>> {
    std::iter::once(info.name_of(path.attribute)).chain(&path.inside).cloned().collect()
}
