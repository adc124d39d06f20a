//! `update`, `upsert` and soft `delete`: one UpdateItem where everything is in hand; otherwise a strong read first, and
//! the condition that what was read is still so.
//!
//! Derived attributes, `when` and templates whose inputs change are recomputed in the same request: no index key is ever
//! stale.

mod changes;
mod expression;
mod inside;
mod touch;

use sortkey_design::model::*;
use sortkey_value::{Item, Map};

use self::changes::{Change, To};
use self::expression::Expression;
use self::touch::Touched;
use super::create::{guards, key};
use super::given::{key_fields, not_found, only_live, only_ours};
use super::image::{check_failed, checked, complete, fill, stored};
use super::{Act, Answers, Prepared, Test, Write, declared};
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
    pub(super) error: Option<&'a Name>,
    /// Whether the item counts as deleted afterwards, so that its unique values are free again.
    pub(super) gone: bool,
}

pub(super) async fn prepare(
    session: &Session<'_>,
    scope: &mut Scope<'_>,
    at: usize,
    action: &Action,
    short: Option<&ShortForm>,
) -> Result<Prepared, Failure> {
    let info = &scope.shared.entities[at];
    let known = key_fields(scope, info, action.key.as_ref(), None)?;
    only_ours(scope, info, &known)?;
    let changes = changes::gather(scope, info, action, short, &known)?;
    let plan = Plan {
        info,
        verb: action.verb,
        known,
        changes,
        condition: action.condition.as_ref(),
        error: action.error.as_ref(),
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
    if !touched.needs_item
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
        WriteVerb::Upsert => Some(fresh(scope, plan)?),
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
        expression.change(scope, info, change, &in_hand, fresh.as_ref(), &mut write.placeholders)?;
    }
    for attribute in &touched.attributes {
        expression.attribute(scope, info, attribute, &in_hand, &mut write.placeholders)?;
    }
    for template in &touched.templates {
        expression.template(scope, info, template, &in_hand, &mut write.placeholders)?;
    }
    if let Some(fresh) = &fresh {
        expression.defaults(scope, info, fresh, &mut write.placeholders)?;
    }
    for check in &touched.checks {
        // What changes is put in as it will be; the rest DynamoDB compares as it is.
        let mut after = scope.bare();
        plan.sets().for_each(|(name, value)| after.set(name, value.clone()));
        let test = Test::If(check.condition.clone(), None);
        if !write.demand(&after, test, check_failed(info, check))? {
            return Ok(None);
        }
    }
    write.act = expression.finish();
    let mut yields = fresh.unwrap_or_default();
    yields.extend(in_hand);
    let yields = Val::item(info.at, yields);
    Ok(Some(Prepared { writes: vec![write], yields, answers: Answers::New, cascades: None }))
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
    let old = stored_item.as_ref().map(|item| info.decode(&scope.shared.design, item));
    let old = match (old, plan.verb) {
        (Some(old), WriteVerb::Upsert) if is_expired(scope, View::of(info.at, &old)) => {
            return instead(scope, plan, key, vec![old]);
        }
        (None, WriteVerb::Upsert) => return instead(scope, plan, key, Vec::new()),
        (Some(old), _) => old,
        (None, _) => return Err(declared(plan.error.filter(|_| plan.condition.is_none()), not_found(info))),
    };
    only_live(scope, info, &old)?;
    let mut write = Write::new(info, key.clone(), Act::Check);
    base_demands(scope, plan, &mut write)?;
    rules_hold(scope, plan, &old)?;
    let mut new = old.clone();
    plan.known.iter().for_each(|(name, value)| {
        new.insert(name.clone(), value.clone());
    });
    plan.apply_to_item(scope, &old, &mut new)?;
    let new = fill(scope, info, new, false)?;
    complete(scope, info, &new)?;
    checked(scope, info, &new)?;
    let changed = || Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name));
    for (test, failure) in plan.ranges() {
        write.demand(scope, test, failure)?;
    }
    let consulted = touched.consulted(scope, plan);
    let rewritten = plan.rewritten(&old).filter(|name| !consulted.iter().any(|each| each == name));
    let unchanged: Vec<String> = rewritten.map(str::to_owned).chain(consulted.iter().cloned()).collect();
    for name in unchanged {
        let value = stored_item.as_ref().and_then(|item| item.get(&name)).map(|value| value.to_owned());
        write.demand(scope, Test::Unchanged(name, value), changed())?;
    }
    let mut expression = Expression::default();
    expression.difference(scope, info, plan, (&old, &new), &mut write.placeholders)?;
    write.act = expression.finish();
    let guards = guards(scope, info, std::slice::from_ref(&old), &new, &key, plan.gone)?;
    // Guards that neither move nor are new stay untouched.
    let kept = super::create::guards(scope, info, &[], &old, &key, false)?;
    let guards = guards
        .into_iter()
        .filter(|guard| !kept.iter().any(|each| each.key == guard.key && each.act == guard.act));
    let writes: Vec<Write> = std::iter::once(write).chain(guards).collect();
    Ok(Prepared { writes, yields: Val::item(info.at, new), answers: Answers::New, cascades: None })
}

/// `upsert` where nothing live is stored: a whole new item.
fn instead(scope: &Scope<'_>, plan: &Plan<'_>, key: Map, expired: Vec<Fields>) -> Result<Prepared, Failure> {
    let info = plan.info;
    let image = fresh(scope, plan)?;
    let changed = Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name));
    if let Some(condition) = plan.condition
        && !scope.holds(condition, Some(View::of(info.at, &image)))?
    {
        return Err(condition_failed(plan));
    }
    let mut write = Write::new(info, key.clone(), Act::Put(stored(scope, info, &image)?));
    write.demand(scope, Test::Vacant, changed)?;
    let guards = guards(scope, info, &expired, &image, &key, plan.gone)?;
    let writes = std::iter::once(write).chain(guards).collect();
    Ok(Prepared { writes, yields: Val::item(info.at, image), answers: Answers::Nothing, cascades: None })
}

