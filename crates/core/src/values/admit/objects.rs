//! Objects inside items, and the attributes of an entity as a parameter.

use sortkey_design::model::InputKind;
use sortkey_design::program::{Attributes, EntityId, Type};

use super::Admit;
use super::words::{Field, lacking};
use crate::Failure;
use crate::evaluate::View;
use crate::values::{Fields, Val};

impl Admit<'_> {
    /// The attributes of an object, with defaults filled in and derived ones computed.
    pub(super) fn object(
        &self,
        attributes: &Attributes,
        mut given: Fields,
        field: Field<'_>,
    ) -> Result<Val, Failure> {
        if let Some(unknown) = given.keys().find(|name| attributes.find(name).is_none()) {
            let field = format!("{field}.{unknown}");
            return Err(Failure::invalid(&field, format!("`{field}` is not known")));
        }
        let mut admitted = Fields::with_capacity(attributes.len());
        for attribute in attributes.iter().filter(|attribute| !attribute.flags.computed) {
            let path = Field::Member(&field, &attribute.name);
            let given = given.remove(&attribute.name).unwrap_or_default();
            let filled = match &attribute.fill {
                Some(fill) if fill.derived || given.is_absent() => {
                    self.scope.fill(attribute, &fill.value, View::object(attributes, &admitted))?
                }
                _ => given,
            };
            let value = self.attribute_at(attribute, filled, path)?;
            if !value.is_absent() {
                admitted.insert(attribute.name.clone(), value);
                continue;
            }
            if !attribute.may_be_absent() {
                let is_set = matches!(*attribute.ty, Type::Set { .. });
                return Err(lacking(&path.to_string(), is_set && !self.keeps_empty));
            }
        }
        Ok(Val::Map(admitted))
    }

    /// `new(E)`, `patch(E)` and `key(E)`: attributes of an entity, each checked, none required here. An item may be
    /// given for its key.
    pub(super) fn input(
        &self,
        of: InputKind,
        entity: EntityId,
        value: &Val,
        field: Field<'_>,
    ) -> Result<Val, Failure> {
        if of == InputKind::Item {
            // Only what runs workers gives a whole item, as it was read.
            return match value {
                Val::Item(record) if record.entity == entity => Ok(value.clone()),
                _ => Err(Failure::invalid(field.to_string(), format!("`{field}` is not an item in hand"))),
            };
        }
        let entity = &self.scope.shared.program.entities[entity];
        let mut admitted = Fields::new();
        for (name, each) in value.fields().into_iter().flatten() {
            let path = Field::Member(&field, name);
            let id = entity.attributes.find(name);
            let attribute = id.map(|id| &entity.attributes[id]);
            let wanted = match of {
                InputKind::Key => id.is_some_and(|id| entity.key_attributes.contains(&id)),
                InputKind::New | InputKind::Patch | InputKind::Item => {
                    attribute.is_some_and(|each| !each.is_derived())
                }
            };
            match attribute {
                Some(attribute)
                    if of == InputKind::New && self.scope.caller.is_some() && attribute.is_made() =>
                {
                    return Err(Failure::invalid(path.to_string(), format!("`{path}` is made, not given")));
                }
                Some(attribute) if wanted => {
                    admitted.insert(name.clone(), self.attribute_at(attribute, each.clone(), path)?);
                }
                _ if matches!(value, Val::Item(_)) => {}
                Some(_) if of != InputKind::Key => {
                    return Err(Failure::invalid(
                        path.to_string(),
                        format!("`{path}` is derived and cannot be given"),
                    ));
                }
                _ => return Err(Failure::invalid(path.to_string(), format!("`{path}` is not known"))),
            }
        }
        Ok(Val::Map(admitted))
    }
}
