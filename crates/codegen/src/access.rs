//! The accesses of a module, or of a worker: the actions on tables and indexes that the plans of its calls need, and the partition keys that
//! they need them for.
//!
//! Every branch of a plan counts. A transaction needs the actions of its items, as AWS authorises it.

use std::collections::{BTreeMap, BTreeSet};

use sortkey_core::LETTERS;
use sortkey_core::internals::{GUARD, RECEIPT, WORK, notes_home};
use sortkey_design::Program;
use sortkey_design::program::{
    Callee, Entity, EntityId, FilledKey, Id, IndexId, Piece, Source, TableId, Trigger, UniqueId, WorkerId,
};
use sortkey_plan::{Act, Ask, Part, Request, Role, operation_script, pattern_script};

/// The actions, tables and indexes of a module's calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Accesses {
    /// The partition keys of each action on a table or one of its indexes.
    pub(crate) actions: BTreeMap<(TableId, Option<IndexId>, &'static str), Keys>,
    /// The tables whose streams are read.
    pub(crate) streams: BTreeSet<TableId>,
    /// Whether data keys are made or opened.
    pub(crate) has_encrypted: bool,
}

/// The partition keys of an action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Keys {
    /// Any.
    All,
    /// Those that are like one of these patterns, in the language of policies.
    Like(BTreeSet<String>),
}

/// Whether keys of a tenant name the tenant of the principal, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tenants {
    Any,
    Principal,
}

/// The accesses of some calls.
pub(crate) fn accesses(program: &Program, callees: &[Callee], tenants: Tenants) -> Accesses {
    let mut found = Finding::new(program, tenants);
    for callee in callees {
        let script = match callee {
            Callee::Pattern(id) => pattern_script(program, *id),
            Callee::Operation(id) => Some(operation_script(program, *id)),
            Callee::Effect(_) => None,
        };
        if let Some(script) = script {
            script.possible(&mut |request| found.request(request));
        }
    }
    found.accesses
}

/// The accesses of a worker: as a handler, which is given what happened, or in a process that follows streams itself.
pub(crate) fn worker_accesses(program: &Program, worker: WorkerId, is_process: bool) -> Accesses {
    let mut found = Finding::new(program, Tenants::Any);
    found.worker(worker, is_process);
    found.accesses
}

struct Finding<'p> {
    program: &'p Program,
    tenants: Tenants,
    /// The entity of the item that the run of a worker has leased.
    leased: Option<EntityId>,
    accesses: Accesses,
}

