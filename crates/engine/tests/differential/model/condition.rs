//! Conditions: how they are written, and when they hold.

use std::cmp::Ordering;

use sortkey_value::{AttributeType, AttributeValue, Map};

use super::path::Path;
use super::placeholders::Placeholders;

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Compare(Operand, Comparator, Operand),
    Between(Path, AttributeValue, AttributeValue),
    In(Path, Vec<AttributeValue>),
    Exists(Path),
    NotExists(Path),
    HasType(Path, AttributeType),
    BeginsWith(Path, AttributeValue),
    Contains(Path, AttributeValue),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Path(Path),
    Value(AttributeValue),
    Size(Path),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparator {
    pub(crate) const ALL: [Comparator; 6] = [
        Comparator::Equal,
        Comparator::NotEqual,
        Comparator::Less,
        Comparator::LessOrEqual,
        Comparator::Greater,
        Comparator::GreaterOrEqual,
    ];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }
}

impl Condition {
    pub(crate) fn text(&self, placeholders: &mut Placeholders) -> String {
        match self {
            Condition::Compare(left, comparator, right) => {
                let left = left.text(placeholders);
                format!("{left} {} {}", comparator.text(), right.text(placeholders))
            }
            Condition::Between(path, low, high) => {
                let path = path.text(placeholders);
                format!("{path} BETWEEN {} AND {}", placeholders.value(low), placeholders.value(high))
            }
            Condition::In(path, members) => {
                let path = path.text(placeholders);
                let members: Vec<String> = members.iter().map(|member| placeholders.value(member)).collect();
                format!("{path} IN ({})", members.join(", "))
            }
            Condition::Exists(path) => format!("attribute_exists({})", path.text(placeholders)),
            Condition::NotExists(path) => format!("attribute_not_exists({})", path.text(placeholders)),
            Condition::HasType(path, kind) => {
                let path = path.text(placeholders);
                format!("attribute_type({path}, {})", placeholders.value(&kind.as_str().into()))
            }
            Condition::BeginsWith(path, prefix) => {
                let path = path.text(placeholders);
                format!("begins_with({path}, {})", placeholders.value(prefix))
            }
            Condition::Contains(path, member) => {
                let path = path.text(placeholders);
                format!("contains({path}, {})", placeholders.value(member))
            }
            Condition::Not(inner) => format!("NOT ({})", inner.text(placeholders)),
            Condition::And(terms) => joined(terms, ") AND (", placeholders),
            Condition::Or(terms) => joined(terms, ") OR (", placeholders),
        }
    }

    /// Whether the condition holds for an item; one that does not exist has no attributes.
    pub(crate) fn holds(&self, item: Option<&Map>) -> bool {
        let nothing = Map::new();
        let item = item.unwrap_or(&nothing);
        let find = |path: &Path| path.find(item).cloned();
        match self {
            Condition::Compare(left, comparator, right) => {
                compare(left.value(item), *comparator, right.value(item))
            }
            Condition::Between(path, low, high) => {
                compare(find(path), Comparator::GreaterOrEqual, Some(low.clone()))
                    && compare(find(path), Comparator::LessOrEqual, Some(high.clone()))
            }
            Condition::In(path, members) => find(path).is_some_and(|value| members.contains(&value)),
            Condition::Exists(path) => find(path).is_some(),
            Condition::NotExists(path) => find(path).is_none(),
            Condition::HasType(path, kind) => find(path).is_some_and(|value| value.attribute_type() == *kind),
            Condition::BeginsWith(path, prefix) => match (find(path), prefix) {
                (Some(AttributeValue::S(text)), AttributeValue::S(prefix)) => text.starts_with(prefix),
                (Some(AttributeValue::B(bytes)), AttributeValue::B(prefix)) => bytes.starts_with(prefix),
                _ => false,
            },
            Condition::Contains(path, member) => {
                find(path).is_some_and(|container| contains(&container, member))
            }
            Condition::Not(inner) => !inner.holds(Some(item)),
            Condition::And(terms) => terms.iter().all(|term| term.holds(Some(item))),
            Condition::Or(terms) => terms.iter().any(|term| term.holds(Some(item))),
        }
    }
}

impl Operand {
    fn text(&self, placeholders: &mut Placeholders) -> String {
        match self {
            Operand::Path(path) => path.text(placeholders),
            Operand::Value(value) => placeholders.value(value),
            Operand::Size(path) => format!("size({})", path.text(placeholders)),
        }
    }

    fn value(&self, item: &Map) -> Option<AttributeValue> {
        match self {
            Operand::Path(path) => path.find(item).cloned(),
            Operand::Value(value) => Some(value.clone()),
            Operand::Size(path) => {
                let size = match path.find(item)? {
                    AttributeValue::S(text) => text.encode_utf16().count(),
                    AttributeValue::B(bytes) => bytes.len(),
                    AttributeValue::L(list) => list.len(),
                    AttributeValue::M(map) => map.len(),
                    AttributeValue::Ss(set) => set.len(),
                    AttributeValue::Ns(set) => set.len(),
                    AttributeValue::Bs(set) => set.len(),
                    AttributeValue::N(_) | AttributeValue::Bool(_) | AttributeValue::Null => return None,
                };
                Some(AttributeValue::from(i64::try_from(size).unwrap()))
            }
        }
    }
}

fn joined(terms: &[Condition], by: &str, placeholders: &mut Placeholders) -> String {
    let terms: Vec<String> = terms.iter().map(|term| term.text(placeholders)).collect();
    format!("({})", terms.join(by))
}

/// The order of two values of one ordered type.
pub(crate) fn order(left: &AttributeValue, right: &AttributeValue) -> Option<Ordering> {
    match (left, right) {
        (AttributeValue::S(left), AttributeValue::S(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        (AttributeValue::N(left), AttributeValue::N(right)) => Some(left.cmp(right)),
        (AttributeValue::B(left), AttributeValue::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn compare(left: Option<AttributeValue>, comparator: Comparator, right: Option<AttributeValue>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return comparator == Comparator::NotEqual };
    let order = order(&left, &right);
    match comparator {
        Comparator::Equal => left == right,
        Comparator::NotEqual => left != right,
        Comparator::Less => order == Some(Ordering::Less),
        Comparator::LessOrEqual => order.is_some_and(Ordering::is_le),
        Comparator::Greater => order == Some(Ordering::Greater),
        Comparator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    }
}

fn contains(container: &AttributeValue, member: &AttributeValue) -> bool {
    match (container, member) {
        (AttributeValue::S(text), AttributeValue::S(part)) => text.contains(part),
        (AttributeValue::B(bytes), AttributeValue::B(part)) => {
            (0..=bytes.len()).any(|start| bytes[start..].starts_with(part))
        }
        (AttributeValue::Ss(set), AttributeValue::S(member)) => set.contains(member),
        (AttributeValue::Ns(set), AttributeValue::N(member)) => set.contains(member),
        (AttributeValue::Bs(set), AttributeValue::B(member)) => set.contains(member),
        (AttributeValue::L(list), member) => list.contains(member),
        _ => false,
    }
}
