//! `upsert` where there is no item: what it makes, and how it is stored.

use sortkey_value::Map;

use super::Plan;
use super::rules::condition_failed;
use crate::evaluate::{Scope, View};
use crate::values::{Fields, Record, Val};
use crate::write::guards::guards;
use crate::write::image::{checked, complete, fill, stored};
use crate::write::{Act, Answers, Prepared, Test, Write};
use crate::{Failure, FailureKind};

/// `upsert` where nothing live is stored: a whole new item.
pub(super) fn instead(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    key: Map,
    expired: Vec<Fields>,
) -> Result<Prepared, Failure> {
    let info = plan.info;
    let image = match fresh(scope, plan)? {
        Fresh::Item(image) => image,
        Fresh::Impossible(failure) => return Err(failure),
    };
    let changed = Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name));
    if let Some(condition) = plan.condition {
        let before = before(scope, plan)?;
        if !scope.holds(condition, Some(View::of(info.at, &before)))? {
            return Err(condition_failed(scope, plan));
        }
    }
    let mut write = Write::new(info, key.clone(), Act::Put(stored(scope, info, &image)?));
    write.demand(scope, Test::Vacant, changed)?;
    let guards = guards(scope, info, &expired, &image, &key, plan.gone)?;
    let writes = std::iter::once(write).chain(guards).collect();
    let secrets = info.anatomy.secrets.iter().filter(|name| !plan.gives(name)).cloned();
    let shown = secrets.filter(|name| image.contains_key(name)).collect();
    let yields = Val::Item(Box::new(Record { entity: info.at, fields: image, shown }));
    Ok(Prepared { writes, yields, answers: Answers::Nothing, is_exact: true, cascades: None, secrets: None })
}

/// The item that an `upsert` makes if there is none.
pub(super) enum Fresh {
    Item(Fields),
    /// Nothing: a number would leave its range, or a check does not hold. An item that is there may still be changed.
    Impossible(Failure),
}

/// The item that an `upsert` makes where there is none.
pub(super) fn fresh(scope: &Scope<'_>, plan: &Plan<'_>) -> Result<Fresh, Failure> {
    let info = plan.info;
    let mut given = plan.known.clone();
    given.extend(plan.sets().map(|(name, value)| (name.clone(), value.clone())));
    given.retain(|_, value| !value.is_absent());
    owned(scope, plan, &mut given);
    let mut image = fill(scope, info, given, true)?;
    match plan.apply_to_item(scope, &image.clone(), &mut image) {
        Err(failure) if failure.kind == FailureKind::CheckFailed => return Ok(Fresh::Impossible(failure)),
        applied => applied?,
    }
    complete(scope, info, &image, None)?;
    Ok(match checked(scope, info, &image) {
        Ok(()) => Fresh::Item(image),
        Err(failure) => Fresh::Impossible(failure),
    })
}

/// The item that a condition is about where there is none: its key, its tenant and its defaults.
pub(super) fn before(scope: &Scope<'_>, plan: &Plan<'_>) -> Result<Fields, Failure> {
    let mut given = plan.known.clone();
    owned(scope, plan, &mut given);
    fill(scope, plan.info, given, true)
}

/// The tenant of an item that a caller makes is their own.
fn owned(scope: &Scope<'_>, plan: &Plan<'_>, given: &mut Fields) {
    if let (Some(caller), Some(tenant)) = (&scope.caller, plan.info.of(&scope.shared.program).tenant)
        && let Some((name, own)) = caller.entry(plan.info.name_of(tenant.attribute))
    {
        given.get_or_insert_with(name.clone(), || own.clone());
    }
}
