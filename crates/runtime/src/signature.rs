//! What a pattern or an operation takes and yields: for positional calls, for checking arguments, for OpenAPI.
//!
//! A pattern takes the names that `by` leaves open, in order, then its declared parameters. An operation takes its
//! declared parameters; the short form takes the key and the attributes it names.

use std::sync::Arc;

use sortkey_design::facts::{is_made_for, key_attributes};
use sortkey_design::model::*;

use crate::values::Fields;

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
    /// The name as arguments carry it: a copy costs no text.
    pub(crate) label: Arc<str>,
    /// Its type, references followed.
    pub ty: Type,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether the caller's own value is taken if it is left out.
    pub of_caller: bool,
    /// The entity and attribute it stands for, if it is one's: its normalisation applies.
    pub attribute: Option<(String, String)>,
    /// The same by their places in the design.
    pub(crate) place: Option<(usize, usize)>,
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

impl Signature {
    /// The first parameter that must be given and is not among these arguments.
    pub(crate) fn missing(&self, arguments: &Fields) -> Option<&Parameter> {
        self.parameters.iter().find(|each| !each.optional && !arguments.contains_key(&each.name))
    }
}

/// The signatures of a whole design, patterns first.
pub(crate) fn of_design(design: &Design) -> Vec<Signature> {
    let patterns = design.patterns.iter().map(|pattern| of_pattern(design, pattern));
    let operations = design.operations.iter().map(|operation| of_operation(design, operation));
    patterns.chain(operations).collect()
}

fn of_pattern(design: &Design, pattern: &Pattern) -> Signature {
    let entity = pattern.entities.first().and_then(|name| design.entity(&name.text));
    let mut parameters = Vec::new();
    for bind in &pattern.binds {
        if matches!(bind.value, BindValue::Parameter) && pattern.param(&bind.name.text).is_none() {
            let ours = entity.is_some_and(|entity| is_tenant(entity, &bind.name.text) && !pattern.system);
            parameters.push(of_attribute(design, entity, &bind.name.text, false, ours));
        }
    }
    parameters.extend(pattern.params.iter().map(|param| of_param(design, entity, param)));
    Signature {
        name: pattern.name.text.clone(),
        kind: Kind::Pattern,
        system: pattern.system,
        parameters,
        yields: yields(pattern),
        docs: pattern.docs.clone(),
    }
}

fn yields(pattern: &Pattern) -> Yields {
    let entities = match &pattern.then {
        Some(then) => vec![then.text.clone()],
        None => pattern.entities.iter().map(|name| name.text.clone()).collect(),
    };
    match pattern.verb {
        ReadVerb::Get => Yields::Item(entities.into_iter().next().unwrap_or_default()),
        ReadVerb::Count => Yields::Count,
        ReadVerb::Exists => Yields::Exists,
        ReadVerb::Sum => Yields::Sums(pattern.summed.iter().map(|name| name.text.clone()).collect()),
        _ if pattern.page.is_some() => Yields::Page(entities),
        _ => Yields::Items(entities),
    }
}

fn of_operation(design: &Design, operation: &Operation) -> Signature {
    let action = operation.body.iter().find_map(action_of);
    let entity = action.and_then(|action| design.entity(&action.entity.text));
    let mut parameters: Vec<Parameter> =
        operation.params.iter().map(|param| of_param_of_operation(design, operation, param)).collect();
    if let (Some(short), Some(action), Some(entity)) = (&operation.short, action, entity) {
        for parameter in of_short_form(design, operation, short, action, entity) {
            if !parameters.iter().any(|each| each.name == parameter.name) {
                parameters.push(parameter);
            }
        }
    }
    if let Some((name, _)) = &operation.idempotent
        && !parameters.iter().any(|each| name.is(&each.name))
    {
        let ty = Type::String { format: StringFormat::Plain, min: 1, max: Some(256) };
        parameters.push(Parameter {
            name: name.text.clone(),
            label: name.text.as_str().into(),
            ty,
            optional: true,
            of_caller: false,
            attribute: None,
            place: None,
        });
    }
    Signature {
        name: operation.name.text.clone(),
        kind: Kind::Operation,
        system: operation.system,
        parameters,
        yields: yields_of(operation),
        docs: operation.docs.clone(),
    }
}

/// `return` says what an operation gives; without it, the last statement does. A transaction gives the first item that it
/// makes.
fn yields_of(operation: &Operation) -> Yields {
    let Some(last) = operation.body.last() else { return Yields::Nothing };
    let makes =
        |action: &&Action| matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
    let action = match &last.kind {
        StmtKind::Return { .. } => return Yields::Value,
        StmtKind::Transact { body } => body.iter().filter_map(action_of).find(makes),
        _ => action_of(last).filter(|action| action.verb != WriteVerb::Check),
    };
    action.map_or(Yields::Nothing, |action| Yields::Item(action.entity.text.clone()))
}

