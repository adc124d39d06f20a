//! The naive interpreter of operations: the items that there are, and what each statement makes of them.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::design::{Entity, GONE, Generated, UNTIL, Unique, VERSION, WHO};
use super::kinds::Kind;
use super::operations::{Operation, Step, Verb, Write, version_of};
use super::order::order;

/// An item, with the number of its entity.
pub(crate) type Stored = (usize, Map<String, Json>);

/// The items of a database, whether live or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) items: Vec<Stored>,
    pub(crate) now_ms: i64,
}

/// Who calls, and what version they expect.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct By<'a> {
    pub(crate) caller: Option<&'a str>,
    pub(crate) version: Option<i64>,
}

/// What may become of a call.
#[derive(Debug)]
pub(crate) enum Expected {
    /// It succeeds, and answers this.
    Answer(Option<Map<String, Json>>),
    /// It fails with one of these errors.
    Failure(BTreeSet<String>),
    /// It fails somehow: two statements of one transaction are about one item.
    Refused,
}

type Failures = BTreeSet<String>;

impl Model {
    pub(crate) fn is_expired(&self, item: &Map<String, Json>) -> bool {
        item.get(UNTIL).and_then(Json::as_i64).is_some_and(|until| until * 1_000 <= self.now_ms)
    }

    pub(crate) fn is_deleted(item: &Map<String, Json>) -> bool {
        item.get(GONE) == Some(&Json::Bool(true))
    }

    pub(crate) fn is_foreign(item: &Map<String, Json>, caller: Option<&str>) -> bool {
        caller.is_some() && item.get(WHO).is_some_and(|who| who.as_str() != caller)
    }

    fn is_live(&self, item: &Map<String, Json>) -> bool {
        !self.is_expired(item) && !Model::is_deleted(item)
    }

    /// Carries out a call. The items stay as they are if it fails, apart from what earlier statements have done.
    pub(crate) fn call(
        &mut self,
        design: &Generated,
        operation: &Operation,
        writes: &[Write],
        by: By<'_>,
    ) -> Expected {
        let by = By { caller: by.caller.filter(|_| !operation.system), ..by };
        let mut answers = Vec::new();
        if operation.is_transaction {
            let mut after = self.clone();
            let (mut failures, mut keys) = (Failures::new(), Vec::new());
            for (step, write) in operation.steps.iter().zip(writes).filter(|(_, write)| !write.is_skipped) {
                let entity = &design.entities[step.entity];
                let key = (step.entity, entity.key_of(&write.key));
                if keys.contains(&key) {
                    return Expected::Refused;
                }
                keys.push(key);
                match self.outcome(entity, step, write, by) {
                    Ok((item, answer)) => {
                        after.put(entity, step, write, item);
                        answers.push(answer);
                    }
                    Err(found) => failures.extend(found),
                }
            }
            if failures.is_empty() {
                for (step, write) in operation.steps.iter().zip(writes).filter(|(_, write)| !write.is_skipped)
                {
                    after.taken(design, step, write, &mut failures);
                }
            }
            if !failures.is_empty() {
                // Two statements that take one unique value write one guard twice.
                failures.insert("Invalid".to_owned());
                return Expected::Failure(failures);
            }
            *self = after;
        } else {
            for (step, write) in operation.steps.iter().zip(writes) {
                if write.is_skipped {
                    answers.push(None);
                    continue;
                }
                let entity = &design.entities[step.entity];
                let mut after = self.clone();
                let mut failures = Failures::new();
                match self.outcome(entity, step, write, by) {
                    Ok((item, answer)) => {
                        after.put(entity, step, write, item);
                        after.taken(design, step, write, &mut failures);
                        answers.push(answer);
                    }
                    Err(found) => failures = found,
                }
                if !failures.is_empty() {
                    return Expected::Failure(failures);
                }
                *self = after;
            }
        }
        let skipped = writes.iter().take(operation.returns.unwrap_or(0)).filter(|write| write.is_skipped);
        let before = if operation.is_transaction { skipped.count() } else { 0 };
        Expected::Answer(operation.returns.and_then(|at| answers.get(at - before).cloned().flatten()))
    }

    fn find(&self, entity: &Entity, at: usize, key: &Map<String, Json>) -> Option<usize> {
        let key = entity.key_of(key);
        self.items.iter().position(|(own, item)| *own == at && entity.key_of(item) == key)
    }

