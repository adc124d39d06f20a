//! The sources of stored key attributes, and the attributes that determine a whole key.

use super::Bound;
use crate::model::*;

/// The source of a stored attribute's value.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A template over other attributes.
    Template(&'a Template),
    /// The attribute of that name itself.
    Natural(&'a Attribute),
}

/// The source of a stored attribute of an entity, if it has one.
pub fn source<'a>(entity: &'a Entity, stored: &str) -> Option<Source<'a>> {
    let template = entity.template(stored).map(Source::Template);
    template.or_else(|| entity.attribute(stored).filter(|each| each.is_stored()).map(Source::Natural))
}

impl<'a> Source<'a> {
    /// The attributes it is made of.
    pub fn slots(self) -> Vec<&'a str> {
        match self {
            Source::Template(template) => template.slots().map(|name| name.text.as_str()).collect(),
            Source::Natural(attribute) => vec![&attribute.name.text],
        }
    }

    /// The condition under which it is present.
    pub fn when(self) -> Option<&'a Expr> {
        match self {
            Source::Template(template) => template.when.as_ref(),
            Source::Natural(attribute) => attribute.when.as_ref(),
        }
    }
}

/// The attributes that make up an entity's primary key, each once, partition first.
pub fn key_attributes<'a>(design: &'a Design, entity: &'a Entity) -> Vec<&'a str> {
    let Some(table) = design.table_of(entity) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for name in table.key.attributes() {
        for slot in source(entity, &name.text).map(Source::slots).unwrap_or_default() {
            if !found.contains(&slot) {
                found.push(slot);
            }
        }
    }
    found
}

/// Whether an attribute's value follows from the known ones: it is known, or derived from known ones alone.
pub fn settles(entity: &Entity, known: &[&str], attribute: &str) -> bool {
    // A chain of derivations is at most as long as the list of attributes.
    let mut wanted = vec![attribute];
    for _ in 0..=entity.attributes.len() {
        let Some(name) = wanted.pop() else { return true };
        if known.contains(&name) {
            continue;
        }
        let Some(Fill { derived: true, value }) = entity.attribute(name).and_then(|each| each.value.as_ref())
        else {
            return false;
        };
        let inputs: Vec<&str> =
            value.names().into_iter().filter(|name| entity.attribute(name).is_some()).collect();
        if inputs.is_empty() {
            return false;
        }
        wanted.extend(inputs);
    }
    wanted.is_empty()
}

/// The attributes of an entity that an action's key arguments give.
pub fn determined<'a>(
    design: &'a Design,
    operation: &'a Operation,
    lets: &[(&'a Name, Bound<'a>)],
    action: &'a Action,
) -> Vec<&'a str> {
    let Some(entity) = design.entity(&action.entity.text) else {
        return Vec::new();
    };
    let keys = key_attributes(design, entity);
    let mut found = Vec::new();
    let mut position = 0;
    for (name, value) in action.key.iter().flat_map(|args| &args.values) {
        if let Some(name) = name {
            found.push(name.text.as_str());
        } else if let Some(name) = value.as_name().filter(|name| entity.attribute(name).is_some()) {
            found.push(name);
            position += 1;
        } else if let Some(key) = keys.get(position) {
            found.push(*key);
            position += 1;
        }
    }
    for spread in action.key.iter().flat_map(|args| &args.spreads) {
        found.extend(spread_attributes(design, operation, lets, &spread.text));
    }
    if matches!(action.verb, WriteVerb::Create | WriteVerb::Put) {
        for field in &action.fields.fields {
            found.extend(field.path.first().map(|name| name.text.as_str()));
        }
        for spread in &action.fields.spreads {
            found.extend(spread_attributes(design, operation, lets, &spread.text));
            // A parameter of an unknown type may hold any attribute.
            let untyped = |param: &&Param| param.name.is(&spread.text) && param.ty.is_undeclared();
            if operation.params.iter().any(|param| untyped(&param)) {
                found.extend(entity.attributes.iter().map(|each| each.name.text.as_str()));
            }
        }
        let filled = entity.attributes.iter().filter(|each| each.value.is_some());
        found.extend(filled.map(|each| each.name.text.as_str()));
    }
    found
}

/// The attributes that `...name` copies.
fn spread_attributes<'a>(
    design: &'a Design,
    operation: &'a Operation,
    lets: &[(&'a Name, Bound<'a>)],
    name: &str,
) -> Vec<&'a str> {
    let all = |entity: &'a Entity| entity.attributes.iter().map(|each| each.name.text.as_str()).collect();
    if let Some(at) = lets.iter().rposition(|(bound, _)| bound.is(name)) {
        let entity = match lets[at].1 {
            Bound::Value(Value::Action(action)) => design.entity(&action.entity.text),
            Bound::Value(Value::Expr(expr)) => called_entity(design, expr),
            // An element of what an earlier name holds, or of what a pattern returns. Only earlier names count,
            // so that names which refer to each other come to an end.
            Bound::Element(list) => match list.as_name() {
                Some(list) => return spread_attributes(design, operation, &lets[..at], list),
                None => called_entity(design, list),
            },
        };
        return entity.map(all).unwrap_or_default();
    }
    let param = operation.params.iter().find(|param| param.name.is(name));
    match param.map(|param| &param.ty) {
        Some(Type::Input { of: InputKind::Key, entity }) => {
            design.entity(entity).map(|entity| key_attributes(design, entity)).unwrap_or_default()
        }
        Some(Type::Input { entity, .. }) => design.entity(entity).map(all).unwrap_or_default(),
        Some(Type::List { of, .. }) => match &**of {
            Type::Input { entity, .. } => design.entity(entity).map(all).unwrap_or_default(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The entity that a call of a pattern returns.
fn called_entity<'a>(design: &'a Design, expr: &Expr) -> Option<&'a Entity> {
    let ExprKind::Call { callee, .. } = &expr.kind else {
        return None;
    };
    let pattern = design.pattern(callee.as_name()?)?;
    design.entity(&pattern.then.as_ref().or(pattern.entities.first())?.text)
}

/// The key attributes that are not determined.
pub fn unknown_key<'a>(
    design: &'a Design,
    operation: &'a Operation,
    lets: &[(&'a Name, Bound<'a>)],
    action: &'a Action,
) -> Vec<&'a str> {
    let Some(entity) = design.entity(&action.entity.text) else {
        return Vec::new();
    };
    let known = match (&operation.short, operation.params.is_empty()) {
        // The short form takes the whole key as parameters, unless it lists its own.
        (Some(_), true) => return Vec::new(),
        (Some(_), false) if !matches!(action.verb, WriteVerb::Create | WriteVerb::Put) => {
            let mut known: Vec<&str> =
                operation.params.iter().map(|param| param.name.text.as_str()).collect();
            for param in &operation.params {
                known.extend(spread_attributes(design, operation, lets, &param.name.text));
            }
            known
        }
        (Some(_), false) => return Vec::new(),
        (None, _) => determined(design, operation, lets, action),
    };
    known_key(design, entity, &known)
}

/// The key attributes of an entity that do not follow from the known ones.
pub fn known_key<'a>(design: &'a Design, entity: &'a Entity, known: &[&str]) -> Vec<&'a str> {
    let keys = key_attributes(design, entity);
    keys.into_iter().filter(|key| !settles(entity, known, key)).collect()
}
