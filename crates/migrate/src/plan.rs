//! A migration that is ready to be carried out: both designs, prepared, and how an item of one becomes an item of the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use sortkey_core::internals::{EntityInfo, Scope, hex, is_reserved};
use sortkey_core::{Runtime, Settings};
use sortkey_design::Program;
use sortkey_design::program::{self, AttributeId, EntityId, Expr, ExprKind, Id as _};
use sortkey_value::Item;

use crate::hidden;
use crate::refusal::Refusal;

/// One of the two designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The design that was there before.
    Old,
    /// The design that follows it.
    New,
}

/// A migration between two designs on one backend.
pub struct Plan {
    pub(crate) old: Runtime,
    pub(crate) new: Runtime,
    pub(crate) mappings: Vec<Mapping>,
    /// Changes with either design and with the mapping: a state of another plan is not taken over.
    pub(crate) fingerprint: String,
    /// The version of the old design.
    pub(crate) before: String,
    /// The attributes that items may have, by table: `unchanged` requires that none of them was added.
    universe: BTreeMap<String, BTreeSet<String>>,
    /// The entities that the migration concerns, of the old and of the new design.
    concerned: [Vec<EntityId>; 2],
    /// Their tables.
    tables: [Vec<Arc<str>>; 2],
    /// The parts of the copy, in their order.
    stages: Vec<Stage>,
}

/// A part of the copy: items of some old entities in one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its name in progress reports and in the stored state.
    pub label: Arc<str>,
    /// The old table.
    pub table: Arc<str>,
    pub(crate) entities: Vec<EntityId>,
}

/// How items of an old entity become items of a new one.
pub(crate) struct Mapping {
    pub(crate) of: program::Mapping,
    /// For each attribute of the new entity, where its value comes from.
    pub(crate) sources: Vec<(Arc<str>, Source)>,
    /// Attributes of the old entity that the new one has unchanged: old name, new name.
    pub(crate) back: Vec<(Arc<str>, Arc<str>)>,
    /// `a->b` in its expressions, inner ones first.
    pub(crate) arrows: Vec<Expr>,
}

/// The source of a new attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// An expression over the old item: its place in the mapping.
    Expression(usize),
    /// The old attribute of this name.
    Name(Arc<str>),
    /// Nothing of the old item: a default, or what is derived.
    Nothing,
}

impl Plan {
    /// Prepares the migration that a design declares. The runtime is that of the new design on the bare backend.
    pub fn new(new: Runtime) -> Result<Plan, Refusal> {
        let program = Arc::clone(new.program());
        let (Some(source), Some(compiled)) = (program.design.migrations.first(), program.migrations.first())
        else {
            return Err(Refusal::new("the design has no `migrate` block: there is nothing to migrate from"));
        };
        if program.design.migrations.len() > 1 {
            return Err(Refusal::new(
                "the design has several `migrate` blocks: carry out one migration at a time",
            ));
        }
        let Some(design) = &source.old else {
            return Err(Refusal::new(format!("the old design `{}` cannot be read", source.from)));
        };
        let design = Arc::new((**design).clone());
        let settings = new.shared().settings.clone();
        let known = |name: &str| design.parameters.iter().any(|each| each.name.is(name));
        let parameters = settings.parameters.iter().filter(|(name, _)| known(name));
        let parameters = parameters.map(|(name, value)| (name.clone(), value.clone())).collect();
        let old = new.beside(Arc::new(Program::of(&design)), Settings { parameters, ..settings }).map_err(
            |problems| {
                Refusal::all(problems.into_iter().map(|each| format!("{}: {}", source.from, each.message)))
            },
        )?;
        let mappings: Vec<Mapping> =
            compiled.mappings.iter().map(|each| Mapping::of(&old, &new, each)).collect();
        let fingerprint = fingerprint(&old, &new, compiled)?;
        let before = sortkey_deploy::version(old.design()).map_err(unwritable)?;
        let universe = universe(&old, &new);
        let concerned = [Side::Old, Side::New].map(|side| concerned(&mappings, side));
        let tables = [tables(&old, &concerned[0]), tables(&new, &concerned[1])];
        let stages = stages(&old, &tables[0], &concerned[0]);
        let plan = Plan { old, new, mappings, fingerprint, before, universe, concerned, tables, stages };
        crate::check::plan(&plan)?;
        Ok(plan)
    }