    /// What a statement stores (none if it removes the item), and what it answers.
    #[expect(clippy::type_complexity, reason = "two items that may not be there")]
    fn outcome(
        &self,
        entity: &Entity,
        step: &Step,
        write: &Write,
        by: By<'_>,
    ) -> Result<(Option<Map<String, Json>>, Option<Map<String, Json>>), Failures> {
        let failure = |name: &str| Failures::from([name.to_owned()]);
        let there = self.find(entity, step.entity, &write.key).map(|at| &self.items[at].1);
        let is_mine = |item: &Map<String, Json>| !Model::is_foreign(item, by.caller);
        let is_key_foreign = Model::is_foreign(&write.key, by.caller);
        match step.verb {
            Verb::Create | Verb::Put => {
                let new = self.new_item(entity, write, by, false);
                let mut failures = Failures::new();
                if Model::is_foreign(&new, by.caller) {
                    failures.insert("Forbidden".to_owned());
                }
                if entity.check.as_ref().is_some_and(|check| !check.holds(&new)) {
                    failures.insert("CheckFailed".to_owned());
                }
                let unexpired = there.filter(|item| !self.is_expired(item));
                if step.verb == Verb::Create && unexpired.is_some() {
                    failures.insert("AlreadyExists".to_owned());
                }
                if step.verb == Verb::Put && unexpired.is_some_and(|item| !is_mine(item)) {
                    failures.insert("NotFound".to_owned());
                }
                if failures.is_empty() { Ok((Some(new.clone()), Some(new))) } else { Err(failures) }
            }
            Verb::Upsert if there.is_none_or(|item| self.is_expired(item)) => {
                if is_key_foreign {
                    return Err(failure("NotFound"));
                }
                let before =
                    self.new_item(entity, &Write { key: write.key.clone(), ..Write::default() }, by, true);
                let new = self.new_item(entity, write, by, false);
                let mut failures = Failures::new();
                if step.condition.as_ref().is_some_and(|condition| !condition.holds(&before)) {
                    failures.insert("Nope".to_owned());
                }
                if Model::is_foreign(&new, by.caller) {
                    failures.extend(["Forbidden".to_owned(), "NotFound".to_owned()]);
                }
                self.checks(entity, step, &new, &mut failures);
                if by.version.is_some() {
                    failures.insert("VersionDiffers".to_owned());
                }
                if failures.is_empty() { Ok((Some(new.clone()), Some(new))) } else { Err(failures) }
            }
            Verb::Update | Verb::Upsert => {
                let old =
                    there.filter(|item| self.is_live(item) && is_mine(item)).filter(|_| !is_key_foreign);
                let old = old.ok_or_else(|| failure("NotFound"))?;
                let mut new = old.clone();
                for (name, value) in write.gives.iter().filter(|(name, _)| *name != WHO) {
                    match value {
                        Json::Null => drop(new.remove(name)),
                        value => drop(new.insert(name.clone(), value.clone())),
                    }
                }
                add(&mut new, write);
                let mut failures = Failures::new();
                if step.condition.as_ref().is_some_and(|condition| !condition.holds(old)) {
                    failures.insert("Nope".to_owned());
                }
                self.checks(entity, step, &new, &mut failures);
                if let Some(states) = &entity.states
                    && let Some(to) = write.gives.get(&states.name)
                {
                    let is_allowed = states.moves.iter().any(|(from, into, condition)| {
                        old.get(&states.name).and_then(Json::as_str) == Some(*from)
                            && to.as_str() == Some(*into)
                            && condition.as_ref().is_none_or(|condition| condition.holds(old))
                    });
                    if !is_allowed {
                        failures.insert("InvalidTransition".to_owned());
                    }
                }
                if by.version.is_some_and(|version| version_of(old) != Some(version)) {
                    failures.insert("VersionDiffers".to_owned());
                }
                if failures.is_empty() { Ok((Some(new.clone()), Some(new))) } else { Err(failures) }
            }
            Verb::Delete | Verb::Purge => {
                let is_there = |item: &&Map<String, Json>| {
                    (step.verb == Verb::Purge || self.is_live(item)) && is_mine(item) && !is_key_foreign
                };
                let old = there.filter(is_there).ok_or_else(|| failure("NotFound"))?;
                let mut failures = Failures::new();
                if step.condition.as_ref().is_some_and(|condition| !condition.holds(old)) {
                    failures.insert("Nope".to_owned());
                }
                if by.version.is_some_and(|version| version_of(old) != Some(version)) {
                    failures.insert("VersionDiffers".to_owned());
                }
                if !failures.is_empty() {
                    return Err(failures);
                }
                if step.verb == Verb::Delete && entity.attribute(GONE).is_some() {
                    let mut new = old.clone();
                    new.insert(GONE.to_owned(), Json::Bool(true));
                    // The answer of a soft delete is the item as it is now.
                    return Ok((Some(new.clone()), Some(new)));
                }
                Ok((None, Some(old.clone())))
            }
            Verb::Check => {
                let item = there.filter(|item| self.is_live(item) && is_mine(item) && !is_key_foreign);
                let holds =
                    |item: &Map<String, Json>| step.condition.as_ref().is_none_or(|each| each.holds(item));
                match item.is_some_and(holds) {
                    true => Ok((item.cloned(), None)),
                    false => Err(failure("Nope")),
                }
            }
        }
    }

