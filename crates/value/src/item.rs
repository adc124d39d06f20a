//! Items in the compact form, and how they are built.

use std::fmt;
use std::sync::{Arc, LazyLock};

use thiserror::Error;

use crate::codec::{Cursor, put_bytes, put_number};
use crate::value_ref::{MapRef, entries_size_bytes};
use crate::{AttributeType, AttributeValue, Map, Number, ValueRef, compare_names};

/// The size precedes the entries.
const HEADER_BYTES: usize = 4;

/// Attributes by name in one shared buffer. A clone costs a reference count; equality compares bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Item {
    bytes: Arc<[u8]>,
}

impl Item {
    /// Starts an empty item.
    pub fn builder() -> ItemBuilder {
        ItemBuilder::new()
    }

    /// An item from a tree.
    pub fn from_map(map: &Map) -> Item {
        let mut builder = Item::builder();
        for (name, value) in map {
            builder.name(name);
            builder.tree(value);
        }
        builder.finish()
    }

    /// An item from bytes that [`Item::as_bytes`] gave. Damaged bytes are not detected here (stores keep
    /// checksums); they read as missing attributes, never as a panic.
    pub fn from_bytes(bytes: Arc<[u8]>) -> Item {
        Item { bytes }
    }

    /// The compact form.
    pub fn as_bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The item as a tree.
    pub fn to_map(&self) -> Map {
        self.entries().to_map()
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<ValueRef<'_>> {
        self.entries().get(name)
    }

    /// The attributes, by ascending name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ValueRef<'_>)> {
        self.entries().iter()
    }

    /// The item as the contents of a map.
    pub fn entries(&self) -> MapRef<'_> {
        MapRef::new(self.bytes.get(HEADER_BYTES..).unwrap_or_default())
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there are no attributes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that DynamoDB accounts for the item: names and values.
    pub fn size_bytes(&self) -> usize {
        Cursor::new(&self.bytes).u32().unwrap_or(0)
    }
}

impl Default for Item {
    fn default() -> Item {
        // Inputs begin with an item that is replaced at once: to build one each time would cost more than the input.
        static EMPTY: LazyLock<Item> = LazyLock::new(|| Item::builder().finish());
        EMPTY.clone()
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries().fmt(f)
    }
}

impl From<&Map> for Item {
    fn from(map: &Map) -> Item {
        Item::from_map(map)
    }
}

impl From<Map> for Item {
    fn from(map: Map) -> Item {
        Item::from_map(&map)
    }
}

impl<N: Into<String>, V: Into<AttributeValue>, const LEN: usize> From<[(N, V); LEN]> for Item {
    fn from(entries: [(N, V); LEN]) -> Item {
        entries.into_iter().map(|(name, value)| (name.into(), value.into())).collect::<Map>().into()
    }
}

/// A set was given the same member twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a set contains the same member twice")]
pub struct DuplicateInSet;

/// Writes an item from left to right. In an item and in a map each value comes behind its
/// [`name`](ItemBuilder::name); in a list values follow each other.
#[derive(Debug)]
pub struct ItemBuilder {
    out: Vec<u8>,
    /// The containers that are open inside the item.
    open: Vec<Frame>,
    /// Entries of all open maps; each frame stores the index of its first.
    entries: Vec<Entry>,
    /// Size of the values written so far, as DynamoDB accounts it.
    size_bytes: usize,
    /// Whether a name was given twice, so that what its earlier value took must be taken off again.
    overwritten: bool,
}

#[derive(Debug)]
struct Frame {
    /// Offset of the count in `out`; the size, if the container has one, precedes it.
    count_at: usize,
    count: u32,
    /// Index of the frame's first entry; `None` for a list.
    first_entry: Option<usize>,
}

/// The span of an entry; it ends where the next begins.
#[derive(Debug, Clone, Copy)]
struct Entry {
    at: usize,
    name_at: usize,
    name_length: usize,
}

impl Default for ItemBuilder {
    fn default() -> ItemBuilder {
        ItemBuilder::new()
    }
}

impl ItemBuilder {
    /// An item without attributes.
    pub fn new() -> ItemBuilder {
        ItemBuilder::with_capacity(128, 8)
    }

    /// Like `new`, but reserves room for this many bytes and attributes.
    pub fn with_capacity(bytes: usize, attributes: usize) -> ItemBuilder {
        let mut out = Vec::with_capacity(bytes);
        out.extend_from_slice(&[0; HEADER_BYTES + 4]);
        // Most items have nothing inside that could be open, and need no room for it.
        let open = Vec::new();
        ItemBuilder { out, open, entries: Vec::with_capacity(attributes), size_bytes: 0, overwritten: false }
    }

