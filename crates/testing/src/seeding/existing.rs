//! The arguments of an operation that name items which must exist, as in
//! `check User(userId)`, `update Source(...)`, `let t = getTenant(id)`.

use std::collections::BTreeMap;

use sortkey_design::Design;
use sortkey_design::facts::{actions, key_attributes};
use sortkey_design::model::*;

/// Parameters, each with the entity and the attribute whose value it must be.
pub(crate) type Existing<'a> = BTreeMap<&'a str, (&'a Entity, &'a str)>;

/// The parameters of an operation that name items.
pub(crate) fn existing<'a>(design: &'a Design, operation: &'a Operation) -> Existing<'a> {
    let mut found = Existing::new();
    for site in actions(operation) {
        let action = site.action;
        let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        let Some(entity) = design.entity(&action.entity.text).filter(|_| !makes) else { continue };
        let keys = key_attributes(design, entity);
        match &action.key {
            Some(args) => add(&mut found, entity, &keys, args),
            None => found.extend(keys.iter().map(|key| (*key, (entity, *key)))),
        }
    }
    called(design, &operation.body, &mut found);
    found
}

/// The patterns that a body calls. The parser bounds how deep blocks nest.
fn called<'a>(design: &'a Design, body: &'a [Stmt], found: &mut Existing<'a>) {
    for statement in body {
        match &statement.kind {
            // Without an error, the item may be missing.
            StmtKind::Let { value: Value::Expr(expr), error: Some(_), .. } => {
                if let ExprKind::Call { callee, args } = &expr.kind
                    && let Some(pattern) = callee.as_name().and_then(|name| design.pattern(name))
                    && let Some(entity) = pattern.entities.first().and_then(|name| design.entity(&name.text))
                {
                    let open = |bind: &&Bind| matches!(bind.value, BindValue::Parameter);
                    let names: Vec<&str> =
                        pattern.binds.iter().filter(open).map(|bind| bind.name.text.as_str()).collect();
                    add(found, entity, &names, args);
                }
            }
            StmtKind::Transact { body } | StmtKind::Each { body, .. } => called(design, body, found),
            _ => {}
        }
    }
}

/// Arguments that are plain names, by name or in the order of the attributes they correspond to.
fn add<'a>(found: &mut Existing<'a>, entity: &'a Entity, attributes: &[&'a str], args: &'a Args) {
    let mut order = attributes.iter().copied();
    for (name, value) in &args.values {
        let attribute = match name {
            Some(name) => Some(name.text.as_str()),
            None => {
                let next = order.next();
                // A parameter with the name of an attribute gives that attribute.
                value.as_name().filter(|name| entity.attribute(name).is_some()).or(next)
            }
        };
        if let (Some(attribute), Some(parameter)) = (attribute, value.as_name()) {
            found.entry(parameter).or_insert((entity, attribute));
        }
    }
}