    /// The rules for an item as it will be.
    fn checks(&self, entity: &Entity, step: &Step, new: &Map<String, Json>, failures: &mut Failures) {
        if entity.check.as_ref().is_some_and(|check| !check.holds(new)) {
            failures.insert("CheckFailed".to_owned());
        }
        if let Some(Kind::Int(least, most)) = step.adds.as_ref().map(|each| each.kind.clone())
            && let Some(value) = step.adds.as_ref().and_then(|each| new.get(&each.name)?.as_i64())
            && !(least..=most).contains(&value)
        {
            failures.insert("CheckFailed".to_owned());
        }
    }

    /// A new item: what is given, the caller's tenant, and the defaults.
    fn new_item(&self, entity: &Entity, write: &Write, by: By<'_>, is_bare: bool) -> Map<String, Json> {
        let mut item = write.key.clone();
        item.extend(
            write
                .gives
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        if let (Some(caller), Some(_)) = (by.caller, entity.attribute(WHO)) {
            item.entry(WHO).or_insert_with(|| Json::from(caller));
        }
        for each in &entity.attributes {
            if let Some(default) = &each.default {
                item.entry(each.name.clone()).or_insert_with(|| default.clone());
            }
        }
        if !is_bare {
            add(&mut item, write);
        }
        item
    }

    fn put(&mut self, entity: &Entity, step: &Step, write: &Write, item: Option<Map<String, Json>>) {
        if step.verb == Verb::Check {
            return;
        }
        if let Some(at) = self.find(entity, step.entity, &write.key) {
            self.items.remove(at);
        }
        self.items.extend(item.map(|item| (step.entity, item)));
    }

    /// Whether an item that was written has a unique value that another live one has.
    fn taken(&self, design: &Generated, step: &Step, write: &Write, failures: &mut Failures) {
        let entity = &design.entities[step.entity];
        let Some(at) = self.find(entity, step.entity, &write.key) else { return };
        // An item that has expired when it is made takes its values all the same.
        if step.verb == Verb::Check || Model::is_deleted(&self.items[at].1) {
            return;
        }
        for unique in &entity.uniques {
            let Some(values) = held(unique, &self.items[at].1) else { continue };
            let others = self
                .items
                .iter()
                .enumerate()
                .filter(|(other, each)| *other != at && each.0 == step.entity && self.is_live(&each.1));
            if others.into_iter().any(|(_, (_, other))| held(unique, other).as_ref() == Some(&values)) {
                failures.insert(format!("Taken{}", step.entity));
            }
        }
    }

    /// Whether the items are the stored ones, apart from what only the database computes; takes that over.
    pub(crate) fn adopt(&mut self, design: &Generated, stored: Vec<Stored>, about: &dyn Fn() -> String) {
        let shown = |items: &[Stored]| -> BTreeSet<String> {
            let plain = |(at, item): &Stored| {
                let mut item = item.clone();
                item.retain(|name, _| !design.entities[*at].is_computed(name));
                item.values_mut().for_each(simple);
                format!("E{at} {}", Json::Object(item))
            };
            items.iter().map(plain).collect()
        };
        let (model, found) = (shown(&self.items), shown(&stored));
        assert_eq!(found, model, "what is stored (left) is not what should be (right)\n{}", about());
        self.items = stored;
    }
}

/// Numbers as one form.
fn simple(value: &mut Json) {
    if let Some(number) = value.as_f64().filter(|_| value.is_number()) {
        *value = Json::from(number);
    }
}

fn add(item: &mut Map<String, Json>, write: &Write) {
    if let Some((name, by)) = &write.adds
        && let Some(value) = item.get(name).and_then(Json::as_i64)
    {
        item.insert(name.clone(), Json::from(value + by));
    }
}

/// The values of a clause that an item holds.
fn held(unique: &Unique, item: &Map<String, Json>) -> Option<Vec<String>> {
    if unique.when.as_ref().is_some_and(|when| !when.holds(item)) {
        return None;
    }
    unique.names.iter().map(|name| Some(item.get(name)?.to_string())).collect()
}

/// Whether an answer has what it should have, apart from what only the database computes.
pub(crate) fn is_answer(entity: &Entity, found: &Map<String, Json>, expected: &Map<String, Json>) -> bool {
    let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    names.into_iter().filter(|name| !entity.is_computed(name) && *name != VERSION).all(|name| {
        match (found.get(name), expected.get(name)) {
            (Some(left), Some(right)) => left == right || (left.is_number() && order(left, right).is_eq()),
            (left, right) => left == right,
        }
    })
}
