//! What a pattern, an operation or a rule is called with: its parameters in order, each with its type.
//!
//! A parameter without a type takes that of the attribute of the same name. What `tenant` settles may be left out by a
//! caller, since the caller's own value is the only one that is accepted.

use super::{actions, key_attributes};
use crate::model::*;

/// One parameter of something that can be called.
#[derive(Clone, Copy, Debug)]
pub struct Formal<'a> {
    /// Its name.
    pub name: &'a Name,
    /// Its type; `Undeclared` where nothing gives it one.
    pub ty: &'a Type,
    /// Whether a call may leave it out.
    pub optional: bool,
    /// The attribute that gives it its type, if one does: what normalises its values.
    pub attribute: Option<&'a Attribute>,
    /// What it is if it is left out.
    pub default: Option<&'a Expr>,
}

/// The parameters of a pattern: the unbound `by` names in order, then the declared extras.
pub fn pattern_signature<'a>(design: &'a Design, pattern: &'a Pattern) -> Vec<Formal<'a>> {
    let Some(entity) = pattern.entities.first().and_then(|name| design.entity(&name.text)) else {
        return Vec::new();
    };
    let mut formals = Vec::new();
    for bind in pattern.binds.iter().filter(|bind| matches!(bind.value, BindValue::Parameter)) {
        match pattern.param(&bind.name.text) {
            Some(param) => formals.push(declared(design, param, &[entity])),
            None => formals.push(of_attribute(design, entity, &bind.name, false)),
        }
    }
    let extra = pattern.params.iter().filter(|param| pattern.bind(&param.name.text).is_none());
    formals.extend(extra.map(|param| declared(design, param, &[entity])));
    if !pattern.system {
        by_the_caller(design, &[entity], &mut formals);
    }
    formals
}

/// The parameters of an operation: the declared ones, or those that its short form stands for, and the token that
/// makes a repeat harmless.
pub fn operation_signature<'a>(design: &'a Design, operation: &'a Operation) -> Vec<Formal<'a>> {
    let sites = actions(operation);
    let mut entities: Vec<&Entity> = Vec::new();
    for site in &sites {
        entities.extend(design.entity(&site.action.entity.text));
    }
    let mut formals: Vec<Formal<'_>> = match (&operation.short, sites.first(), entities.first()) {
        (Some(short), Some(site), Some(entity)) if operation.params.is_empty() => {
            of_short_form(design, operation, short, site.action.verb, entity)
        }
        _ => operation.params.iter().map(|param| declared_in(design, operation, param, &entities)).collect(),
    };
    if !operation.system {
        by_the_caller(design, &entities, &mut formals);
    }
    if let Some((name, _)) = &operation.idempotent
        && !formals.iter().any(|formal| formal.name == name)
    {
        formals.push(Formal { name, ty: &ANY_TEXT, optional: true, attribute: None, default: None });
    }
    formals
}

/// The parameters of a rule.
pub fn rule_signature<'a>(design: &'a Design, rule: &'a Rule) -> Vec<Formal<'a>> {
    let mut entities = Vec::new();
    rule.condition.walk(&mut |expr| {
        if let ExprKind::Call { callee, .. } = &expr.kind {
            entities.extend(callee.as_name().and_then(|name| design.entity(name)));
        }
    });
    let typed = |param: &'a Param| {
        let formal = declared(design, param, &entities);
        let everywhere = || agreed(design, &param.name.text).map(|entity| declared(design, param, &[entity]));
        if formal.ty.is_undeclared() { everywhere().unwrap_or(formal) } else { formal }
    };
    rule.params.iter().map(typed).collect()
}

/// An entity that has an attribute of a name, if all that have one agree about its type.
fn agreed<'a>(design: &'a Design, name: &str) -> Option<&'a Entity> {
    let ty = |entity: &'a Entity| Some(design.type_of(entity.attribute(name)?));
    let mut having = design.entities.iter().filter(|entity| entity.attribute(name).is_some());
    let first = having.next()?;
    having.all(|entity| ty(entity) == ty(first)).then_some(first)
}

/// A token is any text that its sender finds unique.
static ANY_TEXT: Type = Type::String { format: StringFormat::Plain, min: 1, max: Some(256) };

/// The type of what nothing declares.
static UNDECLARED: Type = Type::Undeclared;

fn declared<'a>(design: &'a Design, param: &'a Param, entities: &[&'a Entity]) -> Formal<'a> {
    let attribute = match param.ty {
        Type::Undeclared => entities.iter().find_map(|entity| entity.attribute(&param.name.text)),
        _ => None,
    };
    Formal {
        name: &param.name,
        ty: attribute.map_or(&param.ty, |attribute| design.type_of(attribute)),
        optional: param.optional || param.default.is_some(),
        attribute,
        default: param.default.as_ref(),
    }
}

/// In an operation a parameter without a type may also be handed on to a pattern that knows it.
fn declared_in<'a>(
    design: &'a Design,
    operation: &'a Operation,
    param: &'a Param,
    entities: &[&'a Entity],
) -> Formal<'a> {
    let formal = declared(design, param, entities);
    if !formal.ty.is_undeclared() {
        return formal;
    }
    let called = super::calls(operation).into_iter().filter_map(|name| design.pattern(name));
    let read = called.filter_map(|pattern| design.entity(&pattern.entities.first()?.text));
    declared(design, param, &read.collect::<Vec<_>>())
}

