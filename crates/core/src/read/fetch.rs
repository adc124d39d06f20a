//! Items by their keys: one, or batches of a hundred.

use std::sync::Arc;

use sortkey_api::StringMap;
use sortkey_api::operations::BatchGetItemInput;
use sortkey_api::shapes::batch::KeysAndAttributes;
use sortkey_design::program::{Attribute, AttributeId, Entity, UniqueId};
use sortkey_plan::Way;
use sortkey_value::{AttributeValue, Item, Map, ValueRef};

use super::keys::fixed;
use super::{Hit, Read};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::proof::Asks;
use crate::session::Session;
use crate::values::{Fields, Known, Lookup};
use crate::{Failure, FailureKind, guard};

/// How often keys that a batch left out are asked for again.
const ROUNDS: usize = 8;

impl Read {
    /// One item: by its key, through a guard, or the first that an index gives.
    pub(super) async fn get(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        branches: &[Known<'_>],
    ) -> Result<Option<Hit>, Failure> {
        for known in branches {
            let found = match self.plan.path.way {
                Way::Guard(unique) => self.through_guard(session, scope, known, unique).await?,
                _ => match self.table_key(scope, known) {
                    Some(key) => match session.get(&self.table, key, self.plan.strong).await? {
                        Some(item) => {
                            self.admitted(scope, &self.sieve(scope, std::slice::from_ref(known)), item)?
                        }
                        None => None,
                    },
                    None => {
                        let one = vec![known.clone()];
                        let page = self.page(session, scope, one, Some(1), super::Paging::default()).await?;
                        page.0.into_iter().next()
                    }
                },
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The guard holds its owner's key. The owner is checked again: a guard outlives an owner that expired.
    async fn through_guard(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        known: &Known<'_>,
        unique: UniqueId,
    ) -> Result<Option<Hit>, Failure> {
        let info = self.entity(scope);
        let entity = info.of(&scope.shared.program);
        let clause = &entity.uniques[unique];
        let Some(guard_key) = guard::key(scope, info, unique, &known.fields(entity)) else { return Ok(None) };
        let strong = self.plan.strong;
        let Some(guard) = session.get(&self.table, guard_key, strong).await? else { return Ok(None) };
        let Some(owner) = guard::owner(info, &guard) else { return Ok(None) };
        let Some(item) = session.get(&self.table, owner, strong).await? else { return Ok(None) };
        let found = self.admitted(scope, &self.sieve(scope, &[]), item)?;
        Ok(found.filter(|hit| {
            let same = |id: &_| hit.view().get(scope.shared, *id).as_deref() == known.value(entity, *id);
            clause.attributes.iter().all(same)
        }))
    }

    /// The whole items of which an index gave the keys, in the same order.
    pub(super) async fn fetch(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        found: &[Item],
    ) -> Result<Vec<Option<Item>>, Failure> {
        let info = self.entity(scope);
        let keys: Vec<Map> = found.iter().map(|item| info.key_of(item)).collect();
        items(session, info, &keys, self.plan.strong).await
    }

    /// `then get E`: the items that the found ones point to, each once. Attributes that are `@virtual` there and stored here
    /// under the same name come from the item that led to it.
    pub(super) async fn then(
        &self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        found: Vec<Hit>,
    ) -> Result<Vec<Hit>, Failure> {
        let Some(then) = self.pattern.then else { return Ok(found) };
        let from = self.entity(scope).of(&scope.shared.program);
        let info = &scope.shared.entities[then];
        let carried = carried(from, info.of(&scope.shared.program));
        let mut keys: Vec<Map> = Vec::new();
        let mut leading: Vec<&Hit> = Vec::new();
        for hit in &found {
            let known = pointed_at(scope, from, info, hit.view());
            if let Some(key) = key_of(scope, info, &known)
                && !keys.contains(&key)
            {
                keys.push(key);
                leading.push(hit);
            }
        }
        let mut answers = Vec::new();
        for (item, leading) in items(session, info, &keys, self.plan.strong).await?.into_iter().zip(leading) {
            let Some(mut hit) = item.map(|item| live(scope, info, item)).transpose()?.flatten() else {
                continue;
            };
            if let Hit::Decoded(record) = &mut hit {
                for (id, name) in &carried {
                    let value = leading.view().get(scope.shared, *id);
                    record.fields.extend(value.map(|value| (name.clone(), value.into_owned())));
                }
            }
            answers.push(hit);
        }
        Ok(answers)
    }
}

/// The attributes of an item that `then get` takes along: those that are `@virtual` in the other entity, of the same type.
pub(super) fn carried(from: &Entity, to: &Entity) -> Vec<(AttributeId, Arc<str>)> {
    let computed = to.attributes.iter().filter(|attribute| attribute.flags.computed);
    let same = |attribute: &Attribute| {
        let id = from.attributes.find(&attribute.name)?;
        (from.attributes[id].ty == attribute.ty).then(|| (id, attribute.name.clone()))
    };
    computed.filter_map(same).collect()
}

/// The attributes of another entity's key that an item gives: by reference, or by the same name.
fn pointed_at(scope: &Scope<'_>, from: &Entity, to: &EntityInfo, item: View<'_>) -> Fields {
    let mut known = Fields::new();
    for key in &to.keys {
        let name = to.name_of(*key);
        let refers = |(_, attribute): &(_, &Attribute)| {
            attribute.reference.is_some_and(|each| each.entity == to.at && each.attribute == *key)
        };
        let by_reference = from.attributes.entries().find(refers).map(|(id, _)| id);
        let from = by_reference.or_else(|| from.attributes.find(name));
        if let Some(value) = from.and_then(|id| item.get(scope.shared, id)) {
            known.insert(name.clone(), value.into_owned());
        }
    }
    known
}

/// The table key of an item of an entity, if the known attributes determine it.
pub(crate) fn key_of(scope: &Scope<'_>, info: &EntityInfo, known: &Fields) -> Option<Map> {
    let program = &scope.shared.program;
    let entity = info.of(program);
    let mut key = Map::new();
    for part in entity.key.parts() {
        key.insert(part.stored.to_string(), fixed(program, entity, part, known)?);
    }
    Some(key)
}

/// The item that the caller may see, if it is live.
pub(crate) fn live(scope: &Scope<'_>, info: &EntityInfo, item: Item) -> Result<Option<Hit>, Failure> {
    let item = info.visible(scope, item, Asks::default())?;
    item.map(|item| Hit::stored(scope, info, item)).transpose()
}

/// Items by keys, in the order of the keys; a single one by GetItem.
pub async fn items(
    session: &Session<'_>,
    info: &EntityInfo,
    keys: &[Map],
    strong: bool,
) -> Result<Vec<Option<Item>>, Failure> {
    if let [key] = keys {
        return Ok(vec![session.get(&info.table, key.clone(), strong).await?]);
    }
    let mut found: Vec<Item> = Vec::with_capacity(keys.len());
    for chunk in keys.chunks(100) {
        let mut wanted: Vec<Map> = chunk.to_vec();
        for round in 0.. {
            let request = KeysAndAttributes {
                keys: wanted.iter().map(|key| key.clone().into()).collect(),
                consistent_read: strong.then_some(true),
                ..KeysAndAttributes::default()
            };
            let request_items: StringMap<KeysAndAttributes> =
                [(info.table.name(), request)].into_iter().collect();
            let output = session
                .batch_get(BatchGetItemInput { request_items, ..BatchGetItemInput::default() })
                .await?;
            found.extend(output.responses.into_iter().flatten().flat_map(|(_, items)| items));
            wanted = output
                .unprocessed_keys
                .into_iter()
                .flatten()
                .flat_map(|(_, left)| left.keys)
                .map(|key| key.unchecked().to_map())
                .collect();
            if wanted.is_empty() {
                break;
            }
            if round >= ROUNDS {
                return Err(Failure::new(FailureKind::Throttled, "a batch of items was not read to its end"));
            }
        }
    }
    let has_key = |item: &Item, key: &Map| key.iter().all(|(name, value)| matches(item, name, value));
    Ok(keys.iter().map(|key| found.iter().find(|item| has_key(item, key)).cloned()).collect())
}

fn matches(item: &Item, name: &str, value: &AttributeValue) -> bool {
    match (item.get(name), value) {
        (Some(ValueRef::S(left)), AttributeValue::S(right)) => left == right,
        (Some(ValueRef::N(left)), AttributeValue::N(right)) => left == *right,
        (Some(ValueRef::B(left)), AttributeValue::B(right)) => left == right.as_slice(),
        _ => false,
    }
}
