//! Changes inside objects: made by DynamoDB where the object is there, with the whole object where it is not.
//!
//! DynamoDB refuses a path whose parent is missing. The statement is then prepared again with the item in hand, and writes
//! the object on condition that what it replaces is what was read.

use std::sync::Arc;

use sortkey_design::Program;
use sortkey_design::program::{Attribute, Type};

use super::Plan;
use super::changes::{Change, To};
use crate::Failure;
use crate::evaluate::Scope;
use crate::values::{Admit, Fields, Val, lacking};

impl Plan<'_> {
    /// Objects that were not there and had something put into them are objects of their type: with its defaults, and
    /// with everything that it requires.
    pub(super) fn complete_parents(
        &self,
        scope: &Scope<'_>,
        old: &Fields,
        new: &mut Fields,
    ) -> Result<(), Failure> {
        let program = &scope.shared.program;
        let admit = Admit::computed(scope);
        for change in &self.changes {
            let ways = (1..change.path.len()).map(|length| &change.path[..length]);
            let Some(made) = ways.into_iter().find(|way| at(old, way).is_none_or(Val::is_absent)) else {
                continue;
            };
            let attribute = &self.info.of(program).attributes[change.attribute];
            let Some(value) = at(new, made).cloned() else { continue };
            let Some((ty, declared)) = inside(program, attribute, &made[1..]) else { continue };
            put(new, made, admitted(&admit, (&ty, declared), value, &made.join("."))?);
        }
        Ok(())
    }

    /// Whether a change is made inside an object that is stored, by DynamoDB itself; not if another change of the same
    /// attribute replaces it. An object that an item only reads as having, by default, is not stored.
    pub(super) fn is_in_place(&self, change: &Change, stored: &Fields) -> bool {
        let attribute = self.info.anatomy.by_id(change.attribute);
        self.changes.iter().filter(|each| each.attribute == change.attribute).all(|each| {
            let around = &each.path[..each.path.len() - 1];
            !around.is_empty()
                && matches!(each.to, To::Value(_))
                && matches!(at(stored, around), Some(Val::Map(_)))
                && !matches!(*attribute.ty, Type::Json { .. })
        })
    }

    /// The attributes that are replaced because something inside them changes: what else they hold must be what it was.
    pub(super) fn rewritten(&self, stored: &Fields) -> impl Iterator<Item = &Arc<str>> {
        let mut names: Vec<&Arc<str>> = Vec::new();
        for change in self.changes.iter().filter(|change| change.path.len() > 1) {
            let name = &change.path[0];
            if !names.contains(&name) && !self.is_in_place(change, stored) {
                names.push(name);
            }
        }
        names.into_iter()
    }
}

/// The declaration at the end of a path into an attribute: its type, and the attribute of an object if it is one.
pub(super) fn inside<'p>(
    program: &'p Program,
    attribute: &'p Attribute,
    way: &[Arc<str>],
) -> Option<(Arc<Type>, Option<&'p Attribute>)> {
    let (mut ty, mut declared) = (&attribute.ty, Some(attribute));
    for name in way {
        while let Type::Json { of } = &**ty {
            ty = of;
        }
        match &**ty {
            Type::Object(id) => {
                let attributes = &program.objects[*id].attributes;
                let found = &attributes[attributes.find(name)?];
                (ty, declared) = (&found.ty, Some(found));
            }
            Type::Map { of, .. } => (ty, declared) = (of, None),
            _ => return None,
        }
    }
    Some((Arc::clone(ty), declared))
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
        (None, value) => {
            let is_given = !value.is_absent();
            match admit.value(ty, value, field)? {
                Val::Absent if is_given => Err(lacking(field, true)),
                value => Ok(value),
            }
        }
    }
}

/// The value at the end of a path into an item.
pub(super) fn at<'a>(fields: &'a Fields, path: &[Arc<str>]) -> Option<&'a Val> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(fields.get(first)?, |value, name| value.fields()?.get(name))
}

/// Puts something at the end of a way, or takes it away; what is missing on the way is made.
pub(super) fn put(fields: &mut Fields, path: &[Arc<str>], value: Val) {
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
            let inner = fields.get_or_insert_with(name.clone(), || Val::Map(Fields::new()));
            if let Val::Map(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