    /// Names this plan: changes with either design and with the mapping.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The runtime of a side on the bare backend.
    pub fn runtime(&self, side: Side) -> &Runtime {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    /// The entity of a side.
    pub(crate) fn info(&self, side: Side, entity: EntityId) -> &EntityInfo {
        &self.runtime(side).shared().entities[entity]
    }

    /// A scope of a side at the moment of the plan: `now` means the same in every run.
    pub(crate) fn scope(&self, side: Side, now_ms: i64) -> Scope<'_> {
        let mut scope = self.runtime(side).scope(None);
        scope.now_ms = now_ms;
        scope
    }

    /// The mappings that read an old entity.
    pub(crate) fn reading(&self, old: EntityId) -> impl Iterator<Item = (usize, &Mapping)> {
        self.mappings.iter().enumerate().filter(move |(_, each)| each.of.old == old)
    }

    /// The mappings that make a new entity.
    pub(crate) fn making(&self, new: EntityId) -> impl Iterator<Item = (usize, &Mapping)> {
        self.mappings.iter().enumerate().filter(move |(_, each)| each.of.new == new)
    }

    /// The entities of a side that the migration concerns, each once.
    pub(crate) fn entities(&self, side: Side) -> impl Iterator<Item = &EntityInfo> {
        let all = &self.runtime(side).shared().entities;
        self.concerned[side as usize].iter().map(|id| &all[*id])
    }

    /// The deployed names of the tables of a side that the migration concerns.
    pub fn tables(&self, side: Side) -> &[Arc<str>] {
        &self.tables[side as usize]
    }

    /// The parts of the copy, in their order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Whether a table holds items of a side that the migration concerns.
    pub(crate) fn concerns(&self, side: Side, table: &str) -> bool {
        self.tables(side).iter().any(|each| **each == *table)
    }

    /// The entity of a side that an item is one of; none if the migration does not concern it.
    pub(crate) fn owner(&self, side: Side, table: &str, item: &Item) -> Option<&EntityInfo> {
        let program = self.runtime(side).program();
        let all = self.runtime(side).shared().entities.iter();
        let mut here = all.filter(|info| info.table.name() == table).peekable();
        let first = here.peek()?;
        if is_reserved(item, &first.partition) {
            return None;
        }
        // In a table of both designs, an item with origins is one of the new design alone.
        if side == Side::Old && hidden::is_migrated(item) {
            return None;
        }
        let found = here.find(|info| info.owns(program, item))?;
        self.concerned[side as usize].contains(&found.at).then_some(found)
    }

    /// Attributes that items of a table may have.
    pub(crate) fn universe(&self, table: &str) -> impl Iterator<Item = &str> {
        self.universe.get(table).into_iter().flatten().map(String::as_str)
    }

    /// The old entity that the name of an origin refers to.
    pub(crate) fn old_called(&self, name: &str) -> Option<&EntityInfo> {
        self.entities(Side::Old).find(|info| *info.name == *name)
    }
}

impl Mapping {
    fn of(old: &Runtime, new: &Runtime, mapping: &program::Mapping) -> Mapping {
        let before = &old.program().entities[mapping.old];
        let after = &new.program().entities[mapping.new];
        let written = &new.design().entities[mapping.new.at()];
        let mut sources = Vec::new();
        let mut back: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        for (id, attribute) in after.attributes.entries() {
            if !attribute.is_stored() {
                continue;
            }
            let was = written
                .attribute(&attribute.name)
                .and_then(|each| each.annotation("was"))
                .and_then(|was| was.args.first())
                .and_then(|(_, value)| value.as_name().map(str::to_owned));
            let expression = mapping.fields.iter().position(|(each, _)| *each == id);
            let named =
                |name: &str| before.attributes.find(name).map(|id| before.attributes[id].name.clone());
            let source = match expression {
                Some(at) => Source::Expression(at),
                None => match was.as_deref().and_then(named).or_else(|| named(&attribute.name)) {
                    Some(name) => Source::Name(name),
                    None => Source::Nothing,
                },
            };
            let inverse = match &source {
                Source::Name(name) => Some(name.clone()),
                Source::Expression(at) => match mapping.fields[*at].1.kind {
                    ExprKind::Attribute(id) => Some(before.attributes[id].name.clone()),
                    _ => None,
                },
                Source::Nothing => None,
            };
            if let Some(name) = inverse.filter(|name| !back.iter().any(|(each, _)| each == name)) {
                back.push((name, attribute.name.clone()));
            }
            sources.push((attribute.name.clone(), source));
        }
        Mapping { of: mapping.clone(), sources, back, arrows: arrows(mapping) }
    }

