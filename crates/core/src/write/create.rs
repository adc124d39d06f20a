//! `create` and `put`: a whole item, with its guards.

use std::sync::Arc;

use sortkey_api::operations::PutItemInput;
use sortkey_api::shapes::returns::ReturnValuesOnConditionCheckFailure;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::Action;
use sortkey_plan::{AttributeSet, Change, effects};
use sortkey_value::{AttributeValue, Item, ItemBuilder, Map, ValueRef};

use super::belongs::Whose;
use super::given::not_found;
use super::guards::guards;
use super::image::{checked, complete, fill, stored};
use super::refer::refer;
use super::refusal::refused;
use super::{Act, Answers, Prepared, Refusal, Test, Write, declared, given, send};
use crate::catalog::EntityInfo;
use crate::condition::{Compiler, Placeholders};
use crate::evaluate::{Scope, View};
use crate::read::{add_virtual, computes, fixed, is_ours};
use crate::session::Session;
use crate::values::{Admit, Fields, Record, Val};
use crate::{Failure, FailureKind};

/// A new item, filled and checked.
pub(crate) struct Made {
    /// All attributes, those included that are never stored.
    pub(super) fields: Fields,
    /// Secrets that were generated, not given.
    generated: Vec<Arc<str>>,
}

/// A new item of attributes that have been admitted, none of them absent: filled in, checked, and as it is stored.
pub(crate) fn new_item(scope: &Scope<'_>, info: &EntityInfo, given: Fields) -> Result<(Made, Item), Failure> {
    let made = finish(scope, info, given)?;
    let item = stored(scope, info, &made.fields)?;
    for name in info.parts() {
        match item.get(name) {
            None => return Err(lacks(info, name)),
            Some(ValueRef::S("")) => return Err(empty(name)),
            Some(_) => {}
        }
    }
    Ok((made, item))
}

/// The key of an item.
fn key_of(info: &EntityInfo, item: &Item) -> Item {
    let mut key = ItemBuilder::with_capacity(ROOM_BYTES, 2);
    for name in info.parts() {
        if let Some(value) = item.get(name) {
            key.name(name);
            key.value(value);
        }
    }
    key.finish()
}

/// Stores a new item that nothing else depends on. Nearly all are stored at once, so that the demands of the write are put
/// together only if it is refused.
pub(crate) async fn store_new(
    session: &Session<'_>,
    scope: &Scope<'_>,
    info: &EntityInfo,
    action: &Action,
    item: Item,
) -> Result<(), Refusal> {
    let Some(vacant) = info.vacant.as_ref().filter(|_| !session.is_fenced()) else {
        let write = placed(scope, info, action, item)?;
        return send(session, scope, vec![write], Answers::Nothing).await.map(drop);
    };
    let (names, values) = vacant.placeholders.clone().into_parts();
    let sent = session.put(PutItemInput {
        table_name: info.table.clone(),
        item: item.clone().into(),
        condition_expression: Some(vacant.text.clone()),
        expression_attribute_names: names,
        expression_attribute_values: values,
        return_values_on_condition_check_failure: Some(ReturnValuesOnConditionCheckFailure::AllOld),
        ..PutItemInput::default()
    });
    match sent.await {
        Ok(_) => {
            session.wrote_something();
            Ok(())
        }
        Err(error) => Err(refused(scope, &placed(scope, info, action, item)?, error)?),
    }
}

/// Room for most keys.
const ROOM_BYTES: usize = 192;

/// The write that stores a new item. A `create` finds no such item.
fn placed(scope: &Scope<'_>, info: &EntityInfo, action: &Action, item: Item) -> Result<Write, Failure> {
    let mut write = Write::new(info, key_of(info, &item), Act::Put(item));
    if action.verb == WriteVerb::Create {
        let taken = info.taken.clone();
        let error = action.error.filter(|_| action.condition.is_none());
        write.demand(scope, Test::Vacant, declared(&scope.shared.program, error, taken))?;
    }
    Ok(write)
}

