//! Mutants: a design with one guarantee taken out. If all tests still pass, none of them covers that guarantee.

use sortkey_design::Design;
use sortkey_design::facts::{actions, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Span;

/// Annotations that always change what the runtime does.
const ANNOTATIONS: [&str; 4] = ["transient", "encrypted", "normalize", "version"];

/// A design that lacks one thing.
pub struct Mutant {
    /// The part that is taken out.
    pub what: String,
    /// Its place.
    pub span: Span,
    /// The declaration that it is part of.
    pub(super) part: Part,
    /// Takes it out.
    change: Box<Change>,
}

/// A declaration of a design, by its place among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// An entity.
    Entity(usize),
    /// A pattern.
    Pattern(usize),
    /// An operation, the body of a worker included.
    Operation(usize),
}

type Change = dyn Fn(&mut Design) + Send + Sync;

impl Mutant {
    /// The design without the part. It is made when it is needed: a large design has hundreds of mutants.
    pub fn of(&self, design: &Design) -> Design {
        let mut mutant = design.clone();
        (self.change)(&mut mutant);
        mutant
    }
}

/// Every design that is one annotation, condition, guard, transition, transaction or check short of this one.
pub fn mutants(design: &Design) -> Vec<Mutant> {
    let mut found = Vec::new();
    for at in 0..design.entities.len() {
        of_entity(design, at, &mut found);
    }
    for (at, pattern) in design.patterns.iter().enumerate() {
        let name = &pattern.name;
        if pattern.requires.is_some() {
            let change: Box<Change> = Box::new(move |design| design.patterns[at].requires = None);
            let what = format!("`requires` of {name}");
            found.push(Mutant { what, span: name.span, part: Part::Pattern(at), change });
        }
        if pattern.filter.is_some() {
            let change: Box<Change> = Box::new(move |design| design.patterns[at].filter = None);
            let what = format!("`filter` of {name}");
            found.push(Mutant { what, span: name.span, part: Part::Pattern(at), change });
        }
    }
    for at in 0..design.operations.len() {
        of_operation(design, at, &mut found);
    }
    found
}

fn of_entity(design: &Design, at: usize, found: &mut Vec<Mutant>) {
    let entity = &design.entities[at];
    let name = &entity.name;
    let mut without = |what: String, span: Span, change: Box<dyn Fn(&mut Entity) + Send + Sync>| {
        let change: Box<Change> = Box::new(move |design| change(&mut design.entities[at]));
        found.push(Mutant { what, span, part: Part::Entity(at), change });
    };
    for (index, unique) in entity.uniques.iter().enumerate() {
        let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
        let what = format!("`unique {}` of {name}", names.join(", "));
        without(what, unique.span, Box::new(move |entity| drop(entity.uniques.remove(index))));
    }
    for (index, check) in entity.checks.iter().enumerate() {
        let remove = move |entity: &mut Entity| drop(entity.checks.remove(index));
        without(format!("a check of {name}"), check.condition.span, Box::new(remove));
    }
    if let Some(tenant) = &entity.tenant {
        without(format!("`tenant` of {name}"), tenant.span, Box::new(|entity| entity.tenant = None));
    }
    if let Some(deleted) = &entity.deleted {
        without(format!("`deleted when` of {name}"), deleted.span, Box::new(|entity| entity.deleted = None));
    }
    for (index, states) in entity.states.iter().enumerate() {
        for (inner, transition) in states.transitions.iter().enumerate() {
            let arrow = format!("{} -> {}", listed(&transition.from), listed(&transition.to));
            let remove = move |entity: &mut Entity| drop(entity.states[index].transitions.remove(inner));
            without(format!("`{arrow}` of {name}"), states.span, Box::new(remove));
            if transition.condition.is_some() {
                let open =
                    move |entity: &mut Entity| entity.states[index].transitions[inner].condition = None;
                without(format!("the `if` of `{arrow}` of {name}"), states.span, Box::new(open));
            }
        }
        for (inner, enter) in states.enters.iter().enumerate() {
            let remove = move |entity: &mut Entity| drop(entity.states[index].enters.remove(inner));
            without(format!("`enter {}` of {name}", listed(&enter.states)), states.span, Box::new(remove));
        }
    }
    for (index, attribute) in entity.attributes.iter().enumerate() {
        for (inner, annotation) in attribute.annotations.iter().enumerate() {
            if matters(design, entity, attribute, &annotation.name.text) {
                let remove =
                    move |entity: &mut Entity| drop(entity.attributes[index].annotations.remove(inner));
                let what = format!("`@{}` of {name}.{}", annotation.name, attribute.name);
                without(what, annotation.span, Box::new(remove));
            }
        }
    }
}

/// Whether taking out an annotation can change the behaviour: an equivalent mutant cannot be killed.
fn matters(design: &Design, entity: &Entity, attribute: &Attribute, annotation: &str) -> bool {
    match annotation {
        // Derived attributes and keys are refused anyway, and an attribute that no operation may write stays as it is.
        "immutable" => {
            let key = key_attributes(design, entity).contains(&attribute.name.text.as_str());
            !attribute.is_derived()
                && !key
                && design.operations.iter().any(|each| may_write(each, entity, attribute))
        }
        // A generated secret that is never stored is shown once, marked or not.
        "secret" => !(attribute.has("transient") && attribute.value.is_some()),
        other => ANNOTATIONS.contains(&other),
    }
}

