//! Completes an item from its keys and from the defaults of the design.

use sortkey_design::model::SlotFormat;
use sortkey_design::program::{Arena, Attribute, EntityId, Expr, Fill, Normalize, Template, Type};
use sortkey_value::{Item, ItemBuilder, ValueRef};

use super::types::{bit, has_default, members};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::prepared::Shared;
use crate::template;
use crate::values::{Admit, Fields, Val, store};

/// An item with all that is known of it, and what is wrong with it still.
pub(crate) fn completed(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> (Item, Option<String>) {
    let program = &scope.shared.program;
    let mut wrong = misread(scope, info, item);
    let mut fields = info.decode(program, item);
    let before = fields.clone();
    from_keys(scope, info, item, &mut fields);
    from_defaults(scope, info, &mut fields);
    for attribute in info.anatomy.attributes().iter().filter(|each| each.is_required) {
        // A value made from the time or at random is lost; the next write fills it.
        let is_filled = info.of(program).attributes[attribute.id].fill.is_some();
        if !is_filled && fields.get(&attribute.name).is_none_or(Val::is_absent) {
            wrong.get_or_insert_with(|| format!("it has no `{}`", attribute.name));
        }
    }
    (with(scope, info, item, &before, &fields), wrong)
}

/// An attribute that is stored in a type of which the design cannot make anything.
pub(crate) fn misread(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> Option<String> {
    let program = &scope.shared.program;
    let mut wrong = None;
    info.anatomy.each_stored(item, |attribute, value| {
        let found = value.attribute_type();
        if attribute.types & bit(found) == 0 {
            let declared = attribute.ty.describe(program);
            let (name, found) = (&attribute.name, found.as_str());
            wrong.get_or_insert_with(|| match attribute.is_encrypted {
                true => format!("`{name}` is stored as {found}, and is encrypted in the design"),
                false => format!("`{name}` is stored as {found}, and is {declared} in the design"),
            });
        }
    });
    wrong
}

/// Attributes whose text is part of a key: the table's first, then those of indexes.
pub(crate) fn from_keys(scope: &Scope<'_>, info: &EntityInfo, item: &Item, fields: &mut Fields) {
    let program = &scope.shared.program;
    let entity = info.of(program);
    let admit = Admit::computed(scope).finding();
    let is_of_table = |template: &&Template| info.parts().any(|part| template.name == *part);
    let (own, others): (Vec<&Template>, Vec<&Template>) = entity.templates.iter().partition(is_of_table);
    for template in own.into_iter().chain(others) {
        let Some(ValueRef::S(text)) = item.get(&template.name) else { continue };
        for (id, format, text) in template::slots_of(template, text).into_iter().flatten() {
            let attribute = &entity.attributes[id];
            let name = &attribute.name;
            if fields.contains_key(name) {
                continue;
            }
            let is_lower = format == Some(&SlotFormat::Lower) && is_lowered(attribute);
            let value = match is_lower {
                true => Some(Val::text(text)),
                false => template::value_of(&attribute.ty, format, text),
            };
            let value = value.and_then(|value| admit.attribute(attribute, value, name).ok());
            if let Some(value) = value.filter(|value| !value.is_absent()) {
                fields.insert(name.clone(), value);
            }
        }
    }
}

fn is_lowered(attribute: &Attribute) -> bool {
    attribute.normalize.contains(&Normalize::Lower)
}

/// Fills missing attributes by `=` and `:=`, where their values follow from the item alone.
pub(crate) fn from_defaults(scope: &Scope<'_>, info: &EntityInfo, fields: &mut Fields) {
    let entity = info.of(&scope.shared.program);
    let admit = Admit::computed(scope);
    for settled in info.anatomy.settled.iter().filter(|each| each.is_pure) {
        let attribute = &entity.attributes[settled.id];
        let view = View::of(info.at, fields);
        let holds = |when: &Expr| scope.holds(when, Some(view)).unwrap_or(false);
        let is_due = attribute.is_stored()
            && !attribute.optional
            && !fields.contains_key(&settled.name)
            && attribute.when.as_ref().is_none_or(holds);
        let Some(fill) = attribute.fill.as_ref().filter(|_| is_due) else { continue };
        let value = scope.eval(&fill.value, Some(view));
        let value = value.and_then(|value| admit.attribute(attribute, value, &settled.name));
        if let Some(value) = value.ok().filter(|value| !value.is_absent()) {
            fields.insert(settled.name.clone(), value);
        }
    }
    for attribute in info.anatomy.attributes().iter().filter(|each| each.is_deep) {
        if let Some(value) = fields.get_mut(&attribute.name) {
            deepen(scope, &attribute.ty, value);
        }
    }
}

/// Objects inside a value get the defaults of the members that they lack.
fn deepen(scope: &Scope<'_>, ty: &Type, value: &mut Val) {
    let program = &scope.shared.program;
    match (ty, value) {
        (Type::Json { of }, value) => deepen(scope, of, value),
        (Type::List { of, .. }, Val::List(list)) => list.iter_mut().for_each(|each| deepen(scope, of, each)),
        (Type::Map { of, .. }, Val::Map(map)) => map.values_mut().for_each(|each| deepen(scope, of, each)),
        (ty, Val::Map(map)) => {
            let Some(members) = members(program, ty) else { return };
            for member in members.iter() {
                let name = &member.name;
                let fill = member.fill.as_ref().filter(|_| has_default(member) && !map.contains_key(name));
                if let Some(fill) = fill {
                    let value = scope.fill(member, &fill.value, View::object(members, map));
                    let value = value.and_then(|value| Admit::computed(scope).attribute(member, value, name));
                    map.extend(value.ok().filter(|each| !each.is_absent()).map(|each| (name.clone(), each)));
                }
                if let Some(value) = map.get_mut(name) {
                    deepen(scope, &member.ty, value);
                }
            }
        }
        _ => {}
    }
}

/// The item with the attributes in which two images differ.
fn with(scope: &Scope<'_>, info: &EntityInfo, item: &Item, before: &Fields, after: &Fields) -> Item {
    let mut whole = ItemBuilder::new();
    for (name, value) in item.iter() {
        whole.name(name);
        whole.value(value);
    }
    for (name, value) in after.iter().filter(|(name, value)| before.get(name) != Some(value)) {
        if let Some(attribute) = info.anatomy.attribute(name).filter(|each| each.is_stored) {
            // The later of two of one name counts.
            store(&mut whole, &scope.shared.program, name, &attribute.ty, value);
        }
    }
    whole.finish()
}

/// The attributes of an item that lacks everything, by entity: the defaults that are the same for every item.
pub(crate) fn assumed(shared: &Shared) -> Arena<EntityId, Fields> {
    let scope = Scope::new(shared, None, 0);
    let of = |info: &EntityInfo| {
        let entity = info.of(&shared.program);
        let mut fields = Fields::new();
        for settled in info.anatomy.settled.iter().filter(|each| each.is_pure) {
            let attribute = &entity.attributes[settled.id];
            let Some(Fill { derived: false, value }) = &attribute.fill else { continue };
            if attribute.may_be_absent() || !attribute.is_stored() || value.concerns_item() {
                continue;
            }
            let value = scope.eval(value, None);
            let value =
                value.and_then(|value| Admit::computed(&scope).attribute(attribute, value, &settled.name));
            fields
                .extend(value.ok().filter(|each| !each.is_absent()).map(|each| (settled.name.clone(), each)));
        }
        fields
    };
    shared.entities.iter().map(of).collect()
}
