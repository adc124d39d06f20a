//! Values read in place out of the compact form.

use std::cmp::Ordering;
use std::marker::PhantomData;

use crate::codec::Cursor;
use crate::{AttributeType, AttributeValue, Map, Number};

/// A value inside an [`crate::Item`], borrowed from its buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRef<'a> {
    /// String.
    S(&'a str),
    /// Number.
    N(Number),
    /// Binary.
    B(&'a [u8]),
    /// Boolean.
    Bool(bool),
    /// Null.
    Null,
    /// List.
    L(ListRef<'a>),
    /// Map.
    M(MapRef<'a>),
    /// String set.
    Ss(StringSetRef<'a>),
    /// Number set.
    Ns(NumberSetRef<'a>),
    /// Binary set.
    Bs(BinarySetRef<'a>),
}

/// A list in the compact form.
pub type ListRef<'a> = Sequence<'a, Values>;
/// A string set in the compact form.
pub type StringSetRef<'a> = Sequence<'a, Strings>;
/// A number set in the compact form.
pub type NumberSetRef<'a> = Sequence<'a, Numbers>;
/// A binary set in the compact form.
pub type BinarySetRef<'a> = Sequence<'a, Binaries>;

impl<'a> ValueRef<'a> {
    /// Reads the value at the cursor and moves behind it.
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Option<ValueRef<'a>> {
        const S: u8 = AttributeType::S as u8;
        const N: u8 = AttributeType::N as u8;
        const B: u8 = AttributeType::B as u8;
        const BOOL: u8 = AttributeType::Bool as u8;
        const NULL: u8 = AttributeType::Null as u8;
        const L: u8 = AttributeType::L as u8;
        const M: u8 = AttributeType::M as u8;
        const SS: u8 = AttributeType::Ss as u8;
        const NS: u8 = AttributeType::Ns as u8;
        const BS: u8 = AttributeType::Bs as u8;
        Some(match cursor.byte()? {
            S => ValueRef::S(cursor.text()?),
            N => ValueRef::N(cursor.number()?),
            B => ValueRef::B(cursor.bytes()?),
            BOOL => ValueRef::Bool(cursor.byte()? != 0),
            NULL => ValueRef::Null,
            L => ValueRef::L(Sequence::new(cursor.sized()?)),
            M => ValueRef::M(MapRef { bytes: cursor.sized()? }),
            SS => ValueRef::Ss(Sequence::new(cursor.sized()?)),
            NS => ValueRef::Ns(Sequence::new(cursor.sized()?)),
            BS => ValueRef::Bs(Sequence::new(cursor.sized()?)),
            _ => return None,
        })
    }

    /// Which of the ten types the value has.
    pub fn attribute_type(&self) -> AttributeType {
        match self {
            ValueRef::S(_) => AttributeType::S,
            ValueRef::N(_) => AttributeType::N,
            ValueRef::B(_) => AttributeType::B,
            ValueRef::Bool(_) => AttributeType::Bool,
            ValueRef::Null => AttributeType::Null,
            ValueRef::L(_) => AttributeType::L,
            ValueRef::M(_) => AttributeType::M,
            ValueRef::Ss(_) => AttributeType::Ss,
            ValueRef::Ns(_) => AttributeType::Ns,
            ValueRef::Bs(_) => AttributeType::Bs,
        }
    }

    /// The bytes that DynamoDB accounts for the value, without its name.
    pub fn size_bytes(&self) -> usize {
        match self {
            ValueRef::S(text) => text.len(),
            ValueRef::N(number) => number.size_bytes(),
            ValueRef::B(bytes) => bytes.len(),
            ValueRef::Bool(_) | ValueRef::Null => 1,
            ValueRef::L(list) => 3 + list.iter().map(|value| 1 + value.size_bytes()).sum::<usize>(),
            ValueRef::M(map) => {
                3 + map.iter().map(|(name, value)| 1 + name.len() + value.size_bytes()).sum::<usize>()
            }
            ValueRef::Ss(set) => set.iter().map(str::len).sum(),
            ValueRef::Ns(set) => set.iter().map(Number::size_bytes).sum(),
            ValueRef::Bs(set) => set.iter().map(<[u8]>::len).sum(),
        }
    }

    /// How many lists and maps lie inside each other, this one included; 0 for a scalar or a set.
    pub fn nesting(&self) -> usize {
        match self {
            ValueRef::L(list) => 1 + list.iter().map(|value| value.nesting()).max().unwrap_or(0),
            ValueRef::M(map) => 1 + map.iter().map(|(_, value)| value.nesting()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The value as a tree.
    pub fn to_owned(&self) -> AttributeValue {
        match self {
            ValueRef::S(text) => AttributeValue::S((*text).to_owned()),
            ValueRef::N(number) => AttributeValue::N(*number),
            ValueRef::B(bytes) => AttributeValue::B(bytes.to_vec()),
            ValueRef::Bool(value) => AttributeValue::Bool(*value),
            ValueRef::Null => AttributeValue::Null,
            ValueRef::L(list) => AttributeValue::L(list.iter().map(|value| value.to_owned()).collect()),
            ValueRef::M(map) => AttributeValue::M(map.to_map()),
            ValueRef::Ss(set) => AttributeValue::Ss(set.iter().map(str::to_owned).collect()),
            ValueRef::Ns(set) => AttributeValue::Ns(set.iter().collect()),
            ValueRef::Bs(set) => AttributeValue::Bs(set.iter().map(<[u8]>::to_vec).collect()),
        }
    }
}

/// How one member of a [`Sequence`] is read.
pub trait Member {
    /// What a member is.
    type Of<'a>: PartialEq;
    #[doc(hidden)]
    fn read<'a>(cursor: &mut MemberCursor<'a>) -> Option<Self::Of<'a>>;
}

/// A cursor that only this crate can read from; it keeps [`Member`] closed.
pub struct MemberCursor<'a>(Cursor<'a>);

/// Members of a list.
#[derive(Clone, Copy, Debug)]
pub enum Values {}
/// Members of a string set.
#[derive(Clone, Copy, Debug)]
pub enum Strings {}
/// Members of a number set.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {}
/// Members of a binary set.
#[derive(Clone, Copy, Debug)]
pub enum Binaries {}

impl Member for Values {
    type Of<'a> = ValueRef<'a>;
    fn read<'a>(cursor: &mut MemberCursor<'a>) -> Option<ValueRef<'a>> {
        ValueRef::read(&mut cursor.0)
    }
}

impl Member for Strings {
    type Of<'a> = &'a str;
    fn read<'a>(cursor: &mut MemberCursor<'a>) -> Option<&'a str> {
        cursor.0.text()
    }
}

impl Member for Numbers {
    type Of<'a> = Number;
    fn read<'a>(cursor: &mut MemberCursor<'a>) -> Option<Number> {
        cursor.0.number()
    }
}

impl Member for Binaries {
    type Of<'a> = &'a [u8];
    fn read<'a>(cursor: &mut MemberCursor<'a>) -> Option<&'a [u8]> {
        cursor.0.bytes()
    }
}

