//! Generated data for a design: as much as its `volume` clauses declare, within a bound, made by its own operations.
//!
//! Every item goes through the operation that creates its kind, so that what is generated obeys the design: references
//! lead to items that exist, tenants own what they create, guards and counters are right. An entity that no operation
//! creates from plain arguments is left out.

mod existing;
mod matching;
mod story;
mod values;

use existing::existing;
pub(crate) use story::{Pool, Story};
pub(crate) use values::{Dice, LATEST_MS};

use serde_json::{Map, Value as Json};
use sortkey_design::Design;
use sortkey_design::facts::actions;
use sortkey_design::model::{Attribute, Entity, WriteVerb};

use crate::{Answer, Call, Failure, Ids, KeyError, Kind, Runtime, Signature, Yields};

/// Where no volume is declared, and the fewest of a kind where one is.
const FEWEST: u64 = 10;

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
    plant(runtime, most, &mut dice, &mut pool, &mut |_, _| {}, watch).await
}

/// Generates data, and keeps what was made in a pool. Calls `called` after every call, with how it failed.
pub(crate) async fn plant(
    runtime: &Runtime,
    most: u64,
    dice: &mut Dice<'_>,
    pool: &mut Pool,
    called: &mut (dyn FnMut(&Signature, Option<&Failure>) + Send),
    watch: &mut (dyn FnMut(&Seeded) + Send),
) -> Result<Vec<Seeded>, KeyError> {
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
            let (told, answer) = tell(runtime, signature, Story::new(runtime.design(), pool), dice).await?;
            called(signature, answer.as_ref().err());
            match made(signature, told, answer) {
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
pub(crate) fn makers(runtime: &Runtime) -> Vec<(&Entity, &Signature)> {
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
        let needs = |entity: &Entity, maker: &Signature, other: &Entity| {
            let refers = |each: &Attribute| {
                each.reference.as_ref().is_some_and(|reference| reference.entity == other.name)
            };
            let named = design.operation(&maker.name).map(|maker| existing(design, maker));
            entity.name != other.name
                && (entity.attributes.iter().any(|each| !each.may_be_absent() && refers(each))
                    || named.is_some_and(|named| named.values().any(|(each, _)| each.name == other.name))
                    || (!maker.system && design.caller.iter().any(refers)))
        };
        let free = |(entity, maker): &(&Entity, &Signature)| {
            !waiting.iter().any(|(other, _)| needs(entity, maker, other))
        };
        // Entities that need each other have no first; any will do.
        let at = waiting.iter().position(free).unwrap_or(0);
        ordered.push(waiting.remove(at));
    }
    ordered
}

/// One call: the item it made, or why it failed.
#[cfg(test)]
pub(crate) async fn make(
    runtime: &Runtime,
    signature: &Signature,
    pool: &Pool,
    dice: &mut Dice<'_>,
) -> Result<Result<Map<String, Json>, String>, KeyError> {
    let (told, answer) = tell(runtime, signature, Story::new(runtime.design(), pool), dice).await?;
    Ok(made(signature, told, answer))
}

/// One call: who called and with what, and the answer.
pub(crate) async fn tell(
    runtime: &Runtime,
    signature: &Signature,
    mut story: Story<'_>,
    dice: &mut Dice<'_>,
) -> Result<(Map<String, Json>, Result<Answer, Failure>), KeyError> {
    let arguments = story.arguments(signature, dice)?;
    let caller = match story.caller(runtime, signature, dice)? {
        Ok(caller) => caller,
        Err(failure) => return Ok((arguments, Err(failure))),
    };
    let call = Call { name: &signature.name, caller: caller.as_ref(), arguments, cursor: None, limit: None };
    let mut told = call.arguments.clone();
    let answer = runtime.call(call).await;
    told.extend(caller.iter().flat_map(|caller| caller.attributes().clone()));
    Ok((told, answer))
}

/// The item that a call made. Who made it and with what belongs to its story: the first user of an account is one of its
/// members.
fn made(
    signature: &Signature,
    mut told: Map<String, Json>,
    answer: Result<Answer, Failure>,
) -> Result<Map<String, Json>, String> {
    match answer {
        Ok(Answer::Value(Json::Object(item))) => {
            told.extend(item);
            Ok(told)
        }
        Ok(_) => Err(format!("`{}` returns no item", signature.name)),
        Err(failure) => Err(failure.to_string()),
    }
}
