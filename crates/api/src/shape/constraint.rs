//! Constraints as data: they are declared with their member, and [`Constraint::rule`] gives their texts.

use super::check::{Check, Measure, Part};
use crate::text::constraint as text;

/// A rule for one member. Constraints of a member are evaluated, and reported, in the order they are listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// A text has at least so many characters, a list or map so many entries.
    MinLength(usize),
    /// A text has at most so many characters, a list or map so many entries.
    MaxLength(usize),
    /// A number is not smaller.
    AtLeast(i64),
    /// A number is not larger.
    AtMost(i64),
    /// A text is made of the characters of table and index names: `[a-zA-Z0-9_.-]+`.
    NameCharacters,
    /// A text is the number of an AWS account: `[0-9]{12}`.
    AccountNumber,
    /// A text has no dollar sign: `^[^\$]+$`.
    NoDollarSign,
    /// Each element of a list of scalars satisfies these.
    EachElement(&'static [Constraint]),
    /// Each key of a map is the name of a table, or its ARN.
    TableKeys,
    /// Each key of a map satisfies these.
    EachKey(&'static [Constraint]),
    /// Each value of a map satisfies these.
    EachValue(&'static [Constraint]),
    /// A constraint as the newer framework reports it: with the path spelled as in JSON, and without the
    /// value.
    Terse(&'static Constraint),
    /// Not a rule for a value: when the member is missing, AWS answers this text alone.
    WhenMissing(&'static str),
    /// When the list or map is empty and nothing else is wrong, AWS answers this text alone.
    WhenEmpty(&'static str),
}

impl Constraint {
    /// Whether the value satisfies the constraint. Constraints that do not concern its kind are satisfied.
    pub fn admits(&self, value: &dyn Check) -> bool {
        match self {
            Self::EachElement(rules) => every_part(value, Part::Element, |measure| all_admit(rules, measure)),
            Self::TableKeys => every_part(value, Part::Key, names_table),
            Self::EachKey(rules) => every_part(value, Part::Key, |measure| all_admit(rules, measure)),
            Self::EachValue(rules) => every_part(value, Part::Value, |measure| all_admit(rules, measure)),
            Self::Terse(constraint) => constraint.admits(value),
            Self::WhenMissing(_) => true,
            Self::WhenEmpty(_) => value.measure() != Measure::Count(0),
            _ => self.admits_measure(value.measure()),
        }
    }

    fn admits_measure(&self, measure: Measure<'_>) -> bool {
        match (self, measure) {
            (Self::MinLength(minimum), measure) => measure.length().is_none_or(|length| length >= *minimum),
            (Self::MaxLength(maximum), measure) => measure.length().is_none_or(|length| length <= *maximum),
            (Self::AtLeast(minimum), Measure::Integer(value)) => value >= *minimum,
            (Self::AtMost(maximum), Measure::Integer(value)) => value <= *maximum,
            (Self::NameCharacters, Measure::Text(text)) => is_name(text),
            (Self::AccountNumber, Measure::Text(text)) => {
                text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
            }
            (Self::NoDollarSign, Measure::Text(text)) => !text.is_empty() && !text.contains('$'),
            _ => true,
        }
    }

    /// The constraint in words.
    pub fn rule(&self) -> String {
        match self {
            Self::MinLength(minimum) => text::length_at_least(*minimum),
            Self::MaxLength(maximum) => text::length_at_most(*maximum),
            Self::AtLeast(minimum) => text::value_at_least(*minimum),
            Self::AtMost(maximum) => text::value_at_most(*maximum),
            Self::NameCharacters => text::pattern("[a-zA-Z0-9_.-]+"),
            Self::AccountNumber => text::pattern("[0-9]{12}"),
            Self::NoDollarSign => text::pattern(r"^[^\$]+$"),
            Self::EachElement(rules) => text::each_element(joined(rules)),
            Self::TableKeys => text::each_key(joined(TABLE_KEY)),
            Self::EachKey(rules) => text::each_key(joined(rules)),
            Self::EachValue(rules) => text::each_value(joined(rules)),
            Self::Terse(constraint) => constraint.rule(),
            Self::WhenMissing(text) | Self::WhenEmpty(text) => (*text).to_owned(),
        }
    }
}

/// The rules for a table's name, in the order in which AWS lists them for the keys of a map.
const TABLE_KEY: &[Constraint] =
    &[Constraint::MaxLength(255), Constraint::MinLength(3), Constraint::NameCharacters];

fn names_table(measure: Measure<'_>) -> bool {
    match measure {
        Measure::Text(text) if text.starts_with("arn:") => true,
        _ => all_admit(TABLE_KEY, measure),
    }
}

fn all_admit(rules: &[Constraint], measure: Measure<'_>) -> bool {
    rules.iter().all(|rule| rule.admits_measure(measure))
}

fn every_part(value: &dyn Check, wanted: Part, admits: impl Fn(Measure<'_>) -> bool) -> bool {
    let mut admitted = true;
    value.for_each_part(&mut |part, measure| admitted &= part != wanted || admits(measure));
    admitted
}

fn joined(rules: &[Constraint]) -> String {
    rules.iter().map(Constraint::rule).collect::<Vec<_>>().join(", ")
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}
