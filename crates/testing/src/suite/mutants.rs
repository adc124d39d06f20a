//! Mutants: a design with one guarantee taken out. If all tests still pass, none of them covers that guarantee.

use sortkey_design::Design;
use sortkey_design::facts::{actions, key_attributes};
use sortkey_design::model::*;
use sortkey_diagnostics::Span;

/// Annotations that always change what the runtime does.
const ANNOTATIONS: [&str; 4] = ["transient", "encrypted", "normalize", "version"];

/// A design that lacks one thing.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The part that was taken out.
    pub what: String,
    /// Its former place.
    pub span: Span,
    /// The design without it.
    pub design: Design,
}

/// Every design that is one annotation, condition, guard, transition, transaction or check short of this one.
pub fn mutants(design: &Design) -> Vec<Mutant> {
    let mut found = Vec::new();
    for at in 0..design.entities.len() {
        of_entity(design, at, &mut found);
    }
    for (at, pattern) in design.patterns.iter().enumerate() {
        let name = &pattern.name;
        let mut without = |what: String, change: &dyn Fn(&mut Pattern)| {
            take(design, what, name.span, &mut found, |design| change(&mut design.patterns[at]));
        };
        if pattern.requires.is_some() {
            without(format!("`requires` of {name}"), &|pattern| pattern.requires = None);
        }
        if pattern.filter.is_some() {
            without(format!("`filter` of {name}"), &|pattern| pattern.filter = None);
        }
    }
    for at in 0..design.operations.len() {
        of_operation(design, at, &mut found);
    }
    found
}

fn take(
    design: &Design,
    what: String,
    span: Span,
    found: &mut Vec<Mutant>,
    change: impl FnOnce(&mut Design),
) {
    let mut design = design.clone();
    change(&mut design);
    found.push(Mutant { what, span, design });
}

fn of_entity(design: &Design, at: usize, found: &mut Vec<Mutant>) {
    let entity = &design.entities[at];
    let name = &entity.name;
    let mut without = |what: String, span: Span, change: &dyn Fn(&mut Entity)| {
        take(design, what, span, found, |design| change(&mut design.entities[at]));
    };
    for (index, unique) in entity.uniques.iter().enumerate() {
        let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
        let what = format!("`unique {}` of {name}", names.join(", "));
        without(what, unique.span, &|entity| drop(entity.uniques.remove(index)));
    }
    for (index, check) in entity.checks.iter().enumerate() {
        without(format!("a check of {name}"), check.condition.span, &|entity| {
            drop(entity.checks.remove(index))
        });
    }
    if let Some(tenant) = &entity.tenant {
        without(format!("`tenant` of {name}"), tenant.span, &|entity| entity.tenant = None);
    }
    if let Some(deleted) = &entity.deleted {
        without(format!("`deleted when` of {name}"), deleted.span, &|entity| entity.deleted = None);
    }
    for (index, states) in entity.states.iter().enumerate() {
        for (inner, transition) in states.transitions.iter().enumerate() {
            let arrow = format!("{} -> {}", listed(&transition.from), listed(&transition.to));
            let remove = |entity: &mut Entity| drop(entity.states[index].transitions.remove(inner));
            without(format!("`{arrow}` of {name}"), states.span, &remove);
            if transition.condition.is_some() {
                let open = |entity: &mut Entity| entity.states[index].transitions[inner].condition = None;
                without(format!("the `if` of `{arrow}` of {name}"), states.span, &open);
            }
        }
        for (inner, enter) in states.enters.iter().enumerate() {
            let remove = |entity: &mut Entity| drop(entity.states[index].enters.remove(inner));
            without(format!("`enter {}` of {name}", listed(&enter.states)), states.span, &remove);
        }
    }
    for (index, attribute) in entity.attributes.iter().enumerate() {
        for (inner, annotation) in attribute.annotations.iter().enumerate() {
            if matters(design, entity, attribute, &annotation.name.text) {
                let remove = |entity: &mut Entity| drop(entity.attributes[index].annotations.remove(inner));
                let what = format!("`@{}` of {name}.{}", annotation.name, attribute.name);
                without(what, annotation.span, &remove);
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
    let mut without = |what: String, span: Span, change: &dyn Fn(&mut Operation)| {
        take(design, what, span, found, |design| change(&mut design.operations[at]));
    };
    if let Some(requires) = &operation.requires {
        without(format!("`requires` of {name}"), requires.span, &|operation| operation.requires = None);
    }
    if let Some((parameter, _)) = &operation.idempotent {
        // The parameter stays, so that calls that give it are still calls.
        let remember = |operation: &mut Operation| {
            operation.idempotent = None;
            operation.idempotent_within.clear();
            operation.params.push(Param {
                name: parameter.clone(),
                optional: true,
                ty: Type::String { format: StringFormat::Plain, min: 0, max: None },
                default: None,
            });
        };
        without(format!("`idempotent` of {name}"), parameter.span, &remember);
    }
    for index in 0..operation.handlers.len() {
        let error = &operation.handlers[index].0;
        let remove = |operation: &mut Operation| drop(operation.handlers.remove(index));
        without(format!("`on {error}` of {name}"), error.span, &remove);
    }
    let mut places = Vec::new();
    conditions(&operation.body, &mut Vec::new(), &mut places);
    for (path, span) in places {
        let open = |operation: &mut Operation| drop_condition(&mut operation.body, &path);
        without(format!("a condition of {name}"), span, &open);
    }
    let mut blocks = Vec::new();
    atomic(&operation.body, &mut Vec::new(), &mut blocks);
    for (path, span, what) in blocks {
        let open = |operation: &mut Operation| dissolve(&mut operation.body, &path);
        without(format!("{what} of {name}"), span, &open);
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
