//! Values as clients see them: the design's own types in JSON, without secrets.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use sortkey_design::Program;
use sortkey_design::program::{AttributeId, EntityId, Type};

use crate::Failure;
use crate::anatomy::AttributeInfo;
use crate::evaluate::Scope;
use crate::seal::Place;
use crate::values::{Admit, Fields, ObjectPrinter, Origin, Record, Val, json_object, print_value, to_json};

/// A value as a client may see it. Secrets are left out, except those that a pattern selects or that were made just now;
/// selected ones that are encrypted are opened.
pub(crate) fn public(scope: &Scope<'_>, value: Val, select: Option<&Select>) -> Result<Val, Failure> {
    Ok(match value {
        Val::Item(record) => Val::Item(Box::new(public_record(scope, *record, select)?)),
        Val::List(members) => {
            let members = members.into_iter().map(|each| public(scope, each, select));
            Val::List(members.collect::<Result<_, _>>()?)
        }
        Val::Map(fields) => {
            let fields = fields.into_iter().map(|(name, each)| Ok((name, public(scope, each, select)?)));
            Val::Map(fields.collect::<Result<_, Failure>>()?)
        }
        other => other,
    })
}

fn public_record(scope: &Scope<'_>, record: Record, select: Option<&Select>) -> Result<Record, Failure> {
    let info = &scope.shared.entities[record.entity];
    let Record { entity: at, mut fields, shown } = record;
    let seen = |name: &str| {
        let attribute = info.anatomy.attribute(name);
        let is_shown = |id| is_selected(select, at, id) || shown.iter().any(|each| **each == *name);
        attribute.filter(|attribute| !attribute.is_secret || is_shown(attribute.id))
    };
    // Encrypted values are opened while the attributes that their keys are named after are still there.
    let sealed = fields.iter().filter(|(_, value)| matches!(value, Val::Sealed(_)));
    let sealed = sealed.filter_map(|(name, _)| seen(name));
    let open = |each: &AttributeInfo| Ok((each.name.clone(), opened(scope, at, each.id, &fields)?));
    let opened: Vec<_> = sealed.map(open).collect::<Result<_, Failure>>()?;
    fields.extend(opened);
    fields.retain(|name, value| !value.is_absent() && seen(name).is_some());
    Ok(Record { entity: at, fields, shown })
}

/// The attributes that a pattern selects, of each entity whose items it may return.
#[derive(Clone, Debug)]
pub(crate) struct Select(Vec<(EntityId, Vec<AttributeId>)>);

impl Select {
    /// The attributes of some names, of each entity that has them.
    pub(crate) fn of(
        program: &Program,
        names: &[Arc<str>],
        entities: impl Iterator<Item = EntityId>,
    ) -> Select {
        let ids = |entity: EntityId| {
            let attributes = &program.entities[entity].attributes;
            names.iter().filter_map(|name| attributes.find(name)).collect()
        };
        Select(entities.map(|entity| (entity, ids(entity))).collect())
    }

    fn ids(&self, entity: EntityId) -> &[AttributeId] {
        let found = self.0.iter().find(|(each, _)| *each == entity);
        found.map(|(_, ids)| ids.as_slice()).unwrap_or_default()
    }
}

/// Whether a pattern selects an attribute by its name.
pub(crate) fn is_selected(select: Option<&Select>, entity: EntityId, id: AttributeId) -> bool {
    select.is_some_and(|select| select.ids(entity).contains(&id))
}

/// Keeps the attributes that a pattern selects. Encrypted ones are opened first, while the attributes that their keys
/// are named after are still there.
pub(crate) fn select(scope: &Scope<'_>, record: &mut Record, select: &Select) -> Result<(), Failure> {
    let entity = &scope.shared.program.entities[record.entity];
    let mut kept = Fields::new();
    for id in select.ids(record.entity) {
        let name = &entity.attributes[*id].name;
        let value = match record.fields.get(name) {
            Some(Val::Sealed(_)) => Some(opened(scope, record.entity, *id, &record.fields)?),
            value => value.cloned(),
        };
        kept.extend(value.map(|value| (name.clone(), value)));
    }
    record.fields = kept;
    Ok(())
}

/// The plain value of an encrypted attribute of an item; absent if there is none.
pub(crate) fn opened(
    scope: &Scope<'_>,
    entity: EntityId,
    id: AttributeId,
    fields: &Fields,
) -> Result<Val, Failure> {
    let info = &scope.shared.entities[entity];
    let attribute = &info.of(&scope.shared.program).attributes[id];
    let name = &attribute.name;
    let Some(Val::Sealed(bytes)) = fields.get(name) else { return Ok(Val::Absent) };
    let place = Place::of(scope, info, attribute, fields)?;
    let value = scope.shared.seals.open(scope, &place, bytes, fields)?;
    // Times and bytes are sealed as text.
    Admit::argument(scope, Origin::Json).attribute(attribute, value, name)
}

/// Prints a value that is already fit for clients, as [`to_public_json`] has it.
pub(crate) fn print_public(scope: &Scope<'_>, out: &mut Vec<u8>, value: &Val) {
    match value {
        Val::Item(record) => print_record(scope, out, record),
        Val::Text(_) | Val::Number(_) => drop(print_value(out, &scope.shared.program, &Type::Unknown, value)),
        other => crate::values::print_json(out, &to_public_json(scope, other)),
    }
}

/// Prints some named values that are already fit for clients as an object.
pub(crate) fn print_values<'v>(
    scope: &Scope<'_>,
    out: &mut Vec<u8>,
    values: impl IntoIterator<Item = (&'v Arc<str>, &'v Val)>,
) {
    let mut object = ObjectPrinter::begin(out);
    for (name, value) in values {
        object.field(name, |out| {
            print_public(scope, out, value);
            true
        });
    }
    object.end();
}

/// Prints an item that is already fit for clients.
pub(crate) fn print_record(scope: &Scope<'_>, out: &mut Vec<u8>, record: &Record) {
    let program = &scope.shared.program;
    let anatomy = &scope.shared.entities[record.entity].anatomy;
    let mut object = ObjectPrinter::begin(out);
    for (name, value) in &record.fields {
        let ty = anatomy.attribute(name).map_or(&Type::Unknown, |attribute| &*attribute.ty);
        object.field(name, |out| print_value(out, program, ty, value));
    }
    object.end();
}

/// A value that is already fit for clients, as JSON.
pub fn to_public_json(scope: &Scope<'_>, value: &Val) -> Json {
    let program = &scope.shared.program;
    match value {
        Val::Item(record) => {
            let attributes = &program.entities[record.entity].attributes;
            let mut map = Map::new();
            for (name, value) in &record.fields {
                let ty = attributes.find(name).map_or(&Type::Unknown, |id| &*attributes[id].ty);
                map.insert(name.to_string(), to_json(program, ty, value));
            }
            Json::Object(map)
        }
        Val::List(members) => Json::Array(members.iter().map(|each| to_public_json(scope, each)).collect()),
        Val::Map(fields) => {
            json_object(fields.iter().map(|(name, each)| (name.to_string(), to_public_json(scope, each))))
        }
        other => to_json(program, &Type::Unknown, other),
    }
}
