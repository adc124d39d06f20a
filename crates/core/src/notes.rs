//! The state of workers between runs, in items of the design's own tables: how far a stream was read, which slot of a
//! schedule ran last, and which runs were given up.
//!
//! The keys are reserved, so that no pattern returns these items. A note can be held for a while by one process.

use sortkey_api::operations::{DeleteItemInput, PutItemInput, QueryInput};
use sortkey_design::Program;
use sortkey_design::model::Stored;
use sortkey_design::program::{EntityId, Source, Trigger, WorkerId};
use sortkey_value::{AttributeValue, Item, Map};

use crate::catalog::{EntityInfo, WORK};
use crate::condition::Placeholders;
use crate::fence::{FENCE, LEASE};
use crate::session::failure;
use crate::{Failure, Runtime};

/// The notes of one kind of a worker.
pub struct Notes<'r> {
    runtime: &'r Runtime,
    info: &'r EntityInfo,
    partition: String,
}

/// One note.
pub struct Note<'r> {
    runtime: &'r Runtime,
    info: &'r EntityInfo,
    key: Item,
}

impl Runtime {
    /// The notes of one kind of a worker; none if no table of the design has a key of text that could hold them.
    pub fn notes(&self, worker: WorkerId, kind: &str) -> Option<Notes<'_>> {
        let program = self.program();
        let entity = notes_home(program, worker)?;
        let partition = format!("{WORK}{kind}#{}", program.workers[worker].name);
        Some(Notes { runtime: self, info: &self.shared().entities[entity], partition })
    }

    /// The notes of one kind of all workers that follow the table of this one.
    pub fn notes_of_table(&self, worker: WorkerId, kind: &str) -> Option<Notes<'_>> {
        let table = self.table_of(worker)?;
        Some(Notes { partition: format!("{WORK}{kind}#{table}"), ..self.notes(worker, kind)? })
    }
}

/// The entity in whose table the notes of a worker are: its own, or the first one with keys of text.
pub fn notes_home(program: &Program, worker: WorkerId) -> Option<EntityId> {
    let own = match &program.workers[worker].trigger {
        Trigger::On { entity, .. } | Trigger::Due { entity, .. } => Some(*entity),
        Trigger::Every(_) => None,
    };
    own.into_iter().chain(program.entities.ids()).find(|entity| has_text_keys(program, *entity))
}

fn has_text_keys(program: &Program, entity: EntityId) -> bool {
    let entity = &program.entities[entity];
    let is_text = |source: Option<Source>| match source {
        Some(Source::Template(_)) => true,
        Some(Source::Attribute(id)) => entity.attributes[id].ty.stored() == Stored::S,
        None => false,
    };
    entity.table.is_some() && entity.key.parts().all(|part| is_text(part.source))
}

impl<'r> Notes<'r> {
    /// The note of an id.
    pub fn note(&self, id: &str) -> Note<'r> {
        let mut key = Map::new();
        match &self.info.sort {
            Some(sort) => {
                key.insert(self.info.partition.to_string(), AttributeValue::S(self.partition.clone()));
                let id = if id.is_empty() { &self.partition } else { id };
                key.insert(sort.to_string(), AttributeValue::S(id.to_owned()));
            }
            None => {
                let name = format!("{}#{id}", self.partition);
                key.insert(self.info.partition.to_string(), AttributeValue::S(name));
            }
        }
        Note { runtime: self.runtime, info: self.info, key: key.into() }
    }

    /// The notes, at most so many, in the order of their ids. A table without a sort key cannot list them.
    pub async fn list(&self, most: u32) -> Result<Vec<Item>, Failure> {
        if self.info.sort.is_none() {
            return Ok(Vec::new());
        }
        let mut into = Placeholders::default();
        let name = into.name(&self.info.partition);
        let value = into.value(AttributeValue::S(self.partition.clone()));
        let (expression_attribute_names, expression_attribute_values) = into.into_parts();
        let input = QueryInput {
            table_name: self.info.table.clone(),
            key_condition_expression: Some(format!("{name} = {value}")),
            expression_attribute_names,
            expression_attribute_values,
            consistent_read: Some(true),
            limit: i32::try_from(most).ok(),
            ..QueryInput::default()
        };
        let output = self.runtime.session().query(input).await?;
        Ok(output.items.unwrap_or_default())
    }
}

impl Note<'_> {
    /// Holds the note until a time, unless another process does. Returns its contents.
    pub async fn hold(&self, token: &str, until_ms: i64) -> Result<Option<Item>, Failure> {
        let mut into = Placeholders::default();
        let [lease, fence] = [LEASE, FENCE].map(|name| into.name(name));
        let now = into.value(AttributeValue::N(self.runtime.now_ms().into()));
        let until = into.value(AttributeValue::N(until_ms.into()));
        let own = into.value(AttributeValue::S(token.to_owned()));
        let update = format!("SET {lease} = {until}, {fence} = {own}");
        let takeover = self.runtime.takeover(&mut into);
        let condition =
            format!("attribute_not_exists({lease}) OR {lease} <= {now} OR {fence} = {own}{takeover}");
        self.runtime.update(&self.info.table, &self.key, update, condition, into, true).await
    }

    /// Writes something into a note that is held, and holds it on until a time or lets it go. False if another process
    /// holds it by now.
    pub async fn keep(
        &self,
        token: &str,
        until_ms: Option<i64>,
        says: Vec<(&str, AttributeValue)>,
    ) -> Result<bool, Failure> {
        let mut into = Placeholders::default();
        let [lease, fence] = [LEASE, FENCE].map(|name| into.name(name));
        let own = into.value(AttributeValue::S(token.to_owned()));
        let mut sets: Vec<String> = says
            .into_iter()
            .map(|(name, value)| format!("{} = {}", into.name(name), into.value(value)))
            .collect();
        sets.extend(
            until_ms.map(|until| format!("{lease} = {}", into.value(AttributeValue::N(until.into())))),
        );
        let set = if sets.is_empty() { String::new() } else { format!("SET {}", sets.join(", ")) };
        let update = match until_ms {
            Some(_) => set,
            None => format!("{set} REMOVE {lease}, {fence}"),
        };
        let condition = format!("{fence} = {own}");
        let updated =
            self.runtime.update(&self.info.table, &self.key, update, condition, into, false).await?;
        Ok(updated.is_some())
    }

    /// Stores a note, whatever was there.
    pub async fn put(&self, says: Vec<(&str, AttributeValue)>) -> Result<(), Failure> {
        let mut item = sortkey_value::order::map(
            self.key.iter().map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        for (name, value) in says {
            item.insert(name.to_owned(), value);
        }
        let input = PutItemInput {
            table_name: self.info.table.clone(),
            item: Item::from(item).into(),
            ..PutItemInput::default()
        };
        self.runtime.session().put(input).await.map(|_| ()).map_err(failure)
    }

    /// The contents of the note; none if there is none.
    pub async fn get(&self) -> Result<Option<Item>, Failure> {
        self.runtime.session().get(&self.info.table, self.key.clone(), true).await
    }

    /// Removes the note.
    pub async fn remove(&self) -> Result<(), Failure> {
        let input = DeleteItemInput {
            table_name: self.info.table.clone(),
            key: self.key.clone().into(),
            ..DeleteItemInput::default()
        };
        self.runtime.session().delete(input).await.map(|_| ()).map_err(failure)
    }
}