/// A list or a set in the compact form: a count and its members.
pub struct Sequence<'a, M> {
    bytes: &'a [u8],
    member: PhantomData<M>,
}

impl<'a, M: Member> Sequence<'a, M> {
    fn new(bytes: &'a [u8]) -> Sequence<'a, M> {
        Sequence { bytes, member: PhantomData }
    }

    /// How many members there are.
    pub fn len(self) -> usize {
        Cursor::new(self.bytes).u32().unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The members, in order.
    pub fn iter(self) -> impl Iterator<Item = M::Of<'a>> {
        let mut cursor = Cursor::new(self.bytes);
        let count = cursor.u32().unwrap_or(0);
        let mut cursor = MemberCursor(cursor);
        (0..count).map_while(move |_| M::read(&mut cursor))
    }

    /// The member at a position.
    pub fn get(self, index: usize) -> Option<M::Of<'a>> {
        self.iter().nth(index)
    }

    /// Whether a member equals this one.
    pub fn contains(self, wanted: M::Of<'a>) -> bool {
        self.iter().any(|member| member == wanted)
    }
}

// Written out because a derive would ask for `M: Clone` and friends.
impl<M> Clone for Sequence<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Sequence<'_, M> {}

/// The form is canonical, so equal bytes are equal values.
impl<M> PartialEq for Sequence<'_, M> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<M: Member> std::fmt::Debug for Sequence<'_, M>
where
    for<'b> M::Of<'b>: std::fmt::Debug,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A map in the compact form.
#[derive(Clone, Copy, PartialEq)]
pub struct MapRef<'a> {
    bytes: &'a [u8],
}

