//! Attributes by name, in the order of their names.
//!
//! A vector, since items have few attributes and are copied and walked far more often than changed; names are shared
//! with the design, so that a copy costs no text.

use std::cmp::Ordering;
use std::sync::Arc;

use sortkey_value::compare_names;

use super::Val;

/// As many as items have.
const FEW: usize = 24;

/// Attributes by name. Names ascend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(Arc<str>, Val)>);

impl Fields {
    /// None.
    pub const fn new() -> Fields {
        Fields(Vec::new())
    }

    pub(crate) fn with_capacity(count: usize) -> Fields {
        Fields(Vec::with_capacity(count))
    }

    /// Of attributes whose names ascend.
    pub(crate) fn ascending(all: Vec<(Arc<str>, Val)>) -> Fields {
        debug_assert!(all.is_sorted_by(|(one, _), (other, _)| one < other), "names ascend, each once");
        Fields(all)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Val> {
        self.entry(name).map(|(_, value)| value)
    }

    /// An attribute with its name.
    pub(crate) fn entry(&self, name: &str) -> Option<(&Arc<str>, &Val)> {
        let at = match self.0.len() {
            // Names differ in their lengths more often than not: to walk over a few is faster than to search.
            0..=FEW => {
                let is_it = |each: &str| each.len() == name.len() && compare(each, name).is_eq();
                self.0.iter().position(|(each, _)| is_it(each))?
            }
            _ => self.find(name).ok()?,
        };
        self.0.get(at).map(|(name, value)| (name, value))
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Val> {
        self.find(name).ok().map(|at| &mut self.0[at].1)
    }

    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// Sets an attribute.
    pub fn insert<N: AsRef<str> + Into<Arc<str>>>(&mut self, name: N, value: Val) {
        match self.find(name.as_ref()) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name.into(), value)),
        }
    }

    /// The value of an attribute, which is set first if there is none.
    pub(crate) fn get_or_insert_with<N: AsRef<str> + Into<Arc<str>>>(
        &mut self,
        name: N,
        value: impl FnOnce() -> Val,
    ) -> &mut Val {
        let at = match self.find(name.as_ref()) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (name.into(), value()));
                at
            }
        };
        &mut self.0[at].1
    }

    /// Whether all of these names, which ascend, have values.
    pub(crate) fn have_all(&self, names: &[Arc<str>]) -> bool {
        let mut fields = self.0.iter();
        let mut is_there = |name: &Arc<str>| {
            fields.any(|(each, value)| {
                each.len() == name.len() && compare(each, name).is_eq() && !value.is_absent()
            })
        };
        names.iter().all(&mut is_there)
    }

    /// Takes a value out.
    pub fn remove(&mut self, name: &str) -> Option<Val> {
        self.find(name).ok().map(|at| self.0.remove(at).1)
    }

    /// Keeps the attributes that a test lets through.
    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(&str, &Val) -> bool) {
        self.0.retain(|(name, value)| keeps(name, value));
    }

    /// The names.
    pub fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().map(|(name, _)| name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Val)> {
        self.into_iter()
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Val> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        // Most attributes arrive in order.
        match self.0.last() {
            Some((last, _)) if compare(last, name).is_lt() => Err(self.0.len()),
            None => Err(0),
            _ => self.0.binary_search_by(|(each, _)| compare(each, name)),
        }
    }
}

fn compare(one: &str, other: &str) -> Ordering {
    compare_names(one.as_bytes(), other.as_bytes())
}

impl<N: AsRef<str> + Into<Arc<str>>> Extend<(N, Val)> for Fields {
    fn extend<I: IntoIterator<Item = (N, Val)>>(&mut self, more: I) {
        more.into_iter().for_each(|(name, value)| self.insert(name, value));
    }
}

impl<N: AsRef<str> + Into<Arc<str>>> FromIterator<(N, Val)> for Fields {
    fn from_iter<I: IntoIterator<Item = (N, Val)>>(all: I) -> Fields {
        let mut fields = Fields::new();
        fields.extend(all);
        fields
    }
}

impl<N: AsRef<str> + Into<Arc<str>>, const LEN: usize> From<[(N, Val); LEN]> for Fields {
    fn from(all: [(N, Val); LEN]) -> Fields {
        all.into_iter().collect()
    }
}

impl IntoIterator for Fields {
    type Item = (Arc<str>, Val);
    type IntoIter = std::vec::IntoIter<(Arc<str>, Val)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Fields {
    type Item = (&'a Arc<str>, &'a Val);
    type IntoIter = std::iter::Map<
        std::slice::Iter<'a, (Arc<str>, Val)>,
        fn(&'a (Arc<str>, Val)) -> (&'a Arc<str>, &'a Val),
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ascend_and_the_later_value_counts() {
        let mut fields: Fields =
            [("b", Val::integer(1)), ("a", Val::integer(2)), ("b", Val::integer(3))].into();
        fields.insert("c", Val::Null);
        assert_eq!(fields.keys().map(|name| &**name).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(fields.get("b"), Some(&Val::integer(3)));
        assert_eq!(fields.remove("a"), Some(Val::integer(2)));
        assert_eq!(fields.remove("a"), None);
        fields.retain(|name, _| name != "c");
        assert_eq!(fields, [("b", Val::integer(3))].into());
    }
}