fn of_attribute<'a>(design: &'a Design, entity: &'a Entity, name: &'a Name, optional: bool) -> Formal<'a> {
    let attribute = entity.attribute(&name.text);
    Formal {
        name,
        ty: attribute.map_or(&UNDECLARED, |attribute| design.type_of(attribute)),
        optional,
        attribute,
        default: None,
    }
}

/// `create E` takes everything that can be given; the others take the key and what they list.
fn of_short_form<'a>(
    design: &'a Design,
    operation: &'a Operation,
    short: &'a ShortForm,
    verb: WriteVerb,
    entity: &'a Entity,
) -> Vec<Formal<'a>> {
    let whole = matches!(verb, WriteVerb::Create | WriteVerb::Put);
    let mut formals: Vec<Formal<'a>> = Vec::new();
    if !whole {
        for key in key_attributes(design, entity) {
            formals.extend(entity.attribute(key).map(|each| of_attribute(design, entity, &each.name, false)));
        }
    }
    let patch = matches!(verb, WriteVerb::Update);
    let given: Vec<&'a Name> = match &short.names {
        Some(names) => names.iter().collect(),
        None if matches!(verb, WriteVerb::Delete | WriteVerb::Purge) => Vec::new(),
        None => {
            let open =
                |each: &&Attribute| can_be_given(each) && !(whole && is_made_for(design, operation, each));
            entity.attributes.iter().filter(open).map(|each| &each.name).collect()
        }
    };
    for name in given {
        if formals.iter().any(|formal| formal.name == name) {
            continue;
        }
        let filled = entity.attribute(&name.text).is_none_or(|each| !must_be_given(each));
        formals.push(of_attribute(design, entity, name, patch || filled));
    }
    // What must be given comes first, so that it can be given by position.
    formals.sort_by_key(|formal| formal.optional);
    formals
}

/// Whether a write may name a value for an attribute at all.
pub fn can_be_given(attribute: &Attribute) -> bool {
    !attribute.is_derived() && !attribute.has("virtual")
}

/// Whether the value of a new item is the design's to make: an id, the time of its creation, a count, a version.
pub fn is_made(attribute: &Attribute) -> bool {
    let filled =
        |name: &str| attribute.value.as_ref().is_some_and(|fill| !fill.derived && fill.value.is_name(name));
    filled("new")
        || (filled("now") && attribute.has("immutable"))
        || attribute.has("counter")
        || attribute.has("version")
}

/// Whether whoever calls an operation cannot choose such a value. Somebody who chose ids could take those of others;
/// `system` may, for it brings data along. An operation that names the attribute lets everybody.
pub fn is_made_for(design: &Design, operation: &Operation, attribute: &Attribute) -> bool {
    !operation.system && !design.caller.is_empty() && is_made(attribute)
}

/// Whether an item cannot be made without a value for an attribute.
pub fn must_be_given(attribute: &Attribute) -> bool {
    can_be_given(attribute) && attribute.value.is_none() && !attribute.may_be_absent()
}

/// What the caller settles may be left out.
fn by_the_caller(design: &Design, entities: &[&Entity], formals: &mut [Formal<'_>]) {
    for formal in formals {
        let settled = entities.iter().filter_map(|entity| entity.tenant.as_ref()).any(|it| it == formal.name);
        let carried = design.caller.iter().any(|attribute| attribute.name == *formal.name);
        formal.optional |= settled && carried;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoFiles, compile};

    const DESIGN: &str = r#"
caller { ownerId uuid }
table T { key (ownerId | noteId)  index byTag (ownerId | tag) project all }
entity Note in T {
  ownerId uuid
  noteId  uuid = new
  title   string(1..80)
  tag?    slug(1..20)
  length  int := size(title)
  tenant ownerId
}
pattern notes(tag?) = list Note by ownerId, tag page 10
pattern since(from?: time) = list Note by ownerId page 10
operation write = create Note
system operation import = create Note
operation retitle = update Note [title]
system operation drop = delete Note
system operation tagIt(ownerId, noteId, tag) idempotent by token { update Note(ownerId, noteId) { tag } }
"#;

    /// `name: type`, with a question mark for what may be left out.
    fn words(formals: &[Formal<'_>]) -> String {
        let word = |formal: &Formal<'_>| {
            let mark = if formal.optional { "?" } else { "" };
            format!("{}{mark}: {}", formal.name, formal.ty.describe())
        };
        formals.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn parameters_in_order_with_types() {
        let design = compile("t.sk", DESIGN, &NoFiles).design;
        let pattern = |name| words(&pattern_signature(&design, design.pattern(name).expect("declared")));
        let operation =
            |name| words(&operation_signature(&design, design.operation(name).expect("declared")));
        assert_eq!(pattern("notes"), "ownerId?: uuid, tag?: slug");
        assert_eq!(pattern("since"), "ownerId?: uuid, from?: time");
        assert_eq!(operation("write"), "ownerId?: uuid, title: string, tag?: slug");
        assert_eq!(operation("import"), "ownerId: uuid, title: string, noteId?: uuid, tag?: slug");
        assert_eq!(operation("retitle"), "ownerId?: uuid, noteId: uuid, title?: string");
        assert_eq!(operation("drop"), "ownerId: uuid, noteId: uuid");
        assert_eq!(operation("tagIt"), "ownerId: uuid, noteId: uuid, tag: slug, token?: string");
    }
}
