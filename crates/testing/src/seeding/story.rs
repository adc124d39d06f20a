//! Calls with arguments that belong together: a child's owner is its parent's, an update's key is that of an item.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};
use sortkey_design::Program;
use sortkey_design::program::{Attribute, Callee};

use super::existing::existing;
use super::makers::operation;
use super::values::{self, Dice};
use sortkey_core::{Caller, Failure, KeyError, Runtime};

/// Items that later ones may refer to.
const REMEMBERED: usize = 10_000;

/// Items that were made, by entity.
#[derive(Default)]
pub(crate) struct Pool(HashMap<String, Vec<Map<String, Json>>>);

impl Pool {
    pub(crate) fn add(&mut self, entity: &str, item: Map<String, Json>) {
        let items = self.0.entry(entity.to_owned()).or_default();
        if items.len() < REMEMBERED {
            items.push(item);
        }
    }

    /// One of an entity's items; the first are chosen more often, as real tenants differ in size.
    pub(crate) fn pick(
        &self,
        entity: &str,
        dice: &mut Dice<'_>,
    ) -> Result<Option<&Map<String, Json>>, KeyError> {
        let Some(items) = self.0.get(entity).filter(|items| !items.is_empty()) else { return Ok(None) };
        let count = items.len() as u64;
        let (one, other) = (dice.below(count)?, dice.below(count)?);
        Ok(usize::try_from(one.min(other)).ok().and_then(|at| items.get(at)))
    }
}

/// The values that belong together in one call: once an item is chosen, its attributes hold for the rest.
pub(crate) struct Story<'a> {
    pub(super) program: &'a Program,
    pub(super) pool: &'a Pool,
    pub(super) known: Map<String, Json>,
    /// The item that the call is about, if it is about one that exists: its attributes are given again more often than not.
    subject: Map<String, Json>,
    /// Whether now and then an item is named that has nothing to do with the rest.
    wanders: bool,
    /// How deep the value that is being made is nested: a record may hold itself.
    pub(super) depth: usize,
}

impl<'a> Story<'a> {
    /// A call about something new.
    pub(crate) fn new(program: &'a Program, pool: &'a Pool) -> Story<'a> {
        Story { program, pool, known: Map::new(), subject: Map::new(), wanders: false, depth: 0 }
    }

    /// A call about an item that exists, or about something new.
    pub(crate) fn about(
        program: &'a Program,
        pool: &'a Pool,
        subject: Option<&Map<String, Json>>,
    ) -> Story<'a> {
        let subject = subject.cloned().unwrap_or_default();
        Story { known: subject.clone(), subject, ..Story::new(program, pool) }
    }

    /// A call about an item, or about something new, that does not always fit together.
    pub(crate) fn wandering(
        program: &'a Program,
        pool: &'a Pool,
        subject: Option<Map<String, Json>>,
    ) -> Story<'a> {
        let subject = subject.unwrap_or_default();
        Story { known: subject.clone(), subject, wanders: true, ..Story::new(program, pool) }
    }

    /// Arguments of a call.
    pub(crate) fn arguments(
        &mut self,
        callee: Callee,
        dice: &mut Dice<'_>,
    ) -> Result<Map<String, Json>, KeyError> {
        let program = self.program;
        let operation = operation(program, callee);
        let existing = operation.map(|operation| existing(&program.design, operation));
        let existing = existing.unwrap_or_default();
        let mut arguments = Map::new();
        for parameter in &program.signature(callee).parameters {
            // Optional arguments are given every other time, so that items differ.
            if parameter.of_caller.is_some() || (parameter.optional && dice.below(2)? == 0) {
                continue;
            }
            let attribute = parameter.attribute;
            let attribute = attribute.map(|(entity, id)| &program.entities[entity].attributes[id]);
            let repeated = self.subject.get(&*parameter.name).cloned();
            let named = existing.get(&*parameter.name);
            let value = match attribute {
                _ if repeated.is_some() && dice.below(3)? > 0 => repeated,
                _ if let Some((entity, name)) = named
                    && let Some(value) = self.value_of(&entity.name.text, name, dice)? =>
                {
                    Some(value)
                }
                Some(attribute) => self.attribute(attribute, dice)?,
                None => values::of(self, &parameter.name, &parameter.ty, dice)?,
            };
            if let Some(value) = value {
                arguments.insert(parameter.name.to_string(), value);
            }
        }
        Ok(arguments)
    }

    /// The caller: a user of the story, or none where none is needed. If the story names no user yet, it begins with the
    /// item that determines most of the caller's attributes.
    pub(crate) fn caller(
        &mut self,
        runtime: &Runtime,
        callee: Callee,
        dice: &mut Dice<'_>,
    ) -> Result<Result<Option<Caller>, Failure>, KeyError> {
        let mut attributes = Map::new();
        let says = |attribute: &&Attribute| {
            let entity = attribute.reference.map(|reference| &self.program.entities[reference.entity].name);
            let item = entity.and_then(|entity| self.pool.0.get(&**entity)?.first());
            let parts = self.program.caller.iter();
            parts.filter(|each| item.is_some_and(|item| item.contains_key(&*each.name))).count()
        };
        if let Some(first) = self.program.caller.iter().max_by_key(says) {
            self.attribute(first, dice)?;
        }
        for attribute in self.program.caller.iter() {
            // The owner of the item is the caller.
            let known = self.subject.get(&*attribute.name).filter(|_| !self.wanders).cloned();
            let value = match known {
                Some(known) => Some(known),
                None => self.attribute(attribute, dice)?,
            };
            if let Some(value) = value {
                attributes.insert(attribute.name.to_string(), value);
            }
        }
        Ok(match self.program.is_system(callee) || self.program.caller.is_empty() {
            true => Ok(None),
            false => runtime.caller(attributes).map(Some),
        })
    }

    /// A value for an attribute; none if it refers to something that does not exist.
    pub(super) fn attribute(
        &mut self,
        attribute: &Attribute,
        dice: &mut Dice<'_>,
    ) -> Result<Option<Json>, KeyError> {
        let name = &attribute.name;
        let Some(reference) = attribute.reference else {
            return values::of(self, name, &attribute.ty, dice);
        };
        if let Some(known) = self.known.get(&**name).filter(|_| !self.wanders) {
            return Ok(Some(known.clone()));
        }
        let entity = &self.program.entities[reference.entity];
        self.value_of(&entity.name, &entity.attributes[reference.attribute].name, dice)
    }

    /// The value that an attribute has in an item: the one that the story is about already, or another that exists.
    fn value_of(&mut self, entity: &str, name: &str, dice: &mut Dice<'_>) -> Result<Option<Json>, KeyError> {
        let item = self.pool.pick(entity, dice)?;
        if self.wanders && dice.below(6)? == 0 {
            return Ok(item.and_then(|item| item.get(name)).cloned());
        }
        if let Some(known) = self.known.get(name) {
            return Ok(Some(known.clone()));
        }
        let Some(item) = item else { return Ok(None) };
        for (name, value) in item {
            self.known.entry(name.clone()).or_insert_with(|| value.clone());
        }
        Ok(item.get(name).cloned())
    }
}
