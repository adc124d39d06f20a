//! The maximum sizes of values and items, from the declared bounds; none if a bound is missing.

use crate::model::*;
use std::collections::HashMap;

/// DynamoDB's limit for an item.
pub const MAX_ITEM_BYTES: u64 = 400 * 1024;

/// The maximum size of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At most that many bytes.
    Bytes(u64),
    /// Any size.
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

/// The maximum size of a value of a type.
pub fn largest<'a>(design: &'a Design, ty: &'a Type) -> Bound {
    Sizes { design, records: HashMap::new() }.of(ty, 0)
}

/// The sizes measured so far. Records may contain records, so each is measured once, however often it is named.
struct Sizes<'a> {
    design: &'a Design,
    /// The bounds of records measured so far.
    /// A record that is still being measured contains itself, and is unbounded.
    records: HashMap<&'a str, Bound>,
}

/// How deep records may contain others before they count as unbounded.
const DEEPEST: usize = 32;

impl<'a> Sizes<'a> {
    fn of(&mut self, ty: &'a Type, depth: usize) -> Bound {
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
            Type::Json { of } => match self.of(of, depth) {
                Bound::Bytes(bytes) => Bound::Bytes(bytes.saturating_mul(2)),
                Bound::Unbounded => Bound::Unbounded,
            },
            Type::Enum { members, open: false, .. } => {
                Bound::Bytes(members.iter().map(|member| member.len() as u64).max().unwrap_or(0))
            }
            Type::Enum { .. } => Bound::Bytes(256),
            Type::List { of, max } | Type::Set { of, max } => {
                self.of(of, depth).plus(Bound::Bytes(1)).times(*max)
            }
            Type::Map { of, max } => self.of(of, depth).plus(Bound::Bytes(64)).times(*max),
            Type::Object { attributes } => self.sum(attributes, depth),
            Type::Record { name } => self.record(name, depth),
            Type::Any { max } => Bound::Bytes(1).times(*max),
            Type::Input { .. } => Bound::Unbounded,
        }
    }

    fn record(&mut self, name: &'a str, depth: usize) -> Bound {
        if let Some(known) = self.records.get(name) {
            return *known;
        }
        let Some(record) = self.design.record(name).filter(|_| depth < DEEPEST) else {
            return Bound::Unbounded;
        };
        self.records.insert(name, Bound::Unbounded);
        let size = self.sum(&record.attributes, depth + 1);
        self.records.insert(name, size);
        size
    }

    fn sum(&mut self, attributes: &'a [Attribute], depth: usize) -> Bound {
        attributes.iter().filter(|each| each.is_stored()).fold(Bound::Bytes(3), |total, attribute| {
            let name = Bound::Bytes(attribute.name.text.len() as u64 + 1);
            total.plus(name).plus(self.of(self.design.type_of(attribute), depth))
        })
    }
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

/// The assumed size of an item: declared, or half of what the bounds allow.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoFiles, compile};

    fn size(records: &str, ty: &str) -> Bound {
        let text = format!("table T {{ key (a) }}\n{records}\nentity E in T {{ a uuid = new  b {ty} }}\n");
        let design = compile("t.sk", &text, &NoFiles).design;
        let entity = design.entity("E").expect("declared");
        largest(&design, design.type_of(entity.attribute("b").expect("declared")))
    }

    #[test]
    fn records_are_measured_once() {
        assert_eq!(size("record A { x bool, y bool }", "A"), Bound::Bytes(9));
        assert_eq!(size("record A { x bool }  record B { a A, b A }", "B"), Bound::Bytes(19));
    }

    /// A record with two parts of its own kind took four billion steps to measure.
    #[test]
    fn a_record_that_contains_itself_is_unbounded() {
        assert_eq!(size("record A { x A, y A, z list(A, max 3) }", "A"), Bound::Unbounded);
        let chain: String =
            (0..40).map(|at| format!("record R{at} {{ a R{0}, b R{0}, c R{0} }}\n", at + 1)).collect();
        assert_eq!(size(&chain, "R0"), Bound::Unbounded);
    }
}
