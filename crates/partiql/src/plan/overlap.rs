//! Whether two ranges of a sort attribute have values in common.

use std::cmp::Ordering;

use sortkey_expression::SortRange;
use sortkey_value::ValueRef;

/// Whether an item could be in both ranges; no range is all values. All bounds must be of one type.
pub(super) fn overlap(one: Option<&SortRange>, two: Option<&SortRange>) -> bool {
    let (Some(one), Some(two)) = (one, two) else {
        return true;
    };
    let (one, two) = (Interval::of(one), Interval::of(two));
    !one.is_below(&two) && !two.is_below(&one)
}

/// A range as bytes in the order of the values.
struct Interval<'r> {
    lower: Option<Bound<'r>>,
    upper: Upper<'r>,
}

struct Bound<'r> {
    value: ValueRef<'r>,
    included: bool,
}

enum Upper<'r> {
    None,
    Bound(Bound<'r>),
    /// Everything that begins with this.
    Prefix(&'r [u8]),
}

impl<'r> Interval<'r> {
    fn of(range: &'r SortRange) -> Interval<'r> {
        let at = |value, included| Bound { value, included };
        match range {
            SortRange::Equal(value) => Interval {
                lower: Some(at(value.value(), true)),
                upper: Upper::Bound(at(value.value(), true)),
            },
            SortRange::Less(value) => Interval { lower: None, upper: Upper::Bound(at(value.value(), false)) },
            SortRange::LessOrEqual(value) => {
                Interval { lower: None, upper: Upper::Bound(at(value.value(), true)) }
            }
            SortRange::Greater(value) => {
                Interval { lower: Some(at(value.value(), false)), upper: Upper::None }
            }
            SortRange::GreaterOrEqual(value) => {
                Interval { lower: Some(at(value.value(), true)), upper: Upper::None }
            }
            SortRange::Between(lower, upper) => Interval {
                lower: Some(at(lower.value(), true)),
                upper: Upper::Bound(at(upper.value(), true)),
            },
            SortRange::BeginsWith(prefix) => Interval {
                lower: Some(at(prefix.value(), true)),
                upper: bytes(prefix.value()).map_or(Upper::None, Upper::Prefix),
            },
        }
    }

    /// Whether all values lie below those of the other.
    fn is_below(&self, other: &Interval<'_>) -> bool {
        let Some(lower) = &other.lower else { return false };
        match &self.upper {
            Upper::None => false,
            Upper::Bound(upper) => match order(upper.value, lower.value) {
                Ordering::Less => true,
                Ordering::Equal => !upper.included || !lower.included,
                Ordering::Greater => false,
            },
            Upper::Prefix(prefix) => {
                let lower = bytes(lower.value).unwrap_or_default();
                !lower.starts_with(prefix) && *prefix < lower
            }
        }
    }
}

fn order(one: ValueRef<'_>, two: ValueRef<'_>) -> Ordering {
    match (one, two) {
        (ValueRef::N(one), ValueRef::N(two)) => one.cmp(&two),
        _ => bytes(one).cmp(&bytes(two)),
    }
}

fn bytes(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::S(text) => Some(text.as_bytes()),
        ValueRef::B(bytes) => Some(bytes),
        _ => None,
    }
}