impl<'a> MapRef<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> MapRef<'a> {
        MapRef { bytes }
    }

    /// How many entries there are.
    pub fn len(self) -> usize {
        Cursor::new(self.bytes).u32().unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The entries, by ascending name.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, ValueRef<'a>)> {
        let mut cursor = Cursor::new(self.bytes);
        let count = cursor.u32().unwrap_or(0);
        (0..count).map_while(move |_| Some((cursor.text()?, ValueRef::read(&mut cursor)?)))
    }

    /// The entries, by ascending name, with names as bytes and values that are read when somebody asks.
    pub fn spans(self) -> impl Iterator<Item = (&'a [u8], Span<'a>)> {
        let mut cursor = Cursor::new(self.bytes);
        let count = cursor.u32().unwrap_or(0);
        (0..count).map_while(move |_| {
            let name = cursor.bytes()?;
            let start = cursor;
            skip_value(&mut cursor)?;
            Some((name, Span { start }))
        })
    }

    /// The value under a name.
    pub fn get(self, wanted: &str) -> Option<ValueRef<'a>> {
        let mut cursor = Cursor::new(self.bytes);
        let count = cursor.u32()?;
        for _ in 0..count {
            let name = cursor.bytes()?;
            // Names ascend, so the search ends at the first one behind the wanted.
            match quick_cmp(name, wanted.as_bytes()) {
                Ordering::Less => skip_value(&mut cursor)?,
                Ordering::Equal => return ValueRef::read(&mut cursor),
                Ordering::Greater => return None,
            }
        }
        None
    }

    /// The values under several names, which ascend as the map's own do, in one walk. Values under other names are not
    /// looked at, and texts are not read, only found.
    pub fn pick<N: AsRef<str>>(self, wanted: &[N], found: &mut [Option<Picked<'a>>]) {
        let mut wanted = wanted.iter().zip(found);
        let Some(mut next) = wanted.next() else { return };
        let mut cursor = Cursor::new(self.bytes);
        for _ in 0..cursor.u32().unwrap_or(0) {
            let Some(name) = cursor.bytes() else { return };
            let order = loop {
                match quick_cmp(next.0.as_ref().as_bytes(), name) {
                    Ordering::Less => match wanted.next() {
                        Some(behind) => next = behind,
                        None => return,
                    },
                    order => break order,
                }
            };
            let walked = match order {
                Ordering::Equal => {
                    *next.1 = Picked::read(&mut cursor);
                    next.1.is_some()
                }
                _ => skip_value(&mut cursor).is_some(),
            };
            if !walked {
                return;
            }
        }
    }

    /// The map as a tree.
    pub fn to_map(self) -> Map {
        self.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

impl std::fmt::Debug for MapRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A value that [`MapRef::spans`] passed and nobody has read.
#[derive(Clone, Copy)]
pub struct Span<'a> {
    start: Cursor<'a>,
}

impl<'a> Span<'a> {
    /// The value; none if it is damaged.
    pub fn read(self) -> Option<ValueRef<'a>> {
        ValueRef::read(&mut { self.start })
    }
}

/// A value that [`MapRef::pick`] found. To compare texts, nobody needs to know that their bytes are UTF-8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Picked<'a> {
    /// The bytes of a string.
    Text(&'a [u8]),
    /// A value of another type.
    Other(ValueRef<'a>),
}

impl<'a> Picked<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Option<Picked<'a>> {
        const STRING: u8 = AttributeType::S as u8;
        let mut ahead = *cursor;
        if ahead.byte()? != STRING {
            return ValueRef::read(cursor).map(Picked::Other);
        }
        let text = ahead.bytes()?;
        *cursor = ahead;
        Some(Picked::Text(text))
    }

    /// The value itself; none for text that is damaged.
    pub fn value(self) -> Option<ValueRef<'a>> {
        match self {
            Picked::Text(bytes) => std::str::from_utf8(bytes).ok().map(ValueRef::S),
            Picked::Other(value) => Some(value),
        }
    }
}

/// The order of two names. Most differ in their first byte, and need no more than that.
#[inline]
fn quick_cmp(left: &[u8], right: &[u8]) -> Ordering {
    match (left.first(), right.first()) {
        (Some(one), Some(other)) if one != other => one.cmp(other),
        _ => left.cmp(right),
    }
}

/// Moves behind a value without looking at what it contains.
fn skip_value(cursor: &mut Cursor<'_>) -> Option<()> {
    const STRING: u8 = AttributeType::S as u8;
    const BINARY: u8 = AttributeType::B as u8;
    const NUMBER: u8 = AttributeType::N as u8;
    const BOOL: u8 = AttributeType::Bool as u8;
    const NULL: u8 = AttributeType::Null as u8;
    match cursor.byte()? {
        STRING | BINARY => drop(cursor.bytes()?),
        NUMBER => {
            let length = usize::from(cursor.byte()? & 0x7f);
            cursor.take(2 + length)?;
        }
        BOOL => drop(cursor.byte()?),
        NULL => {}
        _ => drop(cursor.sized()?),
    }
    Some(())
}

/// The size of all entries, names included, as DynamoDB accounts it. Strings are measured, not read.
pub(crate) fn entries_size_bytes(entries: &[u8]) -> Option<usize> {
    const STRING: u8 = AttributeType::S as u8;
    let mut cursor = Cursor::new(entries);
    let mut size_bytes = 0;
    for _ in 0..cursor.u32()? {
        size_bytes += cursor.bytes()?.len();
        let mut ahead = cursor;
        size_bytes += match ahead.byte()? {
            STRING => {
                let length = ahead.bytes()?.len();
                cursor = ahead;
                length
            }
            _ => ValueRef::read(&mut cursor)?.size_bytes(),
        };
    }
    Some(size_bytes)
}
