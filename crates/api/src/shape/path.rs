//! The path of a value in an input, as a chain of borrowed steps: walking costs no allocation.

use std::fmt;

/// The way from the root of an input to one of its values.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Member(&'static str),
    Element(usize),
    Entry(&'a str),
}

impl<'a> Path<'a> {
    /// The input itself.
    pub const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    /// The member of this name, as JSON spells it.
    pub fn member(&'a self, name: &'static str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Member(name) }
    }

    /// The element at this position, counted from zero.
    pub fn element(&'a self, position: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Element(position) }
    }

    /// The map entry under this key.
    pub fn entry(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Entry(key) }
    }

    /// The input itself, not a part of it.
    pub fn is_root(&self) -> bool {
        matches!(self.step, Step::Root)
    }

    /// Inside a list or a map rather than directly in a structure; AWS words type errors differently there.
    pub fn is_in_collection(&self) -> bool {
        matches!(self.step, Step::Element(_) | Step::Entry(_))
    }

    /// The path with members spelled as JSON spells them, for the newer wording.
    pub fn as_sent(&'a self) -> impl fmt::Display + 'a {
        AsSent(self)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, lower: bool) -> fmt::Result {
        if let Some(parent) = self.parent.filter(|parent| !parent.is_root()) {
            parent.write(f, lower)?;
            f.write_str(".")?;
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Member(name) if lower => write_lower_first(name, f),
            Step::Member(name) => f.write_str(name),
            Step::Element(position) => write!(f, "{}.member", position + 1),
            Step::Entry(key) => write!(f, "{key}.member"),
        }
    }
}

/// As AWS spells it: `keySchema.1.member.keyType`.
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, true)
    }
}

struct AsSent<'a>(&'a Path<'a>);

impl fmt::Display for AsSent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, false)
    }
}

/// `TableName` -> `tableName`, as Java's bean members are spelled.
pub(crate) fn write_lower_first(name: &str, f: &mut impl fmt::Write) -> fmt::Result {
    let mut characters = name.chars();
    if let Some(first) = characters.next() {
        f.write_char(first.to_ascii_lowercase())?;
    }
    f.write_str(characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling() {
        let schema = Path::ROOT.member("KeySchema");
        let element = schema.element(0);
        let items = Path::ROOT.member("RequestItems");
        let entry = items.entry("t");
        for (path, expected, as_sent) in [
            (Path::ROOT.member("TableName"), "tableName", "TableName"),
            (element.member("KeyType"), "keySchema.1.member.keyType", "KeySchema.1.member.KeyType"),
            (entry.member("Keys"), "requestItems.t.member.keys", "RequestItems.t.member.Keys"),
            (Path::ROOT.member("SSESpecification"), "sSESpecification", "SSESpecification"),
        ] {
            assert_eq!(path.to_string(), expected);
            assert_eq!(path.as_sent().to_string(), as_sent);
        }
    }
}
