//! What a pattern or an operation takes and yields, as the program says, in the form in which calls use it.

use sortkey_design::model::*;
use sortkey_design::program::{self, EntityId, Id, Program};

/// What a pattern or an operation takes and yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Its own name.
    pub name: String,
    /// Whether it reads or writes.
    pub kind: Kind,
    /// Whether it runs without a caller.
    pub system: bool,
    /// What it takes, in order.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub yields: Yields,
    /// What the design says about it.
    pub docs: Option<String>,
}

/// Reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It reads.
    Pattern,
    /// It writes.
    Operation,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, references followed.
    pub ty: Type,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether the caller's own value is taken if it is left out.
    pub of_caller: bool,
    /// The entity and attribute it stands for, if it is one's: its normalisation applies.
    pub attribute: Option<(String, String)>,
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Yields {
    /// Nothing.
    Nothing,
    /// An item of an entity, or nothing.
    Item(String),
    /// Items of some entities, by pages.
    Page(Vec<String>),
    /// All items of some entities.
    Items(Vec<String>),
    /// A number of items.
    Count,
    /// Whether there is one.
    Exists,
    /// A sum; several are named.
    Sums(Vec<String>),
    /// Whatever `return` says.
    Value,
}

impl Signature {
    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

/// The signatures of a program, patterns first.
pub(crate) fn of_program(program: &Program) -> Vec<Signature> {
    let patterns = program.patterns.entries().map(|(id, pattern)| {
        let params = &program.design.patterns[id.at()].params;
        Signature {
            name: pattern.name.to_string(),
            kind: Kind::Pattern,
            system: pattern.system,
            parameters: parameters(program, &pattern.signature, params),
            yields: yields(program, &pattern.signature.yields),
            docs: pattern.docs.clone(),
        }
    });
    let operations = program.operations.entries().map(|(id, operation)| {
        let params = &program.design.operations[id.at()].params;
        Signature {
            name: operation.name.to_string(),
            kind: Kind::Operation,
            system: operation.system,
            parameters: parameters(program, &operation.signature, params),
            yields: yields(program, &operation.signature.yields),
            docs: operation.docs.clone(),
        }
    });
    patterns.chain(operations).collect()
}

fn parameters(program: &Program, signature: &program::Signature, params: &[Param]) -> Vec<Parameter> {
    let design = &program.design;
    let one = |each: &program::Parameter| {
        let place = each.attribute.map(|(entity, attribute)| (entity.at(), attribute.at()));
        let source = place.map(|(entity, attribute)| &design.entities[entity].attributes[attribute]);
        let declared = params.iter().find(|param| param.name.is(&each.name));
        let ty = match (source, declared) {
            (Some(attribute), _) => design.type_of(attribute).clone(),
            (None, Some(param)) => param.ty.clone(),
            // A token is any text that its sender finds unique.
            (None, None) => Type::String { format: StringFormat::Plain, min: 1, max: Some(256) },
        };
        let entity = place.map(|(entity, _)| design.entities[entity].name.text.clone());
        Parameter {
            name: each.name.to_string(),
            ty,
            optional: each.optional,
            of_caller: each.of_caller.is_some(),
            attribute: entity.map(|entity| (entity, each.name.to_string())),
        }
    };
    signature.parameters.iter().map(one).collect()
}

fn yields(program: &Program, yields: &program::Yields) -> Yields {
    let name = |id: &EntityId| program.entities[*id].name.to_string();
    match yields {
        program::Yields::Nothing => Yields::Nothing,
        program::Yields::Item(entity) => Yields::Item(name(entity)),
        program::Yields::Page(entities) => Yields::Page(entities.iter().map(name).collect()),
        program::Yields::Items(entities) => Yields::Items(entities.iter().map(name).collect()),
        program::Yields::Count => Yields::Count,
        program::Yields::Exists => Yields::Exists,
        program::Yields::Sums(names) => Yields::Sums(names.iter().map(ToString::to_string).collect()),
        program::Yields::Value => Yields::Value,
    }
}
