//! What clients see of a value: the design's own types in JSON, without secrets.

use serde_json::{Map, Value as Json};
use sortkey_design::model::{Attribute, Entity, Name, Type};

use crate::evaluate::Scope;
use crate::seal::Place;
use crate::values::{Admit, Origin, Record, Val, to_json};

/// A value as a client may see it. Secrets are left out, except those that a pattern selects or that were made just now;
/// selected ones that are encrypted are opened.
pub(crate) fn public(scope: &Scope<'_>, value: Val, select: Option<&[Name]>) -> Val {
    match value {
        Val::Item(record) => Val::Item(Box::new(public_record(scope, *record, select))),
        Val::List(members) => {
            Val::List(members.into_iter().map(|each| public(scope, each, select)).collect())
        }
        Val::Map(fields) => {
            Val::Map(fields.into_iter().map(|(name, each)| (name, public(scope, each, select))).collect())
        }
        other => other,
    }
}

fn public_record(scope: &Scope<'_>, record: Record, select: Option<&[Name]>) -> Record {
    let entity = &scope.shared.design.entities[record.entity];
    let Record { entity: at, fields, shown } = record;
    let selected = |name: &str| select.is_some_and(|select| select.iter().any(|each| each.is(name)));
    let hidden = |attribute: &Attribute| {
        let name = &attribute.name.text;
        attribute.has("secret") && !selected(name) && !shown.contains(name)
    };
    let mut seen = crate::values::Fields::new();
    for attribute in entity.attributes.iter().filter(|attribute| !hidden(attribute)) {
        let name = &attribute.name.text;
        let value = match fields.get(name) {
            None | Some(Val::Absent) => continue,
            Some(Val::Sealed(_)) => match opened(scope, entity, attribute, &fields) {
                Some(value) => value,
                None => continue,
            },
            Some(value) => value.clone(),
        };
        seen.insert(name.clone(), value);
    }
    Record { entity: at, fields: seen, shown }
}

/// Keeps what a pattern selects. What is sealed is opened before, while the attributes that its key is named after are
/// still in hand.
pub(crate) fn select(scope: &Scope<'_>, record: &mut Record, select: &[Name]) {
    let entity = &scope.shared.design.entities[record.entity];
    let selected = |name: &str| select.iter().any(|each| each.is(name));
    let mut kept = crate::values::Fields::new();
    for attribute in entity.attributes.iter().filter(|attribute| selected(&attribute.name.text)) {
        let name = &attribute.name.text;
        let value = match record.fields.get(name) {
            Some(Val::Sealed(_)) => opened(scope, entity, attribute, &record.fields),
            value => value.cloned(),
        };
        kept.extend(value.map(|value| (name.clone(), value)));
    }
    record.fields = kept;
}

/// What is sealed in an attribute. A value that does not open is not there; the log of the keyring tells why.
fn opened(
    scope: &Scope<'_>,
    entity: &Entity,
    attribute: &Attribute,
    fields: &crate::values::Fields,
) -> Option<Val> {
    let Some(Val::Sealed(bytes)) = fields.get(&attribute.name.text) else { return None };
    let (seals, keyring) = (&scope.shared.seals, &*scope.shared.settings.keyring);
    let value = seals.open(keyring, Place { entity, attribute }, bytes, fields).ok()?;
    // Times and bytes are sealed as text.
    let admit = Admit::argument(scope, Origin::Json);
    admit.attribute(attribute, value, &attribute.name.text).ok()
}

/// A value that is already fit for clients, as JSON.
pub(crate) fn to_public_json(scope: &Scope<'_>, value: &Val) -> Json {
    let design = &scope.shared.design;
    match value {
        Val::Item(record) => {
            let entity = &design.entities[record.entity];
            let mut map = Map::new();
            for (name, value) in &record.fields {
                let ty = entity.attribute(name).map(|attribute| design.type_of(attribute));
                map.insert(name.clone(), to_json(design, ty.unwrap_or(&Type::Undeclared), value));
            }
            Json::Object(map)
        }
        Val::List(members) => Json::Array(members.iter().map(|each| to_public_json(scope, each)).collect()),
        Val::Map(fields) => Json::Object(
            fields.iter().map(|(name, each)| (name.clone(), to_public_json(scope, each))).collect(),
        ),
        other => to_json(design, &Type::Undeclared, other),
    }
}