pub(super) async fn prepare(
    session: &Session<'_>,
    scope: &mut Scope<'_>,
    action: &Action,
) -> Result<Prepared, Failure> {
    let info = &scope.shared.entities[action.entity];
    let mut given = given::given_fields(scope, info, action)?;
    if let Some(key) = &action.key {
        given.extend(given::key_fields(scope, info, Some(key), None)?);
    }
    for field in &action.fields {
        if !field.path.inside.is_empty() || field.element.is_some() {
            return Err(Failure::internal("a new item is given by whole attributes"));
        }
        let value = given::unsealed(scope, scope.eval(&field.value, None)?)?;
        given.insert(info.name_of(field.path.attribute).clone(), value);
    }
    refer(session, scope, info, &given).await?;
    let (made, placed_item) = new_item(scope, info, admitted(scope, info, given)?)?;
    let mut write = placed(scope, info, action, placed_item)?;
    let undecided = undecided(scope, info, action)?;
    let (mut consulted, mut frees) = (undecided.clone().unwrap_or_default(), false);
    if action.verb == WriteVerb::Put {
        let whose = Whose { known: &made.fields, stored: None, may_make: true };
        whose.demand(scope, info, &mut write, &not_found(info))?;
        let change = Change { verb: action.verb, ..Change::default() };
        let effects = effects(&scope.shared.program, info.at, &change);
        frees = !effects.needs.is_empty();
        if frees {
            consulted.join(&effects.consults);
        }
    }
    let old = match frees || undecided.is_some() {
        true => replaced(session, scope, info, &consulted, &mut write).await?,
        false => Vec::new(),
    };
    if let Some(condition) = &action.condition {
        let failure = Failure::new(FailureKind::CheckFailed, "the condition of the statement does not hold");
        let failure = declared(&scope.shared.program, action.error, failure);
        let holds = match &undecided {
            None => write.demand(scope, Test::condition(condition), failure.clone())?,
            Some(_) => {
                let nothing = Fields::new();
                let old = old.first().unwrap_or(&nothing);
                scope.holds(condition, Some(View::of(info.at, old)))?
            }
        };
        if !holds {
            return Err(failure);
        }
    }
    let freed = if frees { old } else { Vec::new() };
    let owner = write.key.to_map();
    let guards = guards(scope, info, &freed, &made.fields, &owner, false)?;
    let writes = std::iter::once(write).chain(guards).collect();
    let yields = shown(scope, info, made)?;
    Ok(Prepared { writes, yields, answers: Answers::Nothing, is_exact: true, cascades: None, secrets: None })
}

fn lacks(info: &EntityInfo, name: &str) -> Failure {
    Failure::internal(format!("the key of {} lacks `{name}`", info.name))
}

fn empty(name: &str) -> Failure {
    Failure::invalid(name, format!("`{name}` is part of the key and cannot be empty"))
}

/// Attributes of a new item that a statement gives, as what they are declared to be.
fn admitted(scope: &Scope<'_>, info: &EntityInfo, given: Fields) -> Result<Fields, Failure> {
    let entity = info.of(&scope.shared.program);
    let admit = Admit::computed(scope);
    let mut admitted = Fields::with_capacity(info.anatomy.attributes().len());
    for (name, value) in given {
        let Some(id) = entity.attributes.find(&name) else {
            return Err(Failure::invalid(&*name, format!("{} has no `{name}`", info.name)));
        };
        let attribute = &entity.attributes[id];
        if attribute.is_derived() && !info.is_key(id) {
            return Err(Failure::invalid(&*name, format!("`{name}` is derived and cannot be given")));
        }
        let value = admit.attribute(attribute, value, &name)?;
        if !value.is_absent() {
            admitted.insert(name, value);
        }
    }
    Ok(admitted)
}

/// The image of an item that is given by values which have not been admitted.
#[cfg(test)]
pub(super) fn make(scope: &Scope<'_>, info: &EntityInfo, given: Fields) -> Result<Made, Failure> {
    finish(scope, info, admitted(scope, info, given)?)
}

