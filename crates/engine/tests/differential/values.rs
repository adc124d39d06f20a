//! Random values, keys and items. The domains are small, so that keys collide and conditions hold.

use sortkey_testkit::Random;
use sortkey_value::{AttributeType, AttributeValue, Map, Number};

use crate::shape::{KeyShape, PLAIN_ATTRIBUTES, TableShape};

const TEXTS: &[&str] = &["a", "ab", "b", "a\u{0}", "é", "😀", "zz", ""];
/// Some are one number in several spellings.
const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "1",
    "1.0",
    "1e0",
    "2",
    "10",
    "1E1",
    "-1",
    "-1.50",
    "0.5",
    "5e-1",
    "100",
    "3.14159",
    "12345678901234567890",
    "0.001",
];
const BINARIES: &[&[u8]] = &[&[0], &[0, 0], &[0, 255], &[255], &[1, 2, 3], &[1], &[]];

/// How large items become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Around the edges of capacity units.
    Light,
    /// So large that pages end by their size.
    Heavy,
}

fn number(dice: &mut Random) -> Number {
    Number::parse(dice.pick::<&str>(NUMBERS)).unwrap()
}

/// A value that a key attribute of this type can have.
pub(crate) fn key_value(dice: &mut Random, kind: AttributeType) -> AttributeValue {
    match kind {
        AttributeType::N => AttributeValue::N(number(dice)),
        AttributeType::B => AttributeValue::B(dice.pick(&BINARIES[..6]).to_vec()),
        _ => AttributeValue::S((*dice.pick(&TEXTS[..7])).to_owned()),
    }
}

/// A key; the partition is one of few.
pub(crate) fn key(dice: &mut Random, shape: &KeyShape) -> Map {
    let mut few = Random::new(dice.below(3) as u64);
    let partition = shape.partition.iter().map(|attribute| (attribute, key_value(&mut few, attribute.kind)));
    let partition: Vec<_> = partition.collect();
    let sort = shape.sort.iter().map(|attribute| (attribute, key_value(dice, attribute.kind)));
    partition.into_iter().chain(sort).map(|(attribute, value)| (attribute.name.clone(), value)).collect()
}

/// Any value, nested a little.
pub(crate) fn value(dice: &mut Random, depth: usize) -> AttributeValue {
    let kinds = if depth == 0 { 8 } else { 12 };
    match dice.below(kinds) {
        0 | 1 => AttributeValue::S((*dice.pick(TEXTS)).to_owned()),
        2 | 3 => AttributeValue::N(number(dice)),
        4 => AttributeValue::B(dice.pick(BINARIES).to_vec()),
        5 => AttributeValue::Bool(dice.chance(50)),
        6 => AttributeValue::Null,
        7 => set(dice),
        8 | 9 => list(dice, depth - 1),
        _ => map(dice, depth - 1),
    }
}

pub(crate) fn set(dice: &mut Random) -> AttributeValue {
    let count = 1 + dice.below(3);
    match dice.below(3) {
        0 => AttributeValue::string_set((0..count).map(|_| *dice.pick(&TEXTS[..7]))),
        1 => AttributeValue::number_set((0..count).map(|_| number(dice))),
        _ => AttributeValue::binary_set((0..count).map(|_| dice.pick(BINARIES).to_vec())),
    }
}

pub(crate) fn list(dice: &mut Random, depth: usize) -> AttributeValue {
    AttributeValue::L((0..dice.below(4)).map(|_| value(dice, depth)).collect())
}

fn map(dice: &mut Random, depth: usize) -> AttributeValue {
    AttributeValue::M(
        (0..dice.below(3)).map(|_| ((*dice.pick(&["x", "y", "a.b"])).into(), value(dice, depth))).collect(),
    )
}

/// The value that an attribute of this name tends to have.
pub(crate) fn typical(
    dice: &mut Random,
    shape: &TableShape,
    name: &str,
    now_ms: u64,
    weight: Weight,
) -> AttributeValue {
    let key_attribute = shape.key.attributes().chain(&shape.pool).find(|attribute| attribute.name == name);
    if let Some(attribute) = key_attribute {
        // Now and then one that an index cannot place.
        return if dice.chance(3) { value(dice, 1) } else { key_value(dice, attribute.kind) };
    }
    match name {
        "m" if dice.chance(80) => map(dice, 1),
        "l" if dice.chance(80) => list(dice, 1),
        "ttl" if dice.chance(90) => expiry(dice, now_ms),
        "w" if weight == Weight::Heavy => AttributeValue::S("x".repeat(50_000 + dice.below(300_000))),
        "w" if dice.chance(30) => {
            let edge = *dice.pick(&[900, 1000, 3900, 4050, 8100]);
            AttributeValue::S("x".repeat(edge + dice.below(200)))
        }
        _ => value(dice, 2),
    }
}

/// A second around now, or one that expires nothing.
fn expiry(dice: &mut Random, now_ms: u64) -> AttributeValue {
    const YEAR: i64 = 365 * 24 * 60 * 60;
    let now = i64::try_from(now_ms / 1000).unwrap();
    let second = match dice.below(10) {
        0 => now - 6 * YEAR,
        1 => now - YEAR,
        2 => now,
        3 => -5,
        _ => now + dice.below(30) as i64 - 5,
    };
    AttributeValue::from(second)
}

/// An item with the attributes of its key and some others.
pub(crate) fn item(dice: &mut Random, shape: &TableShape, now_ms: u64, weight: Weight) -> Map {
    let mut item = Map::new();
    let pool = shape.pool.iter().map(|attribute| (attribute.name.as_str(), 70));
    for (name, percent) in pool.chain(PLAIN_ATTRIBUTES.map(|name| (name, 40))) {
        if dice.chance(percent) {
            item.insert(name.to_owned(), typical(dice, shape, name, now_ms, weight));
        }
    }
    item.extend(key(dice, &shape.key));
    item
}
