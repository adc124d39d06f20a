//! Generated data for a design: as much as its `volume` clauses declare, within a bound, made by its own operations.
//!
//! Every item goes through the operation that creates its kind, so that what is generated obeys the design: references
//! lead to items that exist, tenants own what they create, guards and counters are right. An entity that no operation
//! creates from plain arguments is left out.

mod values;

use std::collections::HashMap;

use serde_json::{Map, Value as Json};
use sortkey_design::Design;
use sortkey_design::facts::actions;
use sortkey_design::model::{Attribute, Entity, WriteVerb};

use crate::{Answer, Call, Ids, KeyError, Kind, Runtime, Signature, Yields};
use values::Dice;

/// Where no volume is declared, and the fewest of a kind where one is.
const FEWEST: u64 = 10;

/// Items that later ones may refer to.
const REMEMBERED: usize = 10_000;

/// Calls may fail, since arguments are random: so many for every one that is wanted, and a few more.
const PATIENCE: u64 = 4;

/// What was generated of an entity so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeded {
    /// The entity.
    pub entity: String,
    /// How many there are to be.
    pub wanted: u64,
    /// How many there are.
    pub made: u64,
    /// What the last call that failed said.
    pub trouble: Option<String>,
}

/// Generates data: at most `most` items of an entity, the others in proportion to their volumes. The same seed gives the
/// same arguments. Calls `watch` after every item, and returns what there is of each entity.
pub async fn seed(
    runtime: &Runtime,
    most: u64,
    seed: u64,
    watch: &mut (dyn FnMut(&Seeded) + Send),
) -> Result<Vec<Seeded>, KeyError> {
    let ids = Ids::seeded(seed);
    let mut dice = Dice::new(&ids);
    let mut pool = Pool::default();
    let mut done = Vec::new();
    for (entity, signature) in makers(runtime) {
        let mut seeded = Seeded {
            entity: entity.name.text.clone(),
            wanted: wanted(runtime.design(), entity, most),
            ..Seeded::default()
        };
        for _ in 0..seeded.wanted.saturating_mul(PATIENCE).saturating_add(FEWEST) {
            if seeded.made == seeded.wanted {
                break;
            }
            match make(runtime, signature, &pool, &mut dice).await? {
                Ok(item) => {
                    seeded.made += 1;
                    pool.add(&entity.name.text, item);
                    watch(&seeded);
                }
                Err(why) => seeded.trouble = Some(why),
            }
        }
        if seeded.made > 0 {
            seeded.trouble = None;
        }
        done.push(seeded);
    }
    Ok(done)
}

/// How many items of an entity: the largest kind has `most`, the others their share.
fn wanted(design: &Design, entity: &Entity, most: u64) -> u64 {
    let volume = |entity: &Entity| entity.volume.as_ref().map_or(0, |volume| volume.items);
    let largest = design.entities.iter().map(volume).max().unwrap_or(0).max(1);
    let share = u128::from(volume(entity)) * u128::from(most) / u128::from(largest);
    u64::try_from(share).unwrap_or(most).max(FEWEST).min(most)
}

/// Entities with the operation that creates each, parents before children.
fn makers(runtime: &Runtime) -> Vec<(&Entity, &Signature)> {
    let design = runtime.design();
    let maker = |entity: &Entity| {
        let creates = |signature: &&Signature| {
            let yields = match &signature.yields {
                Yields::Item(name) => name == &entity.name.text,
                Yields::Value => true,
                _ => false,
            };
            let operation = design.operation(&signature.name).filter(|_| yields);
            let first = operation.and_then(|operation| {
                actions(operation).into_iter().find(|site| site.action.verb == WriteVerb::Create)
            });
            first.is_some_and(|site| site.action.entity == entity.name)
        };
        runtime.signatures().iter().filter(|each| each.kind == Kind::Operation).find(creates)
    };
    let mut waiting: Vec<(&Entity, &Signature)> =
        design.entities.iter().filter_map(|entity| Some((entity, maker(entity)?))).collect();
    let mut ordered: Vec<(&Entity, &Signature)> = Vec::new();
    while !waiting.is_empty() {
        let needs = |entity: &Entity, other: &Entity| {
            let refers = |each: &Attribute| {
                each.reference.as_ref().is_some_and(|reference| reference.entity == other.name)
            };
            entity.name != other.name
                && entity.attributes.iter().any(|each| !each.may_be_absent() && refers(each))
        };
        let free =
            |(entity, _): &(&Entity, &Signature)| !waiting.iter().any(|(other, _)| needs(entity, other));
        // Entities that need each other have no first; any will do.
        let at = waiting.iter().position(free).unwrap_or(0);
        ordered.push(waiting.remove(at));
    }
    ordered
}

