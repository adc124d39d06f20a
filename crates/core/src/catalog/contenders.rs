//! Entities of one table whose keys look alike: `{day}` and `C#{name}` in one collection.
//!
//! The checker compares what keys may say by the types of their slots, and accepts both. So where the literals of two
//! templates fit one key, the types of the slots decide which entity the item is of. Where no other entity fits, a key with
//! a value of another type stays the entity's own, and is reported as unreadable.

use sortkey_design::Program;
use sortkey_design::model::{SlotFormat, StringFormat};
use sortkey_design::program::{Entity, EntityId, KeyPart, Piece, Source, Table, Type};
use sortkey_value::{Item, ValueRef};

use crate::template::{slots_of, value_of};

/// The other entities of the table that a key of this one may look like.
pub(super) fn contenders(program: &Program, table: &Table, own: EntityId) -> Vec<EntityId> {
    let entity = &program.entities[own];
    let looks_alike = |id: &EntityId| {
        let other = &program.entities[*id];
        let mut parts = entity.key.parts().zip(other.key.parts());
        parts.all(|(one, two)| {
            let (one, two) = (beginning(entity, one), beginning(other, two));
            one.starts_with(two) || two.starts_with(one)
        })
    };
    table.entities.iter().copied().filter(|id| *id != own).filter(looks_alike).collect()
}

/// The text that every value of a part of a key begins with.
fn beginning<'e>(entity: &'e Entity, part: &KeyPart) -> &'e str {
    match part.source {
        Some(Source::Template(id)) => match entity.templates[id].pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        },
        _ => "",
    }
}

/// Whether each slot in the key of an item has text that its type may have.
pub(super) fn spells(entity: &Entity, item: &Item) -> bool {
    entity.key.parts().all(|part| match (part.source, item.get(&part.stored)) {
        (Some(Source::Template(id)), Some(ValueRef::S(text))) => {
            let slots = slots_of(&entity.templates[id], text);
            slots.is_none_or(|slots| {
                slots.into_iter().all(|(id, format, text)| may_be(&entity.attributes[id].ty, format, text))
            })
        }
        _ => true,
    })
}

/// Whether a value of a type may be written like this.
fn may_be(ty: &Type, format: Option<&SlotFormat>, text: &str) -> bool {
    let has_only = |more: &str| text.chars().all(|each| each.is_alphanumeric() || more.contains(each));
    match (format, ty) {
        (Some(SlotFormat::Time(form)), _) if matches!(form.as_str(), "date" | "month") => {
            text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        }
        (_, Type::Int { .. } | Type::Decimal { .. } | Type::Bool | Type::Time { .. }) => {
            value_of(ty, format, text).is_some()
        }
        (Some(SlotFormat::Lower | SlotFormat::Escape), _) => true,
        (_, Type::Enum(words)) => words.open || words.words.iter().any(|word| **word == *text),
        (_, Type::Date | Type::Month) => text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'),
        (_, Type::String { format: StringFormat::Slug, .. }) => has_only("-_."),
        (_, Type::Id { prefix, .. } | Type::Token { prefix, .. }) => {
            text.starts_with(prefix.as_str()) && has_only("-_")
        }
        _ => true,
    }
}