    /// The expression that a source names.
    pub(crate) fn expression(&self, at: usize) -> &Expr {
        &self.of.fields[at].1
    }

    /// Whether several old items may become one new item.
    pub(crate) fn merges(&self) -> bool {
        !self.of.merge.is_empty()
    }

    /// Attributes of the old entity that the new item does not have.
    pub(crate) fn dropped<'a>(
        &'a self,
        old: &'a Program,
    ) -> impl Iterator<Item = (AttributeId, &'a Arc<str>)> {
        let attributes = &old.entities[self.of.old].attributes;
        let stored = attributes.entries().filter(|(_, each)| each.is_stored());
        stored
            .filter(|(_, each)| !self.back.iter().any(|(name, _)| *name == each.name))
            .map(|(id, each)| (id, &each.name))
    }
}

fn arrows(mapping: &program::Mapping) -> Vec<Expr> {
    let mut found = Vec::new();
    let expressions = mapping.fields.iter().map(|(_, value)| value).chain(&mapping.condition);
    for expression in expressions {
        let mut own = Vec::new();
        expression.walk(&mut |each| {
            if matches!(each.kind, ExprKind::Arrow { .. }) {
                own.push(each.clone());
            }
        });
        // A walk comes to the outer ones first.
        found.extend(own.into_iter().rev());
    }
    found
}

fn fingerprint(old: &Runtime, new: &Runtime, mapping: &program::Migration) -> Result<String, Refusal> {
    let mut digest = Sha256::new();
    for runtime in [old, new] {
        digest.update(sortkey_deploy::version(runtime.design()).map_err(unwritable)?);
    }
    for each in &mapping.mappings {
        let condition = each.condition.as_ref().map(|each| &each.kind);
        let fields: Vec<_> = each.fields.iter().map(|(id, value)| (*id, &value.kind)).collect();
        digest.update(format!(
            "{:?} {:?} {condition:?} {fields:?} {:?} {:?}",
            each.new, each.old, each.merge, each.dropped
        ));
    }
    let naming = &new.shared().settings;
    digest.update(format!("{:?} {:?}", naming.table_prefix, naming.parameters));
    Ok(hex(&digest.finalize()[..16]))
}

fn unwritable(error: std::io::Error) -> Refusal {
    Refusal::new(format!("the design cannot be written down: {error}"))
}

fn concerned(mappings: &[Mapping], side: Side) -> Vec<EntityId> {
    let mut found: Vec<EntityId> = Vec::new();
    for mapping in mappings {
        let id = if side == Side::Old { mapping.of.old } else { mapping.of.new };
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}

fn tables(runtime: &Runtime, concerned: &[EntityId]) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    for id in concerned {
        let name = runtime.shared().entities[*id].table.name();
        if !names.iter().any(|each| **each == *name) {
            names.push(name.into());
        }
    }
    names
}

fn stages(old: &Runtime, tables: &[Arc<str>], concerned: &[EntityId]) -> Vec<Stage> {
    let entities = &old.shared().entities;
    let of = |table: &Arc<str>| {
        let here = concerned.iter().copied().filter(|id| *entities[*id].table.name() == **table);
        Stage { label: table.clone(), table: table.clone(), entities: here.collect() }
    };
    tables.iter().map(of).collect()
}

fn universe(old: &Runtime, new: &Runtime) -> BTreeMap<String, BTreeSet<String>> {
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for runtime in [old, new] {
        for info in runtime.shared().entities.iter() {
            let names = tables.entry(info.table.name().to_owned()).or_default();
            names.extend(hidden::ALL.iter().map(|name| (*name).to_owned()));
            names.extend(stored_names(runtime.program(), info.at));
        }
    }
    tables
}

/// The attributes in which an entity stores something.
pub(crate) fn stored_names(program: &Program, entity: EntityId) -> BTreeSet<String> {
    let of = &program.entities[entity];
    let attributes = of.attributes.iter().filter(|each| each.is_stored()).map(|each| each.name.to_string());
    let kind = program.table_of(entity).and_then(|table| table.kind.as_ref()).map(ToString::to_string);
    attributes.chain(of.templates.iter().map(|each| each.name.to_string())).chain(kind).collect()
}