impl<'p> Finding<'p> {
    fn new(program: &'p Program, tenants: Tenants) -> Finding<'p> {
        Finding { program, tenants, leased: None, accesses: Accesses::default() }
    }

    fn worker(&mut self, id: WorkerId, is_process: bool) {
        let worker = &self.program.workers[id];
        match &worker.trigger {
            Trigger::On { entity, .. } => {
                self.accesses.streams.extend(self.program.entities[*entity].table);
                if is_process {
                    self.note(id, "UpdateItem", format!("{WORK}stream#*"));
                    self.note(id, "PutItem", format!("{WORK}{LETTERS}#{}*", worker.name));
                }
            }
            Trigger::Due { entity, pattern, .. } => {
                if let Some(script) = pattern_script(self.program, *pattern) {
                    script.possible(&mut |request| self.request(request));
                }
                self.leased = Some(*entity);
                // The lease is taken, given back or ended with a letter.
                self.own_item("UpdateItem", *entity);
                self.note(id, "PutItem", format!("{WORK}{LETTERS}#{}*", worker.name));
            }
            Trigger::Every(_) => self.note(id, "UpdateItem", format!("{WORK}every#{}*", worker.name)),
        }
        operation_script(self.program, worker.operation).possible(&mut |request| self.request(request));
    }

    /// A note of a worker, in a table of the design.
    fn note(&mut self, worker: WorkerId, action: &'static str, key: String) {
        let table = notes_home(self.program, worker).and_then(|home| self.program.entities[home].table);
        if let Some(table) = table {
            self.add(table, None, action, Keys::like(key));
        }
    }

    fn own_item(&mut self, action: &'static str, entity: EntityId) {
        if let Some(table) = self.program.entities[entity].table {
            self.item(action, table, Role::Item(entity));
        }
    }

    fn request(&mut self, request: &Request) {
        match &request.ask {
            Ask::Item { table, role, .. } => self.item("GetItem", *table, *role),
            // A single item is read by GetItem.
            Ask::Items { table, role, .. } => {
                self.item("GetItem", *table, *role);
                self.item("BatchGetItem", *table, *role);
            }
            Ask::Query(query) => {
                let entity = &self.program.entities[query.entity];
                let keys = match (query.scan, query.index) {
                    // A scan concerns all keys.
                    (true, _) => Keys::All,
                    (false, None) => self.keys(entity, &entity.key),
                    (false, Some(index)) => {
                        entity.indexes.get(index.at()).map_or(Keys::All, |key| self.keys(entity, key))
                    }
                };
                let action = if query.scan { "Scan" } else { "Query" };
                self.add(query.table, query.index, action, keys);
                self.encrypted(query.entity);
            }
            // The run of a worker writes one after the other, each with its lease.
            Ask::Batch(part) if self.leased.is_some() => self.write(std::slice::from_ref(part)),
            Ask::Batch(part) => self.item("BatchWriteItem", part.table, part.role),
            Ask::Write(parts) => self.write(parts),
        }
    }

    fn write(&mut self, parts: &[Part]) {
        for part in parts {
            let is_certain = |other: &Part| !other.sometimes && !std::ptr::eq(other, part);
            let is_alone = !part.many && !parts.iter().any(is_certain);
            let is_together = part.many || parts.len() > 1 || self.leased.is_some();
            match part.act {
                Act::Check => {
                    if is_alone {
                        self.item("GetItem", part.table, part.role);
                    }
                    if is_together {
                        self.item("ConditionCheckItem", part.table, part.role);
                    }
                }
                act => {
                    self.item(act.request(), part.table, part.role);
                    let is_item = matches!(part.role, Role::Item(_));
                    // A change that was refused reads the item and is tried again. One that leaves the item as it is becomes a check.
                    if is_item && matches!(act, Act::Update | Act::Upsert) {
                        self.item("GetItem", part.table, part.role);
                        if is_together {
                            self.item("ConditionCheckItem", part.table, part.role);
                        }
                    }
                    // An upsert that has read the item, and found none that is live, stores a whole one.
                    if is_item && act == Act::Upsert {
                        self.item("PutItem", part.table, part.role);
                    }
                }
            }
        }
        // A write that leaves the leased item alone checks the lease in its transaction.
        if let Some(entity) = self.leased {
            self.own_item("ConditionCheckItem", entity);
        }
    }

    fn item(&mut self, action: &'static str, table: TableId, role: Role) {
        let keys = match role {
            Role::Item(id) => {
                self.encrypted(id);
                let entity = &self.program.entities[id];
                self.keys(entity, &entity.key)
            }
            Role::Guard(entity, unique) => Keys::like(guard(self.program, entity, unique)),
            Role::Receipt => Keys::like(format!("{RECEIPT}*")),
        };
        self.add(table, None, action, keys);
    }

    fn add(&mut self, table: TableId, index: Option<IndexId>, action: &'static str, keys: Keys) {
        let place = (table, index, action);
        let known = self.accesses.actions.remove(&place);
        self.accesses.actions.insert(place, known.map_or(keys.clone(), |known| known.and(keys)));
    }

    fn encrypted(&mut self, id: EntityId) {
        let mut attributes = self.program.entities[id].attributes.iter();
        self.accesses.has_encrypted |= attributes.any(|attribute| attribute.encrypted.is_some());
    }

    /// The partition keys of an entity: its template, with anything in place of attributes. Keys of several attributes, and
    /// those that are an attribute of any value, have no pattern.
    fn keys(&self, entity: &Entity, key: &FilledKey) -> Keys {
        let [part] = key.partition.as_slice() else { return Keys::All };
        let pieces = match part.source {
            Some(Source::Template(id)) => entity.templates[id].pieces.clone(),
            Some(Source::Attribute(attribute)) => vec![Piece::Slot { attribute, format: None }],
            None => return Keys::All,
        };
        let tenant = entity.tenant.filter(|_| self.tenants == Tenants::Principal);
        let pattern: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => escaped(text),
                Piece::Slot { attribute, format: None } => {
                    let own = tenant.filter(|tenant| tenant.attribute == *attribute);
                    let tag = own.and_then(|tenant| tenant.of_caller);
                    tag.map_or("*".to_owned(), |tag| {
                        format!("${{aws:PrincipalTag/{}}}", self.program.caller[tag].name)
                    })
                }
                Piece::Slot { .. } => "*".to_owned(),
            })
            .collect();
        if pattern == "*" { Keys::All } else { Keys::like(pattern) }
    }
}

impl Accesses {
    /// These and others.
    pub(crate) fn and(mut self, other: Accesses) -> Accesses {
        for (place, keys) in other.actions {
            let known = self.actions.remove(&place);
            self.actions.insert(place, known.map_or(keys.clone(), |known| known.and(keys)));
        }
        self.streams.extend(other.streams);
        self.has_encrypted |= other.has_encrypted;
        self
    }
}

impl Keys {
    fn like(pattern: String) -> Keys {
        Keys::Like(BTreeSet::from([pattern]))
    }

    /// Both together.
    fn and(self, other: Keys) -> Keys {
        match (self, other) {
            (Keys::Like(mut one), Keys::Like(other)) => {
                one.extend(other);
                Keys::Like(one)
            }
            _ => Keys::All,
        }
    }
}

/// How the keys of a clause's guards begin.
fn guard(program: &Program, entity: EntityId, unique: UniqueId) -> String {
    let entity = &program.entities[entity];
    format!("{}*", escaped(&format!("{GUARD}{}#{}#", entity.name, entity.uniques[unique].guard)))
}

/// Text in which no character means anything to a policy.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '*' | '?' | '$' => escaped.push_str(&format!("${{{character}}}")),
            other => escaped.push(other),
        }
    }
    escaped
}
