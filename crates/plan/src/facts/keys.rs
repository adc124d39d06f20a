//! The sources of stored key attributes, and the values that follow from known ones.

use sortkey_design::facts::is_time_name;
use sortkey_design::model::{SlotFormat, TimeUnit};
use sortkey_design::program::{Attribute, AttributeId, Entity, Normalize, Piece, Source, Type};
use sortkey_design::texts::{Next, Texts};

use crate::AttributeSet;

/// The attributes that a stored attribute is made of.
pub fn slots(entity: &Entity, source: Source) -> Vec<AttributeId> {
    match source {
        Source::Template(id) => entity.templates[id].slots().collect(),
        Source::Attribute(id) => vec![id],
    }
}

/// The attributes whose values can be recovered from a stored attribute: its inputs, as far as its text determines them. A
/// day does not determine a time, and adjacent slots cannot be separated.
pub fn told(entity: &Entity, source: Source) -> Vec<AttributeId> {
    let template = match source {
        Source::Attribute(id) => return vec![id],
        Source::Template(id) => &entity.templates[id],
    };
    let is_slot = |piece: &Piece| matches!(piece, Piece::Slot { .. });
    if template.pieces.windows(2).any(|pair| pair.iter().all(is_slot)) {
        return Vec::new();
    }
    let told = |piece: &Piece| match piece {
        Piece::Slot { attribute, format } => {
            is_determined(&entity.attributes[*attribute], format.as_ref()).then_some(*attribute)
        }
        Piece::Literal(_) => None,
    };
    template.pieces.iter().filter_map(told).collect()
}

/// Whether the key of an item determines its tenant, so that no other tenant has an item under it.
pub fn tells_tenant(entity: &Entity) -> bool {
    let told = |source| told(entity, source);
    let Some(tenant) = entity.tenant else { return true };
    entity.key.parts().filter_map(|part| part.source).flat_map(told).any(|id| id == tenant.attribute)
}

fn is_determined(attribute: &Attribute, format: Option<&SlotFormat>) -> bool {
    match (format, &*attribute.ty) {
        (Some(SlotFormat::Lower), _) => attribute.normalize.contains(&Normalize::Lower),
        (Some(SlotFormat::Time(form)), Type::Time { unit }) => match form.as_str() {
            "s" => matches!(unit, TimeUnit::Seconds | TimeUnit::IsoSeconds),
            form => matches!(form, "ms" | "iso"),
        },
        (Some(SlotFormat::Time(_)), _) => false,
        _ => true,
    }
}

/// Whether the text of an attribute in a key sorts as its values do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOrder {
    /// It does.
    Kept,
    /// Texts of different values may be equal; otherwise it does.
    Coarse,
    /// It does not.
    Lost,
}

/// The order of an attribute within a key: by its text, and by what follows that.
pub fn text_order(entity: &Entity, source: Source, slot: AttributeId) -> TextOrder {
    let Source::Template(template) = source else { return TextOrder::Kept };
    let template = &entity.templates[template];
    let is_it = |piece: &Piece| matches!(piece, Piece::Slot { attribute, .. } if *attribute == slot);
    let Some(at) = template.pieces.iter().position(is_it) else { return TextOrder::Kept };
    let Piece::Slot { format, .. } = &template.pieces[at] else { return TextOrder::Kept };
    let attribute = &entity.attributes[slot];
    let ty = &*attribute.ty;
    let texts = Texts::of_slot(ty.into(), format.as_ref(), &template.delimiters);
    let next = match template.pieces.get(at + 1) {
        None => Next::End,
        Some(Piece::Literal(text)) => Next::Literal(text),
        Some(Piece::Slot { .. }) => Next::Slot(&texts),
    };
    let is_number = matches!(ty, Type::Int { .. } | Type::Decimal { .. });
    let keeps = match format {
        // A time that is kept as a bare number has as many digits as all others of its unit.
        None if matches!(ty, Type::Int { .. }) && is_time_name(&attribute.name) => true,
        _ if is_number => texts.width.is_some(),
        // Percent-encoding moves characters, and so does another case.
        Some(SlotFormat::Escape) => texts == Texts::of(ty.into()),
        Some(SlotFormat::Lower) => attribute.normalize.contains(&Normalize::Lower),
        _ => true,
    };
    // Text that holds only a part of the value: a day of a time.
    let whole_seconds = matches!(ty, Type::Time { unit: TimeUnit::Seconds | TimeUnit::IsoSeconds });
    let is_coarse = match format {
        Some(SlotFormat::Time(form)) => match form.as_str() {
            "date" | "month" => true,
            "s" => !whole_seconds,
            _ => false,
        },
        _ => false,
    };
    match keeps && texts.sort_before(next) {
        true if is_coarse => TextOrder::Coarse,
        true => TextOrder::Kept,
        false => TextOrder::Lost,
    }
}

/// Whether an attribute's value follows from the known ones: it is known, or derived from known ones alone.
pub fn settles(entity: &Entity, known: &AttributeSet, attribute: AttributeId) -> bool {
    // A chain of derivations is at most as long as the list of attributes.
    let mut wanted = vec![attribute];
    for _ in 0..=entity.attributes.len() {
        let Some(id) = wanted.pop() else { return true };
        if known.contains(id) {
            continue;
        }
        let Some(fill) = entity.attributes[id].fill.as_ref().filter(|fill| fill.derived) else {
            return false;
        };
        let inputs = fill.value.attributes();
        if inputs.is_empty() {
            return false;
        }
        wanted.extend(inputs);
    }
    wanted.is_empty()
}
