//! The usual layout of an entity's items: one walk checks whether an item has it, and finds values in it.

use std::cmp::Ordering;

use crate::codec::Cursor;
use crate::value_ref::{Picked, skip_value};
use crate::{AttributeType, Item, compare_names};

/// A length, a short name and a type fit into one word of the widest kind.
const HEAD_BYTES: usize = 16;

/// The attributes that items of one kind have, by ascending name.
///
/// Items of a kind have nearly always the same attributes in the same order and the same types: a walk over item and outline
/// side by side compares name and type of each attribute as one word, and passes over its value.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    lines: Vec<Line>,
}

/// Offset of a value that was found; 0 if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place(u32);

/// One attribute of an outline.
#[derive(Clone, Debug)]
struct Line {
    /// The name behind its length, and the usual type behind that; nothing for a name that is too long.
    head: u128,
    /// The bits of the head.
    mask: u128,
    /// The bytes of the head before the type.
    name_bytes: usize,
    /// How a value of the usual type is passed over.
    skip: Skip,
    is_required: bool,
    pick: Option<usize>,
    types: u16,
    name: Box<[u8]>,
}

/// How a value of a type is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skip {
    /// A length of one byte, and as many bytes.
    Bytes,
    /// A length with a sign, an exponent, and as many bytes.
    Number,
    /// One byte.
    Bool,
    /// A value whose length only the general decoder can find.
    Other,
}

impl Outline {
    /// Adds an attribute. Names are added in ascending order. `types` has the bit `1 << type as u16` for every type in which it
    /// may be stored, `usual` is the one that it nearly always has; `pick` is the place where it is noted where its value begins.
    pub fn push(
        &mut self,
        name: &str,
        types: u16,
        usual: AttributeType,
        is_required: bool,
        pick: Option<usize>,
    ) {
        let (mut head, mut mask) = ([0; HEAD_BYTES], [0; HEAD_BYTES]);
        let room = head.get_mut(..name.len() + 2).zip(mask.get_mut(..name.len() + 2));
        if let Some((head, mask)) = room {
            // Shorter than a word, so its length is one byte.
            head[0] = name.len() as u8;
            head[1..=name.len()].copy_from_slice(name.as_bytes());
            head[name.len() + 1] = usual as u8;
            mask.fill(u8::MAX);
        }
        self.lines.push(Line {
            head: u128::from_le_bytes(head),
            mask: u128::from_le_bytes(mask),
            name_bytes: name.len() + 1,
            skip: match usual {
                AttributeType::S | AttributeType::B => Skip::Bytes,
                AttributeType::N => Skip::Number,
                AttributeType::Bool => Skip::Bool,
                _ => Skip::Other,
            },
            is_required,
            pick,
            types,
            name: name.as_bytes().into(),
        });
    }

    /// Finds the picked values of an item. `None` if a required attribute is missing or an attribute has a type that
    /// the outline does not allow; attributes that the outline does not name are skipped.
    pub fn find(&self, item: &Item, found: &mut [Place]) -> Option<()> {
        let bytes: &[u8] = item.as_bytes();
        let mut at = ENTRIES_AT;
        if bytes.len() < at {
            return None;
        }
        for line in &self.lines {
            let value_at = match line.is_at(bytes, at) {
                true => {
                    let value_at = at + line.name_bytes;
                    at = line.behind(bytes, value_at)?;
                    value_at
                }
                false => match line.search(bytes, &mut at)? {
                    Some(value_at) => value_at,
                    None if line.is_required => return None,
                    None => continue,
                },
            };
            if let Some(pick) = line.pick {
                *found.get_mut(pick)? = Place(u32::try_from(value_at).ok()?);
            }
        }
        Some(())
    }
}

/// The size of the item and the count of its attributes precede the entries.
const ENTRIES_AT: usize = 8;

