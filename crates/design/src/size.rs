//! How large values and items can get, from the declared bounds; none where a bound is missing.

use crate::model::*;

/// DynamoDB's limit for an item.
pub const MAX_ITEM_BYTES: u64 = 400 * 1024;

/// What an attribute can weigh at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At most that many bytes.
    Bytes(u64),
    /// As much as anybody puts in.
    Unbounded,
}

impl Bound {
    fn times(self, count: Option<u64>) -> Bound {
        match (self, count) {
            (Bound::Bytes(bytes), Some(count)) => Bound::Bytes(bytes.saturating_mul(count)),
            _ => Bound::Unbounded,
        }
    }

    fn plus(self, other: Bound) -> Bound {
        match (self, other) {
            (Bound::Bytes(a), Bound::Bytes(b)) => Bound::Bytes(a.saturating_add(b)),
            _ => Bound::Unbounded,
        }
    }
}

/// The most bytes a value of a type can take.
pub fn largest(design: &Design, ty: &Type) -> Bound {
    sized(design, ty, 0)
}

/// Records may contain records; a circle is unbounded.
fn sized(design: &Design, ty: &Type, depth: usize) -> Bound {
    if depth > 32 {
        return Bound::Unbounded;
    }
    match ty {
        Type::Undeclared => Bound::Unbounded,
        Type::String { format: StringFormat::Email, max: None, .. } => Bound::Bytes(254),
        Type::String { max, .. } => Bound::Bytes(1).times(*max),
        Type::Id { prefix, body } => Bound::Bytes(prefix.len() as u64 + body.length()),
        Type::Token { prefix, length } => Bound::Bytes(prefix.len() as u64 + length),
        Type::Int { .. } | Type::Decimal { .. } => Bound::Bytes(21),
        Type::Bool => Bound::Bytes(1),
        Type::Bytes { max } => Bound::Bytes(1).times(*max),
        Type::Time { .. } => Bound::Bytes(24),
        Type::Date => Bound::Bytes(10),
        Type::Month => Bound::Bytes(7),
        // Quotes, names and commas: JSON text takes about twice the bytes of its values.
        Type::Json { of } => match sized(design, of, depth + 1) {
            Bound::Bytes(bytes) => Bound::Bytes(bytes.saturating_mul(2)),
            Bound::Unbounded => Bound::Unbounded,
        },
        Type::Enum { members, open: false, .. } => {
            Bound::Bytes(members.iter().map(|member| member.len() as u64).max().unwrap_or(0))
        }
        Type::Enum { .. } => Bound::Bytes(256),
        Type::List { of, max } | Type::Set { of, max } => {
            sized(design, of, depth + 1).plus(Bound::Bytes(1)).times(*max)
        }
        Type::Map { of, max } => sized(design, of, depth + 1).plus(Bound::Bytes(64)).times(*max),
        Type::Object { attributes } => sum(design, attributes, depth + 1),
        Type::Record { name } => match design.record(name) {
            Some(record) => sum(design, &record.attributes, depth + 1),
            None => Bound::Unbounded,
        },
        Type::Any { max } => Bound::Bytes(1).times(*max),
        Type::Input { .. } => Bound::Unbounded,
    }
}

fn sum(design: &Design, attributes: &[Attribute], depth: usize) -> Bound {
    attributes.iter().filter(|each| each.is_stored()).fold(Bound::Bytes(3), |total, attribute| {
        let name = Bound::Bytes(attribute.name.text.len() as u64 + 1);
        total.plus(name).plus(sized(design, design.type_of(attribute), depth))
    })
}

/// The sum of the bounds of an entity's attributes, leaving out those that have none, and the names of the latter.
pub fn item_bound<'a>(design: &'a Design, entity: &'a Entity) -> (u64, Vec<&'a Attribute>) {
    let (mut total, mut unbounded) = (0_u64, Vec::new());
    for attribute in entity.attributes.iter().filter(|each| each.is_stored()) {
        match largest(design, design.type_of(attribute)) {
            Bound::Bytes(bytes) => total = total.saturating_add(bytes + attribute.name.text.len() as u64),
            Bound::Unbounded => unbounded.push(attribute),
        }
    }
    (total, unbounded)
}

/// The size to reckon with for one item: declared, or half of what the bounds allow.
pub fn typical_bytes(design: &Design, entity: &Entity) -> u64 {
    let declared = entity.volume.as_ref().and_then(|volume| volume.each_bytes);
    declared.unwrap_or_else(|| (item_bound(design, entity).0 / 2).clamp(100, MAX_ITEM_BYTES))
}

impl IdBody {
    /// The number of characters.
    pub fn length(self) -> u64 {
        match self {
            IdBody::Uuid => 36,
            IdBody::Ulid => 26,
            IdBody::Nanoid(length) => length,
        }
    }
}

/// The number of characters of every value of a type, if it is fixed.
pub fn fixed_length(ty: &Type) -> Option<u64> {
    match ty {
        Type::Id { prefix, body } => Some(prefix.chars().count() as u64 + body.length()),
        Type::Token { prefix, length } => Some(prefix.chars().count() as u64 + length),
        Type::String { min, max: Some(max), .. } if min == max => Some(*max),
        Type::Time { unit: TimeUnit::Iso } => Some(24),
        Type::Time { unit: TimeUnit::IsoSeconds } => Some(20),
        Type::Date => Some(10),
        Type::Month => Some(7),
        _ => None,
    }
}
