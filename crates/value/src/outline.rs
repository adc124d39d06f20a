//! What the items of one kind look like, so that one walk shows whether an item does.

use std::cmp::Ordering;

use crate::codec::Cursor;
use crate::value_ref::{Picked, skip_value};
use crate::{Item, compare_names};

/// A length and the first bytes of a name fit into one word of the machine's widest.
const HEAD_BYTES: usize = 16;

/// The attributes that items of one kind have, by ascending name.
///
/// Items of a kind have nearly always the same attributes in the same order: a walk over item and outline side by side compares
/// each name once, as one word.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    lines: Vec<Line>,
}

/// What an outline says of one attribute.
#[derive(Clone, Debug)]
struct Line {
    name: Box<[u8]>,
    /// The name as it is stored, behind its length, cut to a word; of a longer name nothing.
    head: u128,
    /// The bits of the head.
    mask: u128,
    types: u16,
    is_required: bool,
    pick: Option<usize>,
}

impl Outline {
    /// Adds an attribute. Names are added in ascending order. `types` has the bit `1 << type as u16` for every type in which it
    /// may be stored; `pick` is the place where its value goes when it is found.
    pub fn push(&mut self, name: &str, types: u16, is_required: bool, pick: Option<usize>) {
        let mut head = [0; HEAD_BYTES];
        let mut mask = [0; HEAD_BYTES];
        if let (Some(head), Some(mask)) = (head.get_mut(..=name.len()), mask.get_mut(..=name.len())) {
            // Shorter than a word, so its length is one byte.
            head[0] = name.len() as u8;
            head[1..].copy_from_slice(name.as_bytes());
            mask.fill(u8::MAX);
        }
        self.lines.push(Line {
            name: name.as_bytes().into(),
            head: u128::from_le_bytes(head),
            mask: u128::from_le_bytes(mask),
            types,
            is_required,
            pick,
        });
    }

    /// Picks values out of an item that has everything it must have, each in one of its types; none if it does not. What the
    /// outline does not name is passed over.
    pub fn pick<'i>(&self, item: &'i Item, picked: &mut [Option<Picked<'i>>]) -> Option<()> {
        let mut cursor = Cursor::new(item.entries().bytes());
        let mut left = cursor.u32()?;
        for line in &self.lines {
            if !line.find(&mut cursor, &mut left)? {
                if line.is_required {
                    return None;
                }
                continue;
            }
            let tag = cursor.peek()?;
            if tag >= 16 || line.types & (1 << tag) == 0 {
                return None;
            }
            match line.pick {
                None => skip_value(&mut cursor)?,
                Some(at) => *picked.get_mut(at)? = Some(Picked::read(&mut cursor)?),
            }
        }
        Some(())
    }
}

impl Line {
    /// Moves behind the attribute's name, past what is not in the outline; false if the item has no such attribute. None where
    /// the bytes are damaged.
    #[inline]
    fn find(&self, cursor: &mut Cursor<'_>, left: &mut usize) -> Option<bool> {
        if *left > 0 && self.is_at(cursor) {
            *left -= 1;
            return Some(true);
        }
        self.search(cursor, left)
    }

    #[inline]
    fn is_at(&self, cursor: &mut Cursor<'_>) -> bool {
        let is_here = match cursor.ahead::<HEAD_BYTES>() {
            Some(ahead) => self.mask != 0 && u128::from_le_bytes(*ahead) & self.mask == self.head,
            None => false,
        };
        is_here && cursor.take(1 + self.name.len()).is_some()
    }

    /// Most attributes are found at once; what is left are optional ones, unknown ones, and long names.
    #[inline(never)]
    fn search(&self, cursor: &mut Cursor<'_>, left: &mut usize) -> Option<bool> {
        while *left > 0 {
            let mut ahead = *cursor;
            match compare_names(ahead.bytes()?, &self.name) {
                Ordering::Greater => return Some(false),
                Ordering::Equal => {
                    *cursor = ahead;
                    *left -= 1;
                    return Some(true);
                }
                Ordering::Less => {
                    skip_value(&mut ahead)?;
                    *cursor = ahead;
                    *left -= 1;
                }
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttributeType, AttributeValue, Map, ValueRef};

    const STRING: u16 = 1 << AttributeType::S as u16;
    const NUMBER: u16 = 1 << AttributeType::N as u16;

    fn outline() -> Outline {
        let mut outline = Outline::default();
        outline.push("a_name_of_more_than_sixteen_bytes", STRING, false, Some(1));
        outline.push("id", STRING, true, Some(0));
        outline.push("size", NUMBER, true, None);
        outline
    }

    fn picked(entries: &[(&str, AttributeValue)]) -> Option<[Option<String>; 2]> {
        let map: Map = entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let item = Item::from(map);
        let mut found = [None; 2];
        outline().pick(&item, &mut found)?;
        Some(found.map(|each| match each.and_then(Picked::value) {
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
        assert_eq!(picked(&[id.clone()]), None);
        assert_eq!(picked(&[size.clone()]), None);
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
            assert_eq!(outline().pick(&cut, &mut [None; 2]), None, "{length}");
        }
    }
}
