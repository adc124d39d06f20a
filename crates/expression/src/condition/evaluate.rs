//! Whether an item meets a condition. Evaluation reads the compact form and builds nothing.
//!
//! An operand that is missing, or of another type than the operator needs, makes a comparison false and `<>`
//! true; it is never an error.

use std::cmp::Ordering;

use sortkey_value::{Item, Number, ValueRef};

use super::{Condition, Operand};
use crate::operator::Comparator;

impl Condition {
    /// Whether the item meets the condition. An item that does not exist is like one without attributes.
    pub fn matches<'i>(&self, item: impl Into<Option<&'i Item>>) -> bool {
        match item.into() {
            Some(item) => self.holds(item),
            None => self.holds(&Item::default()),
        }
    }

    fn holds(&self, item: &Item) -> bool {
        match self {
            Condition::Compare { operator, left, right } => {
                compare(*operator, left.evaluate(item), right.evaluate(item))
            }
            Condition::Between { operand, lower, upper } => {
                let value = operand.evaluate(item);
                compare(Comparator::GreaterOrEqual, value, lower.evaluate(item))
                    && compare(Comparator::LessOrEqual, value, upper.evaluate(item))
            }
            Condition::In { operand, members } => operand
                .evaluate(item)
                .is_some_and(|value| members.iter().any(|member| member.evaluate(item) == Some(value))),
            Condition::Exists(path) => path.find(item).is_some(),
            Condition::NotExists(path) => path.find(item).is_none(),
            Condition::HasType(operand, wanted) => {
                operand.evaluate(item).is_some_and(|value| value.attribute_type() == *wanted)
            }
            Condition::BeginsWith(operand, prefix) => {
                both(operand.evaluate(item), prefix.evaluate(item)).is_some_and(begins_with)
            }
            Condition::Contains(operand, member) => {
                both(operand.evaluate(item), member.evaluate(item)).is_some_and(contains)
            }
            Condition::Not(inner) => !inner.holds(item),
            Condition::And(terms) => terms.iter().all(|term| term.holds(item)),
            Condition::Or(terms) => terms.iter().any(|term| term.holds(item)),
        }
    }
}

impl Operand {
    fn evaluate<'i>(&'i self, item: &'i Item) -> Option<ValueRef<'i>> {
        match self {
            Operand::Path(path) => path.find(item),
            Operand::Constant(constant) => Some(constant.value()),
            Operand::Size(inner) => size(inner.evaluate(item)?).map(|size| ValueRef::N(size.into())),
        }
    }
}

/// The result of `size`: for a string the UTF-16 code units, for a binary the bytes, for the others the
/// members.
fn size(value: ValueRef<'_>) -> Option<u64> {
    let size = match value {
        ValueRef::S(text) => text.encode_utf16().count(),
        ValueRef::B(bytes) => bytes.len(),
        ValueRef::L(list) => list.len(),
        ValueRef::M(map) => map.len(),
        ValueRef::Ss(set) => set.len(),
        ValueRef::Ns(set) => set.len(),
        ValueRef::Bs(set) => set.len(),
        ValueRef::N(_) | ValueRef::Bool(_) | ValueRef::Null => return None,
    };
    u64::try_from(size).ok()
}

fn compare(operator: Comparator, left: Option<ValueRef<'_>>, right: Option<ValueRef<'_>>) -> bool {
    match operator {
        Comparator::Equal => left.is_some() && left == right,
        // A missing attribute differs even from another missing one.
        Comparator::NotEqual => left.is_none() || left != right,
        _ => both(left, right).and_then(order).is_some_and(|ordering| operator.accepts(ordering)),
    }
}

/// The order of two values, which they have if both are strings, numbers or binaries.
pub(crate) fn order((left, right): (ValueRef<'_>, ValueRef<'_>)) -> Option<Ordering> {
    match (left, right) {
        (ValueRef::S(left), ValueRef::S(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        (ValueRef::N(left), ValueRef::N(right)) => Some(Number::cmp(&left, &right)),
        (ValueRef::B(left), ValueRef::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn begins_with((value, prefix): (ValueRef<'_>, ValueRef<'_>)) -> bool {
    match (value, prefix) {
        (ValueRef::S(text), ValueRef::S(prefix)) => text.starts_with(prefix),
        (ValueRef::B(bytes), ValueRef::B(prefix)) => bytes.starts_with(prefix),
        _ => false,
    }
}

fn contains((value, wanted): (ValueRef<'_>, ValueRef<'_>)) -> bool {
    match (value, wanted) {
        (ValueRef::S(text), ValueRef::S(part)) => text.contains(part),
        (ValueRef::B(bytes), ValueRef::B(part)) => {
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        }
        (ValueRef::Ss(set), ValueRef::S(member)) => set.contains(member),
        (ValueRef::Ns(set), ValueRef::N(member)) => set.contains(member),
        (ValueRef::Bs(set), ValueRef::B(member)) => set.contains(member),
        (ValueRef::L(list), member) => list.contains(member),
        _ => false,
    }
}

fn both<'i>(left: Option<ValueRef<'i>>, right: Option<ValueRef<'i>>) -> Option<(ValueRef<'i>, ValueRef<'i>)> {
    Some((left?, right?))
}