    /// Names the next value. A name given twice keeps its later value.
    pub fn name(&mut self, name: &str) {
        let at = self.out.len();
        put_bytes(&mut self.out, name.as_bytes());
        // In a map inside the item, an entry takes a byte of its own.
        self.size_bytes += name.len() + usize::from(!self.open.is_empty());
        self.entries.push(Entry { at, name_at: self.out.len() - name.len(), name_length: name.len() });
    }

    /// A string.
    pub fn string(&mut self, text: &str) {
        self.tag(AttributeType::S);
        put_bytes(&mut self.out, text.as_bytes());
        self.size_bytes += text.len();
    }

    /// A number.
    pub fn number(&mut self, number: Number) {
        self.tag(AttributeType::N);
        put_number(&mut self.out, number);
        self.size_bytes += number.size_bytes();
    }

    /// A binary.
    pub fn binary(&mut self, bytes: &[u8]) {
        self.tag(AttributeType::B);
        put_bytes(&mut self.out, bytes);
        self.size_bytes += bytes.len();
    }

    /// A boolean.
    pub fn boolean(&mut self, value: bool) {
        self.tag(AttributeType::Bool);
        self.out.push(u8::from(value));
        self.size_bytes += 1;
    }

    /// Null.
    pub fn null(&mut self) {
        self.tag(AttributeType::Null);
        self.size_bytes += 1;
    }

