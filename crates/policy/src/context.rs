//! The properties of a request: the values of condition keys.

use std::borrow::Cow;

/// Answers for condition keys. Their names do not depend on case.
pub trait Context {
    /// The values of a key; `None` if the key is not known at all, so that no policy can rely on it.
    fn values(&self, key: &str) -> Option<Values<'_>>;
}

/// The values of a condition key.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// The request has no such key.
    Absent,
    /// The request concerns every value there could be: a read without a projection concerns all attributes, a scan all
    /// partition keys. AWS leaves such keys out, and a policy that bounds them must not be satisfied by that.
    Everything,
    /// These, possibly none.
    List(Vec<Cow<'a, str>>),
}

impl<'a> Values<'a> {
    /// One value.
    pub fn one(value: impl Into<Cow<'a, str>>) -> Values<'a> {
        Values::List(vec![value.into()])
    }
}

/// A context of fixed values, for tests.
#[cfg(test)]
pub(crate) struct Table(Vec<(String, Vec<String>)>);

#[cfg(test)]
impl Table {
    pub(crate) fn new(entries: &[(&str, &[&str])]) -> Table {
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        Table(entries.iter().map(|(key, values)| ((*key).to_lowercase(), owned(values))).collect())
    }
}

#[cfg(test)]
impl Context for Table {
    fn values(&self, key: &str) -> Option<Values<'_>> {
        let key = key.to_lowercase();
        if let Some((_, values)) = self.0.iter().find(|(known, _)| *known == key) {
            if values.first().is_some_and(|value| value == "EVERYTHING") {
                return Some(Values::Everything);
            }
            return Some(Values::List(values.iter().map(|value| Cow::Borrowed(value.as_str())).collect()));
        }
        (!key.contains("unknown")).then_some(Values::Absent)
    }
}