/// Fills in missing attributes and checks all. Given values have been admitted, and none is absent.
fn finish(scope: &Scope<'_>, info: &EntityInfo, mut given: Fields) -> Result<Made, Failure> {
    tenant(scope, info, &mut given)?;
    let secrets = info.anatomy.secrets.iter();
    let generated = secrets.filter(|name| !given.contains_key(name)).cloned().collect();
    let fields = fill(scope, info, given, true)?;
    complete(scope, info, &fields, None)?;
    checked(scope, info, &fields)?;
    Ok(Made { fields, generated })
}

/// A caller makes items of their own: the tenant is filled in, and no other is accepted.
fn tenant(scope: &Scope<'_>, info: &EntityInfo, fields: &mut Fields) -> Result<(), Failure> {
    let entity = info.of(&scope.shared.program);
    let (Some(caller), Some(tenant)) = (&scope.caller, entity.tenant) else { return Ok(()) };
    let tenant = &entity.attributes[tenant.attribute].name;
    if !fields.contains_key(tenant)
        && let Some((name, own)) = caller.entry(tenant)
    {
        fields.insert(name.clone(), own.clone());
        return Ok(());
    }
    match is_ours(scope, View::of(info.at, fields)) {
        true => Ok(()),
        false => {
            Err(Failure::new(FailureKind::Forbidden, format!("`{tenant}` is not the caller's")).at(&**tenant))
        }
    }
}

/// The table key of an image.
pub(super) fn key(scope: &Scope<'_>, info: &EntityInfo, fields: &Fields) -> Result<Map, Failure> {
    let program = &scope.shared.program;
    let entity = info.of(program);
    let mut key = Map::new();
    for part in entity.key.parts() {
        let name = &part.stored;
        let value = fixed(program, entity, part, fields).ok_or_else(|| lacks(info, name))?;
        if matches!(&value, AttributeValue::S(text) if text.is_empty()) {
            return Err(empty(name));
        }
        key.insert(name.to_string(), value);
    }
    Ok(key)
}

/// The attributes of a condition that DynamoDB cannot decide, so that the item is read for it.
fn undecided(scope: &Scope<'_>, info: &EntityInfo, action: &Action) -> Result<Option<AttributeSet>, Failure> {
    let Some(condition) = &action.condition else { return Ok(None) };
    let compiled = Compiler::new(scope, info.at).compile(condition, &mut Placeholders::default())?;
    let attributes = &info.of(&scope.shared.program).attributes;
    Ok(compiled.is_none().then(|| attributes.deciding(condition).into_iter().collect()))
}

/// What a new item replaces: it is read for its guards or for a condition, and must still be what was read.
async fn replaced(
    session: &Session<'_>,
    scope: &Scope<'_>,
    info: &EntityInfo,
    consulted: &AttributeSet,
    write: &mut Write,
) -> Result<Vec<Fields>, Failure> {
    let old = session.get(&info.table, write.key.clone(), true).await?;
    let changed = || Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name));
    let entity = info.of(&scope.shared.program);
    for id in consulted.iter().filter(|id| entity.attributes[*id].is_stored()) {
        let name = info.name_of(id);
        let value = old.as_ref().and_then(|item| item.get(name)).map(|value| value.to_owned());
        write.demand(scope, Test::Unchanged(name.clone(), value), changed())?;
    }
    old.iter().map(|item| info.read(scope, item)).collect()
}

/// The result of `create`: the item, with secrets that were generated just now, without those that were given.
fn shown(scope: &Scope<'_>, info: &EntityInfo, made: Made) -> Result<Val, Failure> {
    let entity = info.of(&scope.shared.program);
    let Made { mut fields, generated } = made;
    fields.retain(|name, _| {
        let flags = entity.attributes.find(name).map(|id| entity.attributes[id].flags);
        let given_secret = flags.is_some_and(|flags| flags.transient && flags.secret)
            && !generated.iter().any(|each| **each == *name);
        !given_secret
    });
    computes(scope, info, &fields)?;
    add_virtual(scope, info, &mut fields)?;
    Ok(Val::Item(Box::new(Record { entity: info.at, fields, shown: generated })))
}
