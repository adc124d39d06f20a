//! Conditions that compare a stored item with what was read of it.

use std::collections::BTreeMap;

use sortkey_value::{AttributeValue, Item, Map, Number};

use crate::place::Place;

/// The required state of an item, clause by clause.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Condition {
    clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq)]
enum Clause {
    Exists(String),
    Lacks(String),
    Equals(String, AttributeValue),
    /// The first is absent, or the second has the value.
    LacksOrEquals(String, String, AttributeValue),
    /// It is absent, or a smaller number.
    Below(String, u64),
}

/// A condition as a request has it.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    names: BTreeMap<String, String>,
    values: Map,
}

impl Rendered {
    fn name(&mut self, name: &str) -> String {
        let alias = format!("#m{}", self.names.len());
        self.names.insert(alias.clone(), name.to_owned());
        alias
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let alias = format!(":m{}", self.values.len());
        self.values.insert(alias.clone(), value);
        alias
    }

    pub(crate) fn names(&mut self) -> Option<BTreeMap<String, String>> {
        (!self.names.is_empty()).then(|| std::mem::take(&mut self.names))
    }

    pub(crate) fn values(&self) -> Option<Item> {
        (!self.values.is_empty()).then(|| Item::from_map(&self.values))
    }
}

impl Condition {
    fn of(clause: Clause) -> Condition {
        Condition { clauses: vec![clause] }
    }

    /// Demands what another condition on the same item demands, too.
    pub(crate) fn and(&mut self, other: &Condition) {
        for clause in &other.clauses {
            if !self.clauses.contains(clause) {
                self.clauses.push(clause.clone());
            }
        }
    }

    /// The text with its placeholders. Items with the same attributes have the same text, so that it is parsed once.
    pub(crate) fn rendered(&self) -> Rendered {
        let mut made = Rendered::default();
        for clause in &self.clauses {
            let text = match clause {
                Clause::Exists(name) => format!("attribute_exists({})", made.name(name)),
                Clause::Lacks(name) => format!("attribute_not_exists({})", made.name(name)),
                Clause::Equals(name, value) => {
                    let (name, value) = (made.name(name), made.value(value.clone()));
                    format!("{name} = {value}")
                }
                Clause::LacksOrEquals(part, name, value) => {
                    let (part, name, value) = (made.name(part), made.name(name), made.value(value.clone()));
                    format!("(attribute_not_exists({part}) OR {name} = {value})")
                }
                Clause::Below(name, bound) => {
                    let bound = i64::try_from(*bound).unwrap_or(i64::MAX);
                    let (name, value) = (made.name(name), made.value(AttributeValue::N(Number::from(bound))));
                    format!("(attribute_not_exists({name}) OR {name} < {value})")
                }
            };
            if !made.text.is_empty() {
                made.text.push_str(" AND ");
            }
            made.text.push_str(&text);
        }
        made
    }
}

/// The item at a place is still what was read. `universe` are the attributes that items of the table may have: those that
/// the item lacks must still be absent.
pub(crate) fn unchanged<'n>(
    place: &Place,
    read: Option<&Item>,
    universe: impl Iterator<Item = &'n str>,
) -> Condition {
    let Some(item) = read else {
        return vacant(place);
    };
    let mut clauses = vec![Clause::Exists(place.any_part().to_owned())];
    let own = item.iter().filter(|(name, _)| place.key.get(name).is_none());
    clauses.extend(own.map(|(name, value)| Clause::Equals(name.to_owned(), value.to_owned())));
    let absent = universe.filter(|name| item.get(name).is_none());
    clauses.extend(absent.map(|name| Clause::Lacks(name.to_owned())));
    Condition { clauses }
}

/// There is no item at a place.
pub(crate) fn vacant(place: &Place) -> Condition {
    Condition::of(Clause::Lacks(place.any_part().to_owned()))
}

/// There is no item at a place, or one with this attribute.
pub(crate) fn vacant_or(place: &Place, name: &str, value: AttributeValue) -> Condition {
    Condition::of(Clause::LacksOrEquals(place.any_part().to_owned(), name.to_owned(), value))
}

/// An attribute has this value, or is absent.
pub(crate) fn has(name: &str, value: Option<AttributeValue>) -> Condition {
    Condition::of(match value {
        Some(value) => Clause::Equals(name.to_owned(), value),
        None => Clause::Lacks(name.to_owned()),
    })
}

/// An attribute is absent, or a smaller number.
pub(crate) fn below(name: &str, bound: u64) -> Condition {
    Condition::of(Clause::Below(name.to_owned(), bound))
}
