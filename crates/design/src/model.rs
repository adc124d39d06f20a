//! The compiled design: what the text means, with every name resolved and every place remembered.
//!
//! The model is immutable data. Facts that need reasoning (access paths, sizes, collisions) live in their own
//! modules and are computed from it.

mod entity;
mod expression;
mod live;
mod migration;
mod name;
mod operation;
mod pattern;
mod table;
mod types;

pub use entity::*;
pub use expression::*;
pub use live::*;
pub use migration::*;
pub use name::*;
pub use operation::*;
pub use pattern::*;
pub use table::*;
pub use types::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// A whole design.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Design {
    /// Its name; empty if the file names none.
    pub name: Name,
    /// Its version.
    pub version: Option<u64>,
    /// The parameters that a deployment fills in.
    pub parameters: Vec<Parameter>,
    /// The attributes of a caller.
    pub caller: Vec<Attribute>,
    /// The span of the declaration of `caller`.
    #[serde(skip)]
    pub caller_span: Option<Span>,
    /// Declared enums.
    pub enums: Vec<Enum>,
    /// Declared records.
    pub records: Vec<Record>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The entities.
    pub entities: Vec<Entity>,
    /// Conditions on callers.
    pub rules: Vec<Rule>,
    /// Reads.
    pub patterns: Vec<Pattern>,
    /// Writes.
    pub operations: Vec<Operation>,
    /// An effect outside of the database.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// A worker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<Worker>,
    /// Paths of HTTP requests that operations answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Route>,
    /// How callers are recognised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Session>,
    /// Tests.
    pub tests: Vec<Test>,
    /// Sentences of the prose, tied to facts.
    pub claims: Vec<Claim>,
    /// Mappings from earlier designs.
    pub migrations: Vec<Migration>,
    /// Groups of exported names.
    pub modules: Vec<Module>,
    /// The silenced lints, each with its place.
    #[serde(skip)]
    pub allows: Vec<Allow>,
}

/// `parameter stack: string = "dev"`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its value if none is given.
    pub default: Option<Expr>,
}

/// `rule mayWrite(profileId) = ...`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The condition.
    pub condition: Expr,
}

/// `claim "two tables" tables = 2`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The sentence of the prose.
    pub sentence: String,
    /// The fact.
    pub fact: Expr,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// `module users { create: createUser }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// Exported name, and the pattern or operation behind it.
    pub entries: Vec<(Name, Name)>,
}

/// `allow rule because "..."`, with the block in which it silences.
#[derive(Clone, Debug, PartialEq)]
pub struct Allow {
    /// The rule.
    pub rule: Name,
    /// Why.
    pub reason: String,
    /// Diagnostics whose primary label lies in here are silenced.
    pub scope: Span,
    /// Its place in the text.
    pub span: Span,
}

impl Design {
    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name.is(name))
    }

    /// The entity of that name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name.is(name))
    }

    /// The enum of that name.
    pub fn enumeration(&self, name: &str) -> Option<&Enum> {
        self.enums.iter().find(|each| each.name.is(name))
    }

    /// The record of that name.
    pub fn record(&self, name: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.name.is(name))
    }

    /// The pattern of that name.
    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.name.is(name))
    }

    /// The operation of that name.
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.name.is(name))
    }

    /// The effect of that name.
    pub fn effect(&self, name: &str) -> Option<&Effect> {
        self.effects.iter().find(|effect| effect.name.is(name))
    }

    /// The rule of that name.
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name.is(name))
    }

    /// The table an entity lives in.
    pub fn table_of(&self, entity: &Entity) -> Option<&Table> {
        self.table(&entity.table.text)
    }

    /// The entities that live in a table.
    pub fn entities_in<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = &'a Entity> {
        self.entities.iter().filter(|entity| entity.table.is(&table.name.text))
    }

    /// The type of an attribute, following its reference if it declares none of its own.
    pub fn type_of<'a>(&'a self, attribute: &'a Attribute) -> &'a Type {
        // A chain of references longer than the number of entities runs in a circle.
        let mut attribute = attribute;
        for _ in 0..=self.entities.len() {
            if !attribute.ty.is_undeclared() {
                return &attribute.ty;
            }
            let Some(target) = self.target(attribute) else {
                return &attribute.ty;
            };
            attribute = target;
        }
        &attribute.ty
    }

    /// The attribute that a reference points to.
    pub fn target<'a>(&'a self, attribute: &'a Attribute) -> Option<&'a Attribute> {
        let reference = attribute.reference.as_ref()?;
        let entity = self.entity(&reference.entity.text)?;
        let name =
            reference.attribute.as_ref().map_or(attribute.name.text.as_str(), |name| name.text.as_str());
        entity.attribute(name)
    }
}
