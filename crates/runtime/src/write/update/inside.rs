//! Changes inside objects: made by DynamoDB where the object is there, with the whole object where it is not.
//!
//! DynamoDB refuses a path whose parent is missing. The statement is then prepared again with the item in hand, and writes
//! the object on condition that what it replaces is what was read.

use sortkey_design::Design;
use sortkey_design::model::*;

use super::Plan;
use super::changes::{Change, To};
use crate::Failure;
use crate::evaluate::Scope;
use crate::values::{Admit, Fields, Val};

impl Plan<'_> {
    /// Objects that were not there and had something put into them are objects of their type: with its defaults, and
    /// with everything that it requires.
    pub(super) fn complete_parents(
        &self,
        scope: &Scope<'_>,
        old: &Fields,
        new: &mut Fields,
    ) -> Result<(), Failure> {
        let design = &scope.shared.design;
        let admit = Admit::computed(scope);
        for change in &self.changes {
            let ways = (1..change.path.len()).map(|length| &change.path[..length]);
            let Some(made) = ways.into_iter().find(|way| at(old, way).is_none_or(Val::is_absent)) else {
                continue;
            };
            let attribute = self.info.of(design).attribute(&made[0]);
            let (Some(value), Some(attribute)) = (at(new, made).cloned(), attribute) else { continue };
            let Some((ty, declared)) = inside(design, attribute, &made[1..]) else { continue };
            put(new, made, admitted(&admit, (&ty, declared), value, &made.join("."))?);
        }
        Ok(())
    }

    /// Whether a change is made inside an object that is there, by DynamoDB itself; not if another change of the same
    /// attribute replaces it.
    pub(super) fn is_in_place(&self, change: &Change, old: &Fields) -> bool {
        let name = &change.path[0];
        self.changes.iter().filter(|each| each.path[0] == *name).all(|each| {
            let around = &each.path[..each.path.len() - 1];
            !around.is_empty()
                && matches!(each.to, To::Value(_))
                && matches!(at(old, around), Some(Val::Map(_)))
                && !self.is_json(name)
        })
    }

    /// The attributes that are replaced because something inside them changes: what else they hold must be what it was.
    pub(super) fn rewritten(&self, old: &Fields) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = Vec::new();
        for change in self.changes.iter().filter(|change| change.path.len() > 1) {
            let name = change.path[0].as_str();
            if !names.contains(&name) && !self.is_in_place(change, old) {
                names.push(name);
            }
        }
        names.into_iter()
    }

    fn is_json(&self, name: &str) -> bool {
        self.info.anatomy.attribute(name).is_some_and(|attribute| matches!(attribute.ty, Type::Json { .. }))
    }
}

/// What is declared at the end of a way into an attribute: its type, and the attribute of an object if it is one.
pub(super) fn inside<'d>(
    design: &'d Design,
    attribute: &'d Attribute,
    way: &[String],
) -> Option<(Type, Option<&'d Attribute>)> {
    let (mut ty, mut declared) = (design.type_of(attribute), Some(attribute));
    for name in way {
        while let Type::Json { of } = ty {
            ty = of;
        }
        let attributes = match ty {
            Type::Object { attributes } => attributes.as_slice(),
            Type::Record { name } => &design.record(name)?.attributes,
            Type::Map { of, .. } => {
                (ty, declared) = (of, None);
                continue;
            }
            _ => return None,
        };
        let found = attributes.iter().find(|each| each.name.is(name))?;
        (ty, declared) = (design.type_of(found), Some(found));
    }
    Some((ty.clone(), declared))
}

/// A value for what is declared there. Null takes away what may be absent: an element of a map always may.
pub(super) fn admitted(
    admit: &Admit<'_>,
    (ty, declared): (&Type, Option<&Attribute>),
    value: Val,
    field: &str,
) -> Result<Val, Failure> {
    match (declared, value) {
        (Some(attribute), value) => admit.attribute(attribute, value, field),
        (None, Val::Null) if !matches!(ty, Type::Any { .. }) => Ok(Val::Absent),
        (None, value) => admit.value(ty, value, field),
    }
}

/// What is at the end of a way into an item.
pub(super) fn at<'a>(fields: &'a Fields, path: &[String]) -> Option<&'a Val> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(fields.get(first)?, |value, name| value.fields()?.get(name))
}

/// Puts something at the end of a way, or takes it away; what is missing on the way is made.
pub(super) fn put(fields: &mut Fields, path: &[String], value: Val) {
    match path {
        [] => {}
        [name] if value.is_absent() => {
            fields.remove(name);
        }
        [name] => {
            fields.insert(name.clone(), value);
        }
        // Nothing is made to take something away from it.
        [name, ..] if value.is_absent() && !fields.contains_key(name) => {}
        [name, rest @ ..] => {
            let inner = fields.get_or_insert_with(name.as_str(), || Val::Map(Fields::new()));
            if let Val::Map(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
