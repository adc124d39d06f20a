//! The headers of a request, as they came.

/// Names and values in the order in which they came. Names are compared without regard to case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headers<'a> {
    pairs: &'a [(&'a str, &'a str)],
}

impl<'a> Headers<'a> {
    /// The headers of a list of names and values.
    pub fn new(pairs: &'a [(&'a str, &'a str)]) -> Headers<'a> {
        Headers { pairs }
    }

    /// Every value of a header.
    pub fn all(self, name: &str) -> impl Iterator<Item = &'a str> {
        let named = move |pair: &&(&'a str, &'a str)| pair.0.eq_ignore_ascii_case(name);
        self.pairs.iter().filter(named).map(|(_, value)| value.trim_matches([' ', '\t']))
    }

    /// The value of a header; several are joined by `, `, which HTTP defines as the same (RFC 9110, section 5.3).
    pub fn joined(self, name: &str) -> Option<String> {
        let mut values = self.all(name);
        let first = values.next()?;
        Some(values.fold(first.to_owned(), |joined, value| joined + ", " + value))
    }
}
