//! The shape of a rule, and what a rule is given to work with.

use sortkey_design::Program;
use sortkey_design::facts::ActionSite;
use sortkey_design::model::*;
use sortkey_design::program::{AttributeId, EntityId, Id};
use sortkey_diagnostics::{Diagnostic, Severity, Span};
use sortkey_plan::{Choice, Path, ReadPlan, Way, read};

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// The short code, stable for ever.
    pub code: &'static str,
    /// The readable name.
    pub name: &'static str,
    /// The subject of the rule.
    pub theme: Theme,
    /// The severity, unless a project overrides it.
    pub level: Severity,
    /// The source file of the rule: its `//!` lines are the documentation.
    pub source: &'static str,
    /// The kind of node that it inspects, and the function.
    pub inspect: Inspect,
}

/// The subject of a rule.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Theme {
    Keys,
    Indexes,
    Patterns,
    Storage,
    Time,
    Operations,
    Workers,
    Protection,
    Claims,
    Migrations,
}

/// The node that a rule subscribes to, with its one function.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum Inspect {
    Design(fn(&mut Context<'_>)),
    Table(fn(&Table, &mut Context<'_>)),
    Index(fn(&Table, &Index, &mut Context<'_>)),
    Entity(fn(&Entity, &mut Context<'_>)),
    Attribute(fn(&Entity, &Attribute, &mut Context<'_>)),
    Pattern(fn(&Pattern, &mut Context<'_>)),
    Operation(fn(&Operation, &mut Context<'_>)),
    Action(fn(&Operation, &ActionSite<'_>, &mut Context<'_>)),
    Worker(fn(&Worker, &mut Context<'_>)),
    Claim(fn(&Claim, &mut Context<'_>)),
    Migration(fn(&Migration, &mut Context<'_>)),
}

/// The path of each pattern, worked out once for all rules.
pub(crate) struct Paths(Vec<Option<Choice>>);

impl Paths {
    pub(crate) fn of(program: &Program) -> Paths {
        Paths(program.patterns.ids().map(|id| read(program, id)).collect())
    }
}

/// The design under inspection and what a rule has found so far.
pub struct Context<'a> {
    /// The design.
    pub design: &'a Design,
    /// The compiled design.
    pub program: &'a Program,
    paths: &'a Paths,
    lint: &'static Lint,
    found: Vec<Diagnostic>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        design: &'a Design,
        program: &'a Program,
        paths: &'a Paths,
        lint: &'static Lint,
    ) -> Context<'a> {
        Context { design, program, paths, lint, found: Vec::new() }
    }

    /// The path that serves a pattern and those that do not; none if it reads nothing that exists.
    pub fn choice(&self, pattern: &Pattern) -> Option<&'a Choice> {
        let at = self.design.patterns.iter().position(|each| std::ptr::eq(each, pattern))?;
        self.paths.0.get(at)?.as_ref()
    }

    /// Why no path serves a pattern; none if one does.
    pub fn unserved(&self, pattern: &Pattern) -> Option<&'a Choice> {
        self.choice(pattern).filter(|choice| choice.plan.is_none())
    }

    /// The path that serves a pattern.
    pub fn plan(&self, pattern: &Pattern) -> Option<&'a ReadPlan> {
        self.choice(pattern)?.plan.as_ref()
    }

    /// The entity that a path leads to.
    pub fn entity_of(&self, path: Path) -> &'a Entity {
        &self.design.entities[path.entity.at()]
    }

    /// The table that a path leads into.
    pub fn table_of(&self, path: Path) -> &'a Table {
        &self.design.tables[path.table.at()]
    }

    /// The names of some attributes of an entity.
    pub fn names(&self, entity: EntityId, attributes: &[AttributeId]) -> Vec<&'a str> {
        let of = &self.program.entities[entity];
        attributes.iter().map(|id| &*of.attributes[*id].name).collect()
    }

    /// The name of an attribute of an entity.
    pub fn name(&self, entity: EntityId, attribute: AttributeId) -> &'a str {
        &self.program.entities[entity].attributes[attribute].name
    }

    /// A diagnostic of this rule at a place.
    pub fn at(&self, span: Span, title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.lint.code, self.lint.name, self.lint.level, span, title)
    }

    /// Reports it.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Whether an `allow` silences this rule at a place: a rule that reports only the first of several places skips those.
    pub fn is_allowed(&self, place: Span) -> bool {
        self.design.allows.iter().any(|allow| allow.rule.is(self.lint.name) && allow.scope.contains(place))
    }

    /// The patterns that read an entity, directly or by `then get`.
    pub fn readers(&self, entity: &Entity) -> impl Iterator<Item = &'a Pattern> {
        let name = entity.name.text.clone();
        self.design
            .patterns
            .iter()
            .filter(move |pattern| pattern.entities.iter().chain(&pattern.then).any(|each| each.is(&name)))
    }

    /// The patterns whose path is an index.
    pub fn users_of(&self, index: &Index) -> Vec<&'a Pattern> {
        let is_user = |pattern: &&Pattern| {
            let path = self.plan(pattern).map(|plan| plan.path);
            path.is_some_and(|path| match path.way {
                Way::Index(own) => std::ptr::eq(&self.table_of(path).indexes[own.at()], index),
                _ => false,
            })
        };
        self.design.patterns.iter().filter(is_user).collect()
    }

    pub(crate) fn run(mut self) -> Vec<Diagnostic> {
        let design = self.design;
        match self.lint.inspect {
            Inspect::Design(inspect) => inspect(&mut self),
            Inspect::Table(inspect) => design.tables.iter().for_each(|table| inspect(table, &mut self)),
            Inspect::Index(inspect) => {
                for table in &design.tables {
                    table.indexes.iter().for_each(|index| inspect(table, index, &mut self));
                }
            }
            Inspect::Entity(inspect) => design.entities.iter().for_each(|entity| inspect(entity, &mut self)),
            Inspect::Attribute(inspect) => {
                for entity in &design.entities {
                    entity.attributes.iter().for_each(|attribute| inspect(entity, attribute, &mut self));
                }
            }
            Inspect::Pattern(inspect) => {
                design.patterns.iter().for_each(|pattern| inspect(pattern, &mut self))
            }
            Inspect::Operation(inspect) => {
                design.operations.iter().for_each(|operation| inspect(operation, &mut self));
            }
            Inspect::Action(inspect) => {
                for operation in &design.operations {
                    for site in sortkey_design::facts::actions(operation) {
                        inspect(operation, &site, &mut self);
                    }
                }
            }
            Inspect::Worker(inspect) => design.workers.iter().for_each(|worker| inspect(worker, &mut self)),
            Inspect::Claim(inspect) => design.claims.iter().for_each(|claim| inspect(claim, &mut self)),
            Inspect::Migration(inspect) => {
                design.migrations.iter().for_each(|migration| inspect(migration, &mut self));
            }
        }
        self.found
    }
}