/// Whether an operation could write an attribute of an item that is already there.
fn may_write(operation: &Operation, entity: &Entity, attribute: &Attribute) -> bool {
    actions(operation).iter().any(|site| {
        let action = site.action;
        let writes =
            matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert) && action.entity == entity.name;
        let takes_all = operation.short.as_ref().is_some_and(|short| short.names.is_none());
        let copies = !action.fields.spreads.is_empty();
        writes && (takes_all || copies || action.fields.get(&attribute.name.text).is_some())
    })
}

fn of_operation(design: &Design, at: usize, found: &mut Vec<Mutant>) {
    let operation = &design.operations[at];
    let name = &operation.name;
    let mut without = |what: String, span: Span, change: Box<dyn Fn(&mut Operation) + Send + Sync>| {
        let change: Box<Change> = Box::new(move |design| change(&mut design.operations[at]));
        found.push(Mutant { what, span, part: Part::Operation(at), change });
    };
    if let Some(requires) = &operation.requires {
        without(
            format!("`requires` of {name}"),
            requires.span,
            Box::new(|operation| operation.requires = None),
        );
    }
    if let Some((parameter, _)) = &operation.idempotent {
        // The parameter stays, so that calls that give it are still calls.
        let name_of_token = parameter.clone();
        let remember = move |operation: &mut Operation| {
            operation.idempotent = None;
            operation.idempotent_within.clear();
            operation.params.push(Param {
                name: name_of_token.clone(),
                optional: true,
                ty: Type::String { format: StringFormat::Plain, min: 0, max: None },
                default: None,
            });
        };
        without(format!("`idempotent` of {name}"), parameter.span, Box::new(remember));
    }
    for index in 0..operation.handlers.len() {
        let error = &operation.handlers[index].0;
        let remove = move |operation: &mut Operation| drop(operation.handlers.remove(index));
        without(format!("`on {error}` of {name}"), error.span, Box::new(remove));
    }
    let mut places = Vec::new();
    conditions(&operation.body, &mut Vec::new(), &mut places);
    for (path, span) in places {
        let open = move |operation: &mut Operation| drop_condition(&mut operation.body, &path);
        without(format!("a condition of {name}"), span, Box::new(open));
    }
    let mut blocks = Vec::new();
    atomic(&operation.body, &mut Vec::new(), &mut blocks);
    for (path, span, what) in blocks {
        let open = move |operation: &mut Operation| dissolve(&mut operation.body, &path);
        without(format!("{what} of {name}"), span, Box::new(open));
    }
}

/// The parts that only a race can exercise: transactions of several statements, and the checks in them.
fn atomic(body: &[Stmt], way: &mut Vec<usize>, found: &mut Vec<(Vec<usize>, Span, &'static str)>) {
    for (at, statement) in body.iter().enumerate() {
        way.push(at);
        match &statement.kind {
            StmtKind::Transact { body } => {
                if body.len() > 1 {
                    found.push((way.clone(), statement.span, "the `transact`"));
                }
                atomic(body, way, found);
            }
            StmtKind::Each { body, .. } => atomic(body, way, found),
            StmtKind::Do { value: Value::Action(action) } if action.verb == WriteVerb::Check => {
                found.push((way.clone(), statement.span, "a `check`"));
            }
            _ => {}
        }
        way.pop();
    }
}

/// Puts the statements of a transaction in its place, one after the other, or takes a `check` out. Blocks nest as deep as the
/// parser allows.
fn dissolve(body: &mut Vec<Stmt>, way: &[usize]) {
    let Some((at, rest)) = way.split_first() else { return };
    let Some(statement) = body.get_mut(*at) else { return };
    match &mut statement.kind {
        StmtKind::Transact { body } | StmtKind::Each { body, .. } if !rest.is_empty() => dissolve(body, rest),
        StmtKind::Transact { body: inner } => {
            let inner = std::mem::take(inner);
            body.splice(*at..=*at, inner);
        }
        _ => drop(body.remove(*at)),
    }
}

/// The places of conditions: the way through blocks, by indexes.
fn conditions(body: &[Stmt], way: &mut Vec<usize>, found: &mut Vec<(Vec<usize>, Span)>) {
    for (at, statement) in body.iter().enumerate() {
        way.push(at);
        match &statement.kind {
            StmtKind::Let { value: Value::Action(action), .. }
            | StmtKind::Do { value: Value::Action(action) } => {
                found.extend(action.condition.as_ref().map(|condition| (way.clone(), condition.span)));
            }
            StmtKind::Require { condition, .. } => found.push((way.clone(), condition.span)),
            StmtKind::Transact { body } | StmtKind::Each { body, .. } => conditions(body, way, found),
            _ => {}
        }
        way.pop();
    }
}

/// Blocks nest as deep as the parser allows.
fn drop_condition(body: &mut [Stmt], way: &[usize]) {
    let Some((at, rest)) = way.split_first() else { return };
    let Some(statement) = body.get_mut(*at) else { return };
    match &mut statement.kind {
        StmtKind::Let { value: Value::Action(action), .. }
        | StmtKind::Do { value: Value::Action(action) } => {
            action.condition = None;
        }
        StmtKind::Require { condition, .. } => {
            condition.kind = ExprKind::Name { name: "true".to_owned() };
        }
        StmtKind::Transact { body } | StmtKind::Each { body, .. } => drop_condition(body, rest),
        _ => {}
    }
}

fn listed(names: &[Name]) -> String {
    names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}