/// The item that an `upsert` makes where there is none.
fn fresh(scope: &Scope<'_>, plan: &Plan<'_>) -> Result<Fields, Failure> {
    let info = plan.info;
    let mut given = plan.known.clone();
    given.extend(plan.sets().map(|(name, value)| (name.to_owned(), value.clone())));
    given.retain(|_, value| !value.is_absent());
    if let (Some(caller), Some(tenant)) = (&scope.caller, &info.of(&scope.shared.design).tenant)
        && let Some(own) = caller.get(&tenant.text)
    {
        given.get_or_insert_with(tenant.text.as_str(), || own.clone());
    }
    let mut image = fill(scope, info, given, true)?;
    plan.apply_to_item(scope, &image.clone(), &mut image)?;
    complete(scope, info, &image)?;
    checked(scope, info, &image)?;
    Ok(image)
}

/// Demands that every write on an existing item makes.
fn base_demands(scope: &Scope<'_>, plan: &Plan<'_>, write: &mut Write) -> Result<(), Failure> {
    let info = plan.info;
    let entity = info.of(&scope.shared.design);
    let missing = || declared(plan.error.filter(|_| plan.condition.is_none()), not_found(info));
    if plan.verb == WriteVerb::Upsert {
        let expired = Failure::new(FailureKind::Conflict, "an expired item is in the way");
        write.demand(scope, Test::NotExpired, expired)?;
    } else {
        write.demand(scope, Test::Exists, missing())?;
        write.demand(scope, Test::NotExpired, missing())?;
    }
    write.demand(scope, Test::NotDeleted, missing())?;
    if let (Some(caller), Some(tenant)) = (&scope.caller, &entity.tenant)
        && !plan.known.contains_key(&tenant.text)
    {
        let own =
            caller.get(&tenant.text).and_then(|own| info.encode(&scope.shared.design, &tenant.text, own));
        let own = own.ok_or_else(|| {
            Failure::new(FailureKind::Unauthenticated, format!("the caller has no `{tenant}`"))
        })?;
        let test = match plan.verb {
            WriteVerb::Upsert => Test::IsOrNothing(tenant.text.clone(), own),
            _ => Test::Is(tenant.text.clone(), own),
        };
        write.demand(scope, test, missing())?;
    }
    changes::version_demands(scope, plan, write)
}

/// All demands of a change made without reading; false if one cannot be expressed.
fn demand_all(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    write: &mut Write,
    fresh: Option<&Fields>,
) -> Result<bool, Failure> {
    base_demands(scope, plan, write)?;
    if let Some(condition) = plan.condition
        && !write.demand(scope, Test::If(condition.clone(), fresh.cloned()), condition_failed(plan))?
    {
        return Ok(false);
    }
    for (path, rule) in plan.transitions(scope) {
        let failure = invalid_transition(&path);
        if plan.verb != WriteVerb::Upsert && !write.demand(scope, Test::Rule(rule), failure)? {
            return Ok(false);
        }
    }
    for (test, failure) in plan.ranges() {
        write.demand(scope, test, failure)?;
    }
    Ok(true)
}

/// The conditions of a change on an item that was read.
fn rules_hold(scope: &Scope<'_>, plan: &Plan<'_>, old: &Fields) -> Result<(), Failure> {
    let view = Some(View::of(plan.info.at, old));
    if let Some(condition) = plan.condition
        && !scope.holds(condition, view)?
    {
        return Err(condition_failed(plan));
    }
    let bare = scope.bare();
    for (path, rule) in plan.transitions(scope) {
        if !bare.holds(&rule, view)? {
            return Err(invalid_transition(&path));
        }
    }
    Ok(())
}

fn condition_failed(plan: &Plan<'_>) -> Failure {
    let message = format!("the condition on the {} does not hold", plan.info.name);
    declared(plan.error, Failure::new(FailureKind::CheckFailed, message))
}

fn invalid_transition(path: &str) -> Failure {
    Failure::new(FailureKind::InvalidTransition, format!("`{path}` does not allow this move")).at(path)
}

impl Plan<'_> {
    /// The attributes that are set as a whole, with values in hand.
    fn sets(&self) -> impl Iterator<Item = (&str, &Val)> {
        self.changes.iter().filter_map(|change| match (&change.to, change.path.as_slice()) {
            (To::Value(value), [name]) if change.op == FieldOp::Set => Some((name.as_str(), value)),
            _ => None,
        })
    }

    /// Puts what is set as a whole into an image.
    fn apply(&self, image: &mut Fields, keep_absent: bool) -> Result<(), Failure> {
        for (name, value) in self.sets() {
            match value.is_absent() && !keep_absent {
                true => drop(image.remove(name)),
                false => image.insert(name, value.clone()),
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
    let design = &scope.shared.design;
    let unclear = || Failure::internal(format!("`deleted when` of {} is not of the form a = b", info.name));
    let ExprKind::Binary { op: Op::Eq, left, right } = &deleted.kind else { return Err(unclear()) };
    let name = left.as_name().ok_or_else(unclear)?;
    let attribute = info.of(design).attribute(name).ok_or_else(unclear)?;
    let value = scope.bare().eval(right, None)?;
    let ty = design.type_of(attribute).clone();
    Ok(vec![Change { path: vec![name.to_owned()], op: FieldOp::Set, to: To::Value(value), ty }])
}