    /// A string set.
    pub fn string_set<'a>(
        &mut self,
        members: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), DuplicateInSet> {
        self.set(AttributeType::Ss, members, |out, text| put_text(out, text))
    }

    /// A number set.
    pub fn number_set(&mut self, members: impl IntoIterator<Item = Number>) -> Result<(), DuplicateInSet> {
        self.set(AttributeType::Ns, members, |out, number| put_digits(out, *number))
    }

    /// A binary set.
    pub fn binary_set<'a>(
        &mut self,
        members: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<(), DuplicateInSet> {
        self.set(AttributeType::Bs, members, |out, bytes| put_binary(out, bytes))
    }

    /// Opens a list.
    pub fn begin_list(&mut self) {
        self.tag(AttributeType::L);
        self.begin(None);
    }

    /// Closes the list opened last.
    pub fn end_list(&mut self) {
        self.end();
    }

    /// Opens a map.
    pub fn begin_map(&mut self) {
        self.tag(AttributeType::M);
        self.begin(Some(self.entries.len()));
    }

    /// Closes the map opened last.
    pub fn end_map(&mut self) {
        self.end();
    }

    /// A value of another item.
    pub fn value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::S(text) => self.string(text),
            ValueRef::N(number) => self.number(number),
            ValueRef::B(bytes) => self.binary(bytes),
            ValueRef::Bool(flag) => self.boolean(flag),
            ValueRef::Null => self.null(),
            ValueRef::L(list) => {
                self.begin_list();
                list.iter().for_each(|member| self.value(member));
                self.end_list();
            }
            ValueRef::M(map) => {
                self.begin_map();
                for (name, member) in map.iter() {
                    self.name(name);
                    self.value(member);
                }
                self.end_map();
            }
            ValueRef::Ss(set) => self.known_set(AttributeType::Ss, set.iter(), put_text),
            ValueRef::Ns(set) => self.known_set(AttributeType::Ns, set.iter(), put_digits),
            ValueRef::Bs(set) => self.known_set(AttributeType::Bs, set.iter(), put_binary),
        }
    }

    /// A value from a tree.
    pub fn tree(&mut self, value: &AttributeValue) {
        match value {
            AttributeValue::S(text) => self.string(text),
            AttributeValue::N(number) => self.number(*number),
            AttributeValue::B(bytes) => self.binary(bytes),
            AttributeValue::Bool(flag) => self.boolean(*flag),
            AttributeValue::Null => self.null(),
            AttributeValue::L(list) => {
                self.begin_list();
                list.iter().for_each(|member| self.tree(member));
                self.end_list();
            }
            AttributeValue::M(map) => {
                self.begin_map();
                for (name, member) in map {
                    self.name(name);
                    self.tree(member);
                }
                self.end_map();
            }
            AttributeValue::Ss(set) => {
                self.known_set(AttributeType::Ss, set, |out, text| put_text(out, text))
            }
            AttributeValue::Ns(set) => {
                self.known_set(AttributeType::Ns, set, |out, number| put_digits(out, *number))
            }
            AttributeValue::Bs(set) => {
                self.known_set(AttributeType::Bs, set, |out, bytes| put_binary(out, bytes))
            }
        }
    }

    /// The finished item. Containers left open are closed.
    pub fn finish(mut self) -> Item {
        while !self.open.is_empty() {
            self.end();
        }
        self.close_entries(&Frame { count_at: HEADER_BYTES, count: 0, first_entry: Some(0) });
        let size_bytes = match self.overwritten {
            true => entries_size_bytes(&self.out[HEADER_BYTES..]).unwrap_or(0),
            false => self.size_bytes,
        };
        self.put_u32(0, size_bytes);
        Item { bytes: self.out.into() }
    }

    /// Writes the tag of a value and, inside a list, counts the value.
    fn tag(&mut self, kind: AttributeType) {
        if let Some(frame) = self.open.last_mut()
            && frame.first_entry.is_none()
        {
            frame.count += 1;
            self.size_bytes += 1;
        }
        self.out.push(kind as u8);
    }

    fn begin(&mut self, first_entry: Option<usize>) {
        self.out.extend_from_slice(&[0; 8]);
        self.size_bytes += 3;
        self.open.push(Frame { count_at: self.out.len() - 4, count: 0, first_entry });
    }

    /// Closes the newest container inside the item.
    fn end(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        if frame.first_entry.is_some() {
            self.close_entries(&frame);
        } else {
            self.put_u32(frame.count_at, frame.count as usize);
        }
        self.put_u32(frame.count_at - 4, self.out.len() - frame.count_at);
    }

    /// Brings the entries of a map into order and writes their count.
    fn close_entries(&mut self, frame: &Frame) {
        let first = frame.first_entry.unwrap_or(self.entries.len());
        let entries = &self.entries[first..];
        let name = |entry: &Entry| &self.out[entry.name_at..][..entry.name_length];
        let mut count = entries.len();
        if !entries.is_sorted_by(|left, right| compare_names(name(left), name(right)).is_lt()) {
            let body_at = frame.count_at + 4;
            let body = self.out.split_off(body_at);
            let ends = entries.iter().skip(1).map(|entry| entry.at).chain([body_at + body.len()]);
            let mut sorted: Vec<(&[u8], &[u8])> = entries
                .iter()
                .zip(ends)
                .map(|(entry, end)| {
                    let name = &body[entry.name_at - body_at..][..entry.name_length];
                    (name, &body[entry.at - body_at..end - body_at])
                })
                .collect();
            crate::order::sort_by(&mut sorted, |(left, _), (right, _)| left.cmp(right));
            // Of two entries of one name the later one counts.
            sorted.dedup_by(|later, earlier| {
                let is_same = later.0 == earlier.0;
                if is_same {
                    earlier.1 = later.1;
                }
                is_same
            });
            self.overwritten |= sorted.len() < count;
            count = sorted.len();
            sorted.iter().for_each(|(_, entry)| self.out.extend_from_slice(entry));
        }
        self.entries.truncate(first);
        self.put_u32(frame.count_at, count);
    }

    fn set<M: Ord>(
        &mut self,
        kind: AttributeType,
        members: impl IntoIterator<Item = M>,
        put: impl Fn(&mut Vec<u8>, &M) -> usize,
    ) -> Result<(), DuplicateInSet> {
        let mut members: Vec<M> = members.into_iter().collect();
        crate::order::sort(&mut members);
        let given = members.len();
        members.dedup();
        let unique = members.len();
        self.known_set(kind, members.iter(), |out, member| put(out, member));
        if unique == given { Ok(()) } else { Err(DuplicateInSet) }
    }

    /// Writes a set whose members are in ascending order; `put` writes one and returns its accounted size.
    fn known_set<M>(
        &mut self,
        kind: AttributeType,
        members: impl IntoIterator<Item = M>,
        put: impl Fn(&mut Vec<u8>, M) -> usize,
    ) {
        self.tag(kind);
        self.out.extend_from_slice(&[0; 8]);
        let count_at = self.out.len() - 4;
        let mut count = 0;
        for member in members {
            self.size_bytes += put(&mut self.out, member);
            count += 1;
        }
        self.put_u32(count_at, count);
        self.put_u32(count_at - 4, self.out.len() - count_at);
    }

    fn put_u32(&mut self, at: usize, value: usize) {
        let value = u32::try_from(value).unwrap_or(u32::MAX);
        self.out[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}

/// A member of a string set, and what it takes.
fn put_text(out: &mut Vec<u8>, text: &str) -> usize {
    put_bytes(out, text.as_bytes());
    text.len()
}

/// A member of a number set, and what it takes.
fn put_digits(out: &mut Vec<u8>, number: Number) -> usize {
    put_number(out, number);
    number.size_bytes()
}

/// A member of a binary set, and what it takes.
fn put_binary(out: &mut Vec<u8>, bytes: &[u8]) -> usize {
    put_bytes(out, bytes);
    bytes.len()
}

/// Reads a single encoded value, as [`ItemBuilder::value`] writes it; for codecs above this crate.
impl<'a> ValueRef<'a> {
    /// The value at the start of these bytes.
    pub fn from_bytes(bytes: &'a [u8]) -> Option<ValueRef<'a>> {
        ValueRef::read(&mut Cursor::new(bytes))
    }
}

#[cfg(test)]
mod tests;
