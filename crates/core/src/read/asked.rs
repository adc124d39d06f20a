//! The key condition of a query, and its text, names and values as a request takes them.
//!
//! The condition is a tree of `expression`. Its text depends on the kinds of tests alone, so it is printed once and used for all
//! calls that ask alike.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sortkey_expression::{Comparator, Condition, Operand, Path, Unbinder};
use sortkey_value::{AttributeValue, Item};

/// Tests of key attributes, all of which must hold: partition attributes first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked(Vec<(Arc<str>, Test)>);

/// The condition on a key attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// Equal to a value.
    Is(AttributeValue),
    /// Text that begins like this.
    Begins(String),
    /// From the first value to the second, both included.
    Between(AttributeValue, AttributeValue),
    /// On one side of a value.
    Compared(Comparator, AttributeValue),
}

/// The part of a test that its text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Begins,
    Between,
    Compared(Comparator),
}

impl Test {
    fn form(&self) -> Form {
        match self {
            Test::Is(_) => Form::Compared(Comparator::Equal),
            Test::Begins(_) => Form::Begins,
            Test::Between(..) => Form::Between,
            Test::Compared(comparator, _) => Form::Compared(*comparator),
        }
    }
}

/// A key condition as requests take it.
pub(super) struct Expressed {
    pub(super) text: String,
    pub(super) names: Option<BTreeMap<String, String>>,
    pub(super) values: Item,
}

/// The text of a key condition, and the names in it.
#[derive(Clone, Debug)]
struct Printed {
    forms: Vec<Form>,
    text: String,
    names: Option<BTreeMap<String, String>>,
}

/// The text that the first call printed. Nearly all calls of a pattern ask alike.
#[derive(Clone, Debug, Default)]
pub(super) struct Print(OnceLock<Printed>);

impl Asked {
    pub(super) fn with_capacity(count: usize) -> Asked {
        Asked(Vec::with_capacity(count))
    }

    pub(super) fn push(&mut self, stored: &Arc<str>, test: Test) {
        self.0.push((stored.clone(), test));
    }

    /// The text of the partition attribute, where there is one alone and it is text.
    pub(super) fn partition(&self) -> Option<&str> {
        match self.0.first() {
            Some((_, Test::Is(AttributeValue::S(text)))) => Some(text),
            _ => None,
        }
    }

    /// The condition as requests take it.
    pub(super) fn expressed(&self, print: &Print) -> Expressed {
        let printed = print.0.get_or_init(|| self.printed());
        let forms = self.0.iter().map(|(_, test)| test.form());
        let (text, names) = match printed.forms.iter().copied().eq(forms) {
            true => (printed.text.clone(), printed.names.clone()),
            false => {
                let Printed { text, names, .. } = self.printed();
                (text, names)
            }
        };
        Expressed { text, names, values: self.values() }
    }

    fn printed(&self) -> Printed {
        let mut places = 0;
        let condition =
            Condition::And(self.0.iter().map(|(name, test)| test.tree(name, &mut places)).collect());
        let mut unbinder = Unbinder::sparing_names();
        let text = condition.unbind(&mut unbinder).to_string();
        let forms = self.0.iter().map(|(_, test)| test.form()).collect();
        Printed { forms, text, names: unbinder.names() }
    }

    /// The values, under the placeholders that the text has for them.
    fn values(&self) -> Item {
        let mut values = Item::builder();
        let mut place = 0;
        let mut name = |values: &mut sortkey_value::ItemBuilder| {
            values.name(PLACEHOLDERS.get(place).copied().unwrap_or_default());
            place += 1;
        };
        for (_, test) in &self.0 {
            name(&mut values);
            match test {
                Test::Is(value) | Test::Compared(_, value) => values.tree(value),
                Test::Begins(text) => values.string(text),
                Test::Between(low, high) => {
                    values.tree(low);
                    name(&mut values);
                    values.tree(high);
                }
            }
        }
        values.finish()
    }
}

/// The placeholders of values, in the order in which a condition is printed. A key has at most four partition and four sort
/// attributes, of which the last may have two bounds.
const PLACEHOLDERS: [&str; 9] = [":v0", ":v1", ":v2", ":v3", ":v4", ":v5", ":v6", ":v7", ":v8"];

impl Test {
    /// The tree of the test, with a different number in place of each value, so that each gets its own placeholder.
    fn tree(&self, name: &str, places: &mut i64) -> Condition {
        let operand = Operand::Path(Path::attribute(name));
        let mut value = || {
            *places += 1;
            Operand::Constant(AttributeValue::from(*places).into())
        };
        match self.form() {
            Form::Begins => Condition::BeginsWith(operand, value()),
            Form::Between => Condition::Between { operand, lower: value(), upper: value() },
            Form::Compared(operator) => Condition::Compare { operator, left: operand, right: value() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_follows_from_the_tests_and_the_values_from_the_call() {
        let print = Print::default();
        let asked = |test: Test| {
            let mut asked = Asked::with_capacity(2);
            asked.push(&"PK".into(), Test::Is("a".into()));
            asked.push(&"order".into(), test);
            asked.expressed(&print)
        };
        for (test, text, values) in [
            (Test::Is("b".into()), "PK = :v0 AND #n0 = :v1", vec![":v0", ":v1"]),
            (Test::Begins("a".into()), "PK = :v0 AND begins_with(#n0, :v1)", vec![":v0", ":v1"]),
            (
                Test::Between("a".into(), "a".into()),
                "PK = :v0 AND #n0 BETWEEN :v1 AND :v2",
                vec![":v0", ":v1", ":v2"],
            ),
            (Test::Compared(Comparator::Less, "b".into()), "PK = :v0 AND #n0 < :v1", vec![":v0", ":v1"]),
        ] {
            let expressed = asked(test.clone());
            assert_eq!(expressed.text, text);
            assert_eq!(expressed.names, Some([("#n0".to_owned(), "order".to_owned())].into()));
            assert_eq!(expressed.values.iter().map(|(name, _)| name).collect::<Vec<_>>(), values);
        }
    }
}
