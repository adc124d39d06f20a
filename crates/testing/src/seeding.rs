//! Generated data for a design: as much as its `volume` clauses declare, within a bound, made by its own operations.
//!
//! Every item goes through the operation that creates its kind, so that what is generated obeys the design: references
//! lead to items that exist, tenants own what they create, guards and counters are right. An entity that no operation
//! makes is left out.

mod existing;
mod makers;
pub mod matching;
mod story;
mod values;

pub(crate) use makers::makers;
use makers::{brings, changers};
pub(crate) use story::{Pool, Story};
pub(crate) use values::{Dice, LATEST_MS};

use std::collections::HashSet;

use serde_json::{Map, Value as Json};
use sortkey_design::facts::key_attributes;
use sortkey_design::model::Entity;
use sortkey_design::program::Callee;
use sortkey_design::{Design, Program};

use sortkey_core::{Answer, Arguments, Call, Failure, Ids, KeyError, Runtime};

/// The minimum number of items of an entity, and the number for one without a volume if others have theirs.
const FEWEST: u64 = 10;

/// The calls for each wanted item: arguments are random, so calls may fail.
const PATIENCE: u64 = 4;

/// How often operations that change items are called, so that some are in the state that others need.
const STIRS: u64 = 20;

/// The items of an entity generated so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeded {
    /// The entity.
    pub entity: String,
    /// How many there are to be.
    pub wanted: u64,
    /// How many there are.
    pub made: u64,
    /// The message of the last call that failed.
    pub trouble: Option<String>,
    /// A caller who has some of them; none if the system made them.
    pub caller: Option<Map<String, Json>>,
}

/// Generates data: at most `most` items of an entity, the others in proportion to their volumes. Equal seeds give equal
/// arguments. Calls `watch` after every item, and returns the count for each entity.
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
    called: &mut Called<'_>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Seeded>, KeyError> {
    let makers = makers(runtime);
    let done = makers.iter().map(|(entity, _)| Seeded {
        entity: entity.name.text.clone(),
        wanted: wanted(runtime.design(), entity, most),
        ..Seeded::default()
    });
    let keys = HashSet::new();
    let mut garden = Garden { runtime, dice, pool, called, watch, done: done.collect(), keys };
    for (at, (_, makers)) in makers.iter().enumerate() {
        garden.grow(at, makers, PATIENCE).await?;
    }
    // An entity without items may need others in another state: an active tenant, a running job.
    if garden.done.iter().any(|seeded| seeded.made == 0) {
        let missing = makers.iter().zip(&garden.done).filter(|(_, seeded)| seeded.made == 0);
        let makers_of_missing: Vec<Callee> =
            missing.flat_map(|((_, makers), _)| makers.iter().copied()).collect();
        garden.stir(&makers_of_missing).await?;
        for (at, (_, makers)) in makers.iter().enumerate() {
            if garden.done[at].made == 0 {
                garden.grow(at, makers, PATIENCE * PATIENCE).await?;
            }
        }
    }
    let mut done = garden.done;
    done.iter_mut().filter(|seeded| seeded.made > 0).for_each(|seeded| seeded.trouble = None);
    for entity in &runtime.design().entities {
        if !done.iter().any(|seeded| entity.name.is(&seeded.entity)) {
            let trouble = Some("no operation creates it".to_owned());
            done.push(Seeded { entity: entity.name.text.clone(), trouble, ..Seeded::default() });
        }
    }
    Ok(done)
}

/// Called after every call.
type Called<'a> = dyn FnMut(Callee, Option<&Failure>) + Send + 'a;
/// Called after every item.
type Watch<'a> = dyn FnMut(&Seeded) + Send + 'a;

/// Data that is being generated.
struct Garden<'a, 'd> {
    runtime: &'a Runtime,
    dice: &'a mut Dice<'d>,
    pool: &'a mut Pool,
    called: &'a mut Called<'a>,
    watch: &'a mut Watch<'a>,
    done: Vec<Seeded>,
    /// The keys of the items made so far: an upsert of an existing item makes none.
    keys: HashSet<(String, Vec<String>)>,
}

impl Garden<'_, '_> {
    /// Makes the wanted items of an entity, by one operation after the other.
    async fn grow(&mut self, at: usize, makers: &[Callee], patience: u64) -> Result<(), KeyError> {
        for maker in makers.iter().copied() {
            let calls = self.done[at].wanted.saturating_mul(patience).saturating_add(FEWEST);
            let mut failed = false;
            for call in 0..calls {
                if self.done[at].made >= self.done[at].wanted {
                    return Ok(());
                }
                // A call may fail because its items belong together too well (a member who is one already): vary them.
                let story = match failed && call % 2 == 1 {
                    true => Story::wandering(self.runtime.program(), self.pool, None),
                    false => Story::new(self.runtime.program(), self.pool),
                };
                let told = tell(self.runtime, maker, story, self.dice).await?;
                (self.called)(maker, told.answer.as_ref().err());
                let made = told.made(self.runtime.program().name(maker));
                failed = made.is_err();
                match made {
                    Ok(item) => self.count(at, maker, item),
                    Err(why) => self.done[at].trouble = Some(why),
                }
            }
        }
        Ok(())
    }