/// The key, then what is named: everything settable for `create` and `put`.
fn of_short_form(
    design: &Design,
    operation: &Operation,
    short: &ShortForm,
    action: &Action,
    entity: &Entity,
) -> Vec<Parameter> {
    let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put);
    let mut parameters = Vec::new();
    let keys = key_attributes(design, entity);
    let inputs = |name: &str| match entity.attribute(name).and_then(|each| each.value.as_ref()) {
        Some(Fill { derived: true, value }) => value.names().into_iter().map(str::to_owned).collect(),
        _ => vec![name.to_owned()],
    };
    let ours = |name: &str| is_tenant(entity, name) && !operation.system;
    if !makes {
        for name in keys.iter().flat_map(|key| inputs(key)) {
            if entity.attribute(&name).is_some()
                && !parameters.iter().any(|each: &Parameter| each.name == name)
            {
                parameters.push(of_attribute(design, Some(entity), &name, false, ours(&name)));
            }
        }
    }
    let settable = entity.attributes.iter().filter(|each| !each.is_derived() && !each.has("virtual"));
    let named: Vec<&str> = match (&short.names, action.verb) {
        (Some(names), _) => names.iter().map(|name| name.text.as_str()).collect(),
        (None, WriteVerb::Delete | WriteVerb::Purge | WriteVerb::Get | WriteVerb::Check) => Vec::new(),
        (None, verb) => settable
            .filter(|each| !(makes && is_made_for(design, operation, each)))
            .filter(|each| makes || !(each.has("immutable") && verb == WriteVerb::Update))
            .map(|each| each.name.text.as_str())
            .collect(),
    };
    for name in named {
        if !parameters.iter().any(|each| each.name == name) {
            let optional = !makes || entity.attribute(name).is_some_and(may_be_left_out);
            parameters.push(of_attribute(design, Some(entity), name, optional, ours(name)));
        }
    }
    if makes {
        // What must be given comes first, so that positional calls read well.
        parameters.sort_by_key(|parameter| parameter.optional || parameter.of_caller);
    }
    parameters
}

fn may_be_left_out(attribute: &Attribute) -> bool {
    attribute.may_be_absent() || attribute.value.is_some()
}

fn of_attribute(
    design: &Design,
    entity: Option<&Entity>,
    name: &str,
    optional: bool,
    of_caller: bool,
) -> Parameter {
    let attribute = entity.and_then(|entity| entity.attribute(name));
    let at = |entity: &Entity| {
        let place = design.entities.iter().position(|each| each.name == entity.name)?;
        Some((place, entity.attributes.iter().position(|each| each.name.is(name))?))
    };
    Parameter {
        name: name.to_owned(),
        label: name.into(),
        ty: attribute.map(|each| design.type_of(each).clone()).unwrap_or_default(),
        optional: optional || of_caller,
        of_caller,
        attribute: entity
            .filter(|_| attribute.is_some())
            .map(|each| (each.name.text.clone(), name.to_owned())),
        place: entity.and_then(at),
    }
}

fn of_param(design: &Design, entity: Option<&Entity>, param: &Param) -> Parameter {
    let mut parameter = of_attribute(design, entity, &param.name.text, false, false);
    if !param.ty.is_undeclared() {
        parameter.ty = param.ty.clone();
        parameter.attribute = None;
        parameter.place = None;
    }
    parameter.optional = param.optional || param.default.is_some();
    parameter
}

/// A parameter without a type is that of the first attribute of its name among the entities the operation writes,
/// then among all.
fn of_param_of_operation(design: &Design, operation: &Operation, param: &Param) -> Parameter {
    let written = sortkey_design::facts::actions(operation);
    let written = written.iter().filter_map(|site| design.entity(&site.action.entity.text));
    let entity = written.chain(&design.entities).find(|entity| entity.attribute(&param.name.text).is_some());
    of_param(design, entity, param)
}

fn action_of(statement: &Stmt) -> Option<&Action> {
    match &statement.kind {
        StmtKind::Do { value: Value::Action(action) }
        | StmtKind::Let { value: Value::Action(action), .. } => Some(action),
        _ => None,
    }
}

/// Whether an attribute names the owner of the entity's items.
pub(crate) fn is_tenant(entity: &Entity, name: &str) -> bool {
    entity.tenant.as_ref().is_some_and(|tenant| tenant.is(name))
}