impl Line {
    /// Whether the attribute is here, in its usual type.
    #[inline]
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        match bytes.get(at..).and_then(|rest| rest.first_chunk::<HEAD_BYTES>()) {
            Some(window) => self.mask != 0 && u128::from_le_bytes(*window) & self.mask == self.head,
            None => false,
        }
    }

    /// Offset of the entry after a value of the usual type.
    #[inline]
    fn behind(&self, bytes: &[u8], value_at: usize) -> Option<usize> {
        let behind = match (self.skip, bytes.get(value_at + 1)) {
            (Skip::Bytes, Some(length @ 0..0x80)) => value_at + 2 + usize::from(*length),
            (Skip::Number, Some(length)) => value_at + 4 + usize::from(length & 0x7f),
            (Skip::Bool, _) => value_at + 2,
            _ => return skipped(bytes, value_at),
        };
        (behind <= bytes.len()).then_some(behind)
    }

    /// Slow path: searches for the attribute from `at` on, and moves `at` behind it. Returns the offset of its value,
    /// `Some(None)` if the item has no such attribute, and `None` if the type is not allowed or the bytes are damaged.
    /// Most attributes match `is_at`; this handles optional and unknown ones, long names and less usual types.
    #[inline(never)]
    fn search(&self, bytes: &[u8], at: &mut usize) -> Option<Option<usize>> {
        while *at < bytes.len() {
            let mut ahead = Cursor::new(bytes.get(*at..)?);
            let order = compare_names(ahead.bytes()?, &self.name);
            if order == Ordering::Greater {
                return Some(None);
            }
            let value_at = bytes.len() - ahead.left();
            let tag = ahead.peek()?;
            *at = skipped(bytes, value_at)?;
            if order == Ordering::Equal {
                let is_typed = tag < 16 && self.types & (1 << tag) != 0;
                return is_typed.then_some(Some(value_at));
            }
        }
        Some(None)
    }
}

/// Offset of the entry after a value.
fn skipped(bytes: &[u8], value_at: usize) -> Option<usize> {
    let mut cursor = Cursor::new(bytes.get(value_at..)?);
    skip_value(&mut cursor)?;
    Some(bytes.len() - cursor.left())
}

impl Item {
    /// The value that an outline found in this item; none if it found none.
    #[inline]
    pub fn at(&self, place: Place) -> Option<Picked<'_>> {
        let rest = self.as_bytes().get(place.0 as usize..).filter(|_| place.0 > 0)?;
        Picked::read(&mut Cursor::new(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttributeType, AttributeValue, Map, ValueRef};

    const STRING: u16 = 1 << AttributeType::S as u16;
    const NUMBER: u16 = 1 << AttributeType::N as u16;
    const BOOL: u16 = 1 << AttributeType::Bool as u16;

    fn outline() -> Outline {
        let mut outline = Outline::default();
        outline.push("a_name_of_more_than_sixteen_bytes", STRING, AttributeType::S, false, Some(1));
        outline.push("id", STRING | BOOL, AttributeType::S, true, Some(0));
        outline.push("size", NUMBER, AttributeType::N, true, None);
        outline
    }

    fn picked(entries: &[(&str, AttributeValue)]) -> Option<[Option<String>; 2]> {
        let map: Map = entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let item = Item::from(map);
        let mut found = [Place::default(); 2];
        outline().find(&item, &mut found)?;
        Some(found.map(|each| match item.at(each).and_then(Picked::value) {
            Some(ValueRef::S(text)) => Some(text.to_owned()),
            _ => None,
        }))
    }

    #[test]
    fn an_item_is_recognised_whatever_else_it_has() {
        let (id, size) = (("id", "x".into()), ("size", AttributeValue::from(3)));
        let long = ("a_name_of_more_than_sixteen_bytes", "y".into());
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(picked(&[id.clone(), size.clone()]), Some([text("x"), None]));
        assert_eq!(picked(&[id.clone(), size.clone(), long.clone()]), Some([text("x"), text("y")]));
        for name in
            ["", "a", "ic", "ie", "idle", "siz", "sizes", "zebra", "another_name_of_more_than_sixteen_bytes"]
        {
            for value in [AttributeValue::Null, "text".into(), AttributeValue::L(vec!["z".into()])] {
                let more = [id.clone(), size.clone(), long.clone(), (name, value)];
                assert_eq!(picked(&more), Some([text("x"), text("y")]), "{name}");
            }
        }
    }

    #[test]
    fn what_is_missing_or_of_another_type_takes_a_closer_look() {
        let (id, size) = (("id", "x".into()), ("size", AttributeValue::from(3)));
        assert_eq!(picked(&[]), None);
        // Less usual, and allowed.
        assert_eq!(picked(&[("id", AttributeValue::Bool(true)), size.clone()]), Some([None, None]));
        assert_eq!(picked(std::slice::from_ref(&id)), None);
        assert_eq!(picked(std::slice::from_ref(&size)), None);
        assert_eq!(picked(&[("id", AttributeValue::from(1)), size.clone()]), None);
        assert_eq!(picked(&[id.clone(), ("size", "3".into())]), None);
        assert_eq!(picked(&[("a_name_of_more_than_sixteen_bytes", AttributeValue::Null), id, size]), None);
    }

    #[test]
    fn damaged_bytes_are_no_item_of_the_kind() {
        let item = Item::from([("id", AttributeValue::from("x")), ("size", AttributeValue::from(3))]);
        let bytes = item.as_bytes();
        for length in 0..bytes.len() {
            let cut = Item::from_bytes(bytes[..length].into());
            assert_eq!(outline().find(&cut, &mut [Place::default(); 2]), None, "{length}");
        }
    }
}