    /// Counts the items that an operation made: of the wanted entity, and of others.
    fn count(&mut self, at: usize, maker: Callee, item: Map<String, Json>) {
        let entity = self.done[at].entity.clone();
        let is_new = self.is_new(&entity, &item);
        if self.done[at].caller.is_none() {
            self.done[at].caller = caller(self.runtime.program(), maker, &item);
        }
        self.pool.add(&entity, item);
        if !is_new {
            return;
        }
        let brings = brings(self.runtime.program(), maker);
        for seeded in self
            .done
            .iter_mut()
            .filter(|seeded| seeded.entity == entity || brings.iter().any(|each| *each == seeded.entity))
        {
            seeded.made += 1;
        }
        (self.watch)(&self.done[at]);
    }

    /// Whether no item with this key was made before; an item with an unknown key counts as new.
    fn is_new(&mut self, entity: &str, item: &Map<String, Json>) -> bool {
        let design = self.runtime.design();
        let Some(names) = design.entity(entity).map(|entity| key_attributes(design, entity)) else {
            return true;
        };
        let key: Option<Vec<String>> =
            names.iter().map(|name| item.get(*name).map(Json::to_string)).collect();
        key.is_none_or(|key| self.keys.insert((entity.to_owned(), key)))
    }

    /// Calls operations that change the items which some makers look at.
    async fn stir(&mut self, makers: &[Callee]) -> Result<(), KeyError> {
        let program = self.runtime.program();
        for changer in changers(program, makers) {
            for _ in 0..STIRS {
                let story = Story::new(program, self.pool);
                let told = tell(self.runtime, changer, story, self.dice).await?;
                (self.called)(changer, told.answer.as_ref().err());
            }
        }
        Ok(())
    }
}

/// The caller who made an item.
fn caller(program: &Program, maker: Callee, item: &Map<String, Json>) -> Option<Map<String, Json>> {
    if program.is_system(maker) || program.caller.is_empty() {
        return None;
    }
    let parts = program.caller.iter().filter(|each| item.contains_key(&*each.name) || !each.may_be_absent());
    parts.map(|each| Some((each.name.to_string(), item.get(&*each.name)?.clone()))).collect()
}

/// The number of items of an entity: the largest kind has `most`, the others their share;
/// all have `most` if no volume is declared.
fn wanted(design: &Design, entity: &Entity, most: u64) -> u64 {
    let volume = |entity: &Entity| entity.volume.as_ref().map_or(0, |volume| volume.items);
    let largest = design.entities.iter().map(volume).max().unwrap_or(0);
    if largest == 0 {
        return most;
    }
    let share = u128::from(volume(entity)) * u128::from(most) / u128::from(largest);
    u64::try_from(share).unwrap_or(most).max(FEWEST).min(most)
}

/// One call: the item it made, or why it failed.
#[cfg(test)]
pub(crate) async fn make(
    runtime: &Runtime,
    callee: Callee,
    pool: &Pool,
    dice: &mut Dice<'_>,
) -> Result<Result<Map<String, Json>, String>, KeyError> {
    let program = runtime.program();
    Ok(tell(runtime, callee, Story::new(program, pool), dice).await?.made(program.name(callee)))
}

/// A call that was made.
pub(crate) struct Told {
    /// The attributes of the caller, and the arguments.
    said: Map<String, Json>,
    pub(crate) answer: Result<Answer, Failure>,
    wrote: bool,
}

/// One call.
pub(crate) async fn tell(
    runtime: &Runtime,
    callee: Callee,
    mut story: Story<'_>,
    dice: &mut Dice<'_>,
) -> Result<Told, KeyError> {
    let mut said = story.arguments(callee, dice)?;
    let caller = story.caller(runtime, callee, dice)?;
    let prepared = caller.and_then(|caller| Ok((caller, Arguments::try_from(said.clone())?)));
    let (caller, arguments) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => return Ok(Told { said, answer: Err(failure), wrote: false }),
    };
    let name = runtime.program().name(callee);
    let call = Call { name, caller: caller.as_ref(), arguments, ..Call::default() };
    let (answer, consumed) = runtime.measured(call).await;
    said.extend(caller.iter().flat_map(|caller| caller.attributes().clone()));
    Ok(Told { said, answer, wrote: consumed.wcu > 0.0 })
}

impl Told {
    /// The item that the call made. The attributes of its caller and the arguments belong to it: the first user of an
    /// account is one of its members.
    fn made(self, name: &str) -> Result<Map<String, Json>, String> {
        let mut item = self.said;
        match self.answer {
            Ok(Answer::Value(Json::Object(answer))) => item.extend(answer),
            Ok(_) if self.wrote => {}
            Ok(_) => return Err(format!("`{name}` had nothing to do")),
            Err(failure) => return Err(failure.to_string()),
        }
        Ok(item)
    }
}
