//! Maps from texts to shapes, in the order in which they were sent.
//!
//! Requests carry a handful of entries, so a vector beats a tree: lookups scan. A key given twice keeps
//! its later value.

use super::check::{Check, Measure, Part, Report};
use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::Path;
use crate::error::ApiError;
use crate::json::{Kind, Writer};
use std::borrow::Cow;
use std::collections::HashMap;

/// An ordered map with text keys.
#[derive(Clone, Debug, PartialEq)]
pub struct StringMap<V>(Vec<(String, V)>);

impl<V> StringMap<V> {
    /// A map without entries.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value under `key`, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Puts `value` under `key`, in the place of an earlier one if there is one.
    pub fn insert(&mut self, key: impl Into<String>, value: V) {
        let key = key.into();
        match self.get_mut(&key) {
            Some(earlier) => *earlier = value,
            None => self.0.push((key, value)),
        }
    }

    /// The entries, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// The values, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> Default for StringMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> IntoIterator for StringMap<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Into<String>, V> FromIterator<(K, V)> for StringMap<V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(last_of_each_key(entries.into_iter().map(|(key, value)| (key.into(), value)).collect()))
    }
}

impl<K: Into<String>, V, const N: usize> From<[(K, V); N]> for StringMap<V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<V: Decode> Decode for StringMap<V> {
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError> {
        decoder.begin_map(Self::class_name, at)?;
        let mut entries = Vec::new();
        while let Some(key) = decoder.reader.next_name()? {
            if decoder.reader.peek()? == Kind::Null {
                decoder.reader.null()?;
                continue;
            }
            let value = V::decode(decoder, at.entry(&key))?;
            entries.push((key.into_owned(), value));
        }
        Ok(Self(last_of_each_key(entries)))
    }

    fn class_name() -> Cow<'static, str> {
        format!("java.util.Map<java.lang.String, {}>", V::class_name()).into()
    }
}

impl<V: Encode> Encode for StringMap<V> {
    fn encode(&self, writer: &mut Writer<'_>) {
        writer.begin_object();
        for (key, value) in &self.0 {
            writer.name(key);
            value.encode(writer);
        }
        writer.end_object();
    }
}

impl<V: Check> Check for StringMap<V> {
    fn measure(&self) -> Measure<'_> {
        Measure::Count(self.0.len())
    }

    fn for_each_part(&self, visit: &mut dyn FnMut(Part, Measure<'_>)) {
        for (key, value) in &self.0 {
            visit(Part::Key, Measure::Text(key));
            visit(Part::Value, value.measure());
        }
    }

    fn check(&self, at: Path<'_>, report: &mut Report<'_>) {
        for (key, value) in &self.0 {
            value.check(at.entry(key), report);
        }
    }

    fn print(&self, out: &mut String) {
        print_entries(self.iter(), out);
    }
}

/// Prints `{key=value, key=value}`.
pub(super) fn print_entries<'a, V: Check + 'a>(
    entries: impl Iterator<Item = (&'a str, &'a V)>,
    out: &mut String,
) {
    out.push('{');
    for (position, (key, value)) in entries.enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        out.push_str(key);
        out.push('=');
        value.print(out);
    }
    out.push('}');
}

/// Drops entries whose key comes again. Few entries are compared pairwise; many, which only a hostile
/// request has, by hash, so that the cost stays linear.
fn last_of_each_key<V>(entries: Vec<(String, V)>) -> Vec<(String, V)> {
    const FEW: usize = 16;
    let is_new = |at: usize| entries[..at].iter().all(|(earlier, _)| *earlier != entries[at].0);
    if entries.len() <= FEW && (0..entries.len()).all(is_new) {
        return entries;
    }
    let last: HashMap<String, usize> =
        entries.iter().enumerate().map(|(position, (key, _))| (key.clone(), position)).collect();
    let positioned = entries.into_iter().enumerate();
    positioned
        .filter(|(position, (key, _))| last.get(key) == Some(position))
        .map(|(_, entry)| entry)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_values_win_and_order_is_kept() {
        let few: StringMap<i32> = [("a", 1), ("b", 2), ("a", 3)].into();
        assert_eq!(few.iter().collect::<Vec<_>>(), [("b", &2), ("a", &3)]);
        let many: StringMap<usize> = (0..100).map(|n| ((n % 50).to_string(), n)).collect();
        assert_eq!(many.len(), 50);
        assert_eq!(many.get("7"), Some(&57));
    }
}
