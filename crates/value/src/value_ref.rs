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

    /// The type of the value, one of the ten.
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
    /// The type of a member.
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

    /// Shows the entries, by ascending name. Values are shown where they were read: an iterator would hand each one on, which
    /// costs more than to read it.
    pub fn each(self, mut show: impl FnMut(&'a str, &ValueRef<'a>)) {
        let mut cursor = Cursor::new(self.bytes);
        for _ in 0..cursor.u32().unwrap_or(0) {
            let (Some(name), Some(value)) = (cursor.text(), &ValueRef::read(&mut cursor)) else { return };
            show(name, value);
        }
    }

    /// A walk over the entries that reads only the values that somebody asks for.
    pub fn walk(self) -> Walk<'a> {
        let mut cursor = Cursor::new(self.bytes);
        let left = cursor.u32().unwrap_or(0);
        Walk { cursor, left }
    }

    /// The value under a name.
    pub fn get(self, wanted: &str) -> Option<ValueRef<'a>> {
        let mut walk = self.walk();
        loop {
            // Names ascend, so the search ends at the first one behind the wanted.
            match compare_names(walk.name()?, wanted.as_bytes()) {
                Ordering::Less => walk.skip()?,
                Ordering::Equal => return walk.value(),
                Ordering::Greater => return None,
            }
        }
    }

    /// The values under several names, which ascend as the map's own do, in one walk. Values under other names are not
    /// looked at, and texts are not read, only found.
    pub fn pick<N: AsRef<str>>(self, wanted: &[N], found: &mut [Option<Picked<'a>>]) {
        let mut walk = self.walk();
        let mut name = walk.name();
        for (wanted, found) in wanted.iter().zip(found) {
            while let Some(here) = name {
                match compare_names(here, wanted.as_ref().as_bytes()) {
                    Ordering::Less => name = walk.skip().and_then(|()| walk.name()),
                    Ordering::Equal => {
                        *found = Picked::read(&mut walk.cursor);
                        name = found.and_then(|_| walk.name());
                        break;
                    }
                    Ordering::Greater => break,
                }
            }
        }
    }

    /// The map as a tree.
    pub fn to_map(self) -> Map {
        crate::order::map(self.iter().map(|(name, value)| (name.to_owned(), value.to_owned())))
    }
}

impl std::fmt::Debug for MapRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A walk over the entries of a map, by ascending name: [`Walk::name`], then [`Walk::value`] or [`Walk::skip`], and so on.
/// Each is none at the end, or where the bytes are damaged.
pub struct Walk<'a> {
    cursor: Cursor<'a>,
    left: usize,
}

impl<'a> Walk<'a> {
    /// The next name.
    #[inline]
    pub fn name(&mut self) -> Option<&'a [u8]> {
        self.left = self.left.checked_sub(1)?;
        self.cursor.bytes()
    }

    /// The value behind the name.
    #[inline]
    pub fn value(&mut self) -> Option<ValueRef<'a>> {
        ValueRef::read(&mut self.cursor)
    }

    /// Whether the value behind the name is of one of these types: the bit `1 << type as u16` is set. Nothing is read.
    #[inline]
    pub fn is_one_of(&self, types: u16) -> bool {
        let mut ahead = self.cursor;
        ahead.byte().is_some_and(|tag| tag < 16 && types & (1 << tag) != 0)
    }

    /// Finds the value without reading it where it is text.
    #[inline]
    pub fn pick(&mut self) -> Option<Picked<'a>> {
        Picked::read(&mut self.cursor)
    }

    /// Passes over the value.
    #[inline]
    pub fn skip(&mut self) -> Option<()> {
        skip_value(&mut self.cursor)
    }
}

/// A value that [`MapRef::pick`] found. Strings stay bytes: a comparison does not need the UTF-8 check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Picked<'a> {
    /// The bytes of a string.
    Text(&'a [u8]),
    /// A value of another type.
    Other(ValueRef<'a>),
}

impl<'a> Picked<'a> {
    #[inline]
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Option<Picked<'a>> {
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

/// The order of two names. Most differ in their first byte or not at all, which shows without a call.
#[inline]
pub fn compare_names(left: &[u8], right: &[u8]) -> Ordering {
    match (left.first(), right.first()) {
        (Some(one), Some(other)) if one != other => one.cmp(other),
        _ if is_same_short(left, right) => Ordering::Equal,
        _ => left.cmp(right),
    }
}

/// Whether two texts of four to sixteen bytes are equal: their first and last words overlap, and are all there is.
#[inline]
fn is_same_short(left: &[u8], right: &[u8]) -> bool {
    fn same<const N: usize>(left: &[u8], right: &[u8]) -> bool {
        left.first_chunk::<N>() == right.first_chunk() && left.last_chunk::<N>() == right.last_chunk()
    }
    left.len() == right.len()
        && match left.len() {
            4..8 => same::<4>(left, right),
            8..=16 => same::<8>(left, right),
            _ => false,
        }
}

/// Moves behind a value without looking at what it contains.
#[inline]
pub(crate) fn skip_value(cursor: &mut Cursor<'_>) -> Option<()> {
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