/// Items that were made, by entity.
#[derive(Default)]
struct Pool(HashMap<String, Vec<Map<String, Json>>>);

impl Pool {
    fn add(&mut self, entity: &str, item: Map<String, Json>) {
        let items = self.0.entry(entity.to_owned()).or_default();
        if items.len() < REMEMBERED {
            items.push(item);
        }
    }

    /// One of an entity's items; the first are chosen more often, as real tenants differ in size.
    fn pick(&self, entity: &str, dice: &mut Dice<'_>) -> Result<Option<&Map<String, Json>>, KeyError> {
        let Some(items) = self.0.get(entity).filter(|items| !items.is_empty()) else { return Ok(None) };
        let count = items.len() as u64;
        let (one, other) = (dice.below(count)?, dice.below(count)?);
        Ok(usize::try_from(one.min(other)).ok().and_then(|at| items.get(at)))
    }
}

/// One call: the item it made, or why it failed.
async fn make(
    runtime: &Runtime,
    signature: &Signature,
    pool: &Pool,
    dice: &mut Dice<'_>,
) -> Result<Result<Map<String, Json>, String>, KeyError> {
    let design = runtime.design();
    let mut story = Story { design, pool, known: Map::new(), depth: 0 };
    let mut arguments = Map::new();
    for parameter in &signature.parameters {
        // What may be left out is given every other time, so that items differ.
        if parameter.of_caller || (parameter.optional && dice.below(2)? == 0) {
            continue;
        }
        let attribute =
            parameter.attribute.as_ref().and_then(|(entity, name)| design.entity(entity)?.attribute(name));
        let value = match attribute {
            Some(attribute) => story.attribute(attribute, dice)?,
            None => values::of(&mut story, &parameter.name, &parameter.ty, dice)?,
        };
        if let Some(value) = value {
            arguments.insert(parameter.name.clone(), value);
        }
    }
    let mut attributes = Map::new();
    for attribute in &design.caller {
        if let Some(value) = story.attribute(attribute, dice)? {
            attributes.insert(attribute.name.text.clone(), value);
        }
    }
    let caller = match signature.system || design.caller.is_empty() {
        true => None,
        false => match runtime.caller(attributes) {
            Ok(caller) => Some(caller),
            Err(failure) => return Ok(Err(failure.to_string())),
        },
    };
    let call = Call { name: &signature.name, caller: caller.as_ref(), arguments, cursor: None, limit: None };
    Ok(match runtime.call(call).await {
        Ok(Answer::Value(Json::Object(item))) => Ok(item),
        Ok(_) => Err(format!("`{}` returns no item", signature.name)),
        Err(failure) => Err(failure.to_string()),
    })
}

/// What belongs together in one call: once an item is chosen, everything it says holds for the rest, so that a child's
/// owner is its parent's.
struct Story<'a> {
    design: &'a Design,
    pool: &'a Pool,
    known: Map<String, Json>,
    /// How deep the value that is being made is nested: a record may hold itself.
    depth: usize,
}

impl Story<'_> {
    /// A value for an attribute; none if it refers to something that does not exist.
    fn attribute(&mut self, attribute: &Attribute, dice: &mut Dice<'_>) -> Result<Option<Json>, KeyError> {
        let name = &attribute.name.text;
        let Some(reference) = &attribute.reference else {
            let ty = self.design.type_of(attribute);
            return values::of(self, name, ty, dice);
        };
        if let Some(known) = self.known.get(name) {
            return Ok(Some(known.clone()));
        }
        let Some(item) = self.pool.pick(&reference.entity.text, dice)? else { return Ok(None) };
        for (name, value) in item {
            self.known.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let target = reference.attribute.as_ref().map_or(name.as_str(), |name| name.text.as_str());
        Ok(item.get(target).cloned())
    }
}
