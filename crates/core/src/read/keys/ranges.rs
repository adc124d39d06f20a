//! Ranges of a key: of an attribute itself, or of one piece of a text.
//!
//! They are inclusive on both sides, also where more text follows the bounded piece: the upper bound is padded with the greatest
//! character there is. Values that an exclusive bound excludes are dropped when the items are checked again.

use sortkey_design::model::SlotFormat;
use sortkey_design::program::{Entity, Piece, Template, Type};
use sortkey_expression::Comparator;
use sortkey_value::{AttributeValue, Number};

use crate::read::asked::Test;
use crate::template;
use crate::values::Val;

/// Nothing in a key sorts behind it.
const LAST: char = char::MAX;

/// The bounds of a range on one attribute, each with whether it is in the range itself.
#[derive(Default)]
pub(super) struct Bounds {
    pub(super) low: Option<(Val, bool)>,
    pub(super) high: Option<(Val, bool)>,
    pub(super) prefix: Option<String>,
}

/// Text that begins like this; nothing is asked where every text does.
pub(super) fn begins(text: String) -> Option<Test> {
    (!text.is_empty()).then_some(Test::Begins(text))
}

/// A range of one piece of a template, behind a fixed beginning.
pub(super) fn within(
    entity: &Entity,
    template: &Template,
    pieces: usize,
    before: String,
    bounds: &Bounds,
) -> Option<Test> {
    let Some(Piece::Slot { attribute, format }) = template.pieces.get(pieces) else { return begins(before) };
    let ty = &entity.attributes[*attribute].ty;
    let text = |value: &Val| {
        let slot = template::slot_of(template, ty, format.as_ref(), value)?;
        Some(format!("{before}{slot}"))
    };
    if let Some(beginning) = &bounds.prefix {
        return begins(text(&Val::text(beginning)).unwrap_or(before));
    }
    let is_last = pieces + 1 == template.pieces.len();
    let next = match template.pieces.get(pieces + 1) {
        Some(Piece::Literal(text)) => text.chars().next(),
        _ => None,
    };
    let low = bounds.low.as_ref().map(|(value, _)| lowest(ty, format.as_ref(), value));
    let high = bounds.high.as_ref().map(|(value, _)| highest(ty, format.as_ref(), next, value));
    if matches!(low, Some(None)) || matches!(high, Some(None)) {
        let nowhere = AttributeValue::S(format!("{before}{LAST}"));
        return Some(Test::Between(nowhere.clone(), nowhere));
    }
    let low = low.flatten().and_then(|value| text(&value));
    let high = high.flatten().and_then(|value| text(&value));
    let high = high.map(|high| if is_last { high } else { format!("{high}{LAST}") });
    match (low, high) {
        (None, None) => begins(before),
        // No lower bound is needed: no key is empty text.
        (None, Some(high)) if before.is_empty() => {
            Some(Test::Compared(Comparator::LessOrEqual, AttributeValue::S(high)))
        }
        (low, high) => {
            let high = high.unwrap_or_else(|| format!("{before}{LAST}"));
            let low = low.unwrap_or(before);
            Some(between(AttributeValue::S(low), AttributeValue::S(high)))
        }
    }
}

/// The least value of an attribute that is not below a bound; none if there is none. Only such a value has a text that sorts
/// among those of the attribute.
fn lowest(ty: &Type, format: Option<&SlotFormat>, bound: &Val) -> Option<Val> {
    match (ty, bound) {
        (Type::Int { min, max }, Val::Number(number)) => {
            let least = whole_number(*number, true)?;
            let least = min.map_or(least, |min| least.max(min));
            max.is_none_or(|max| least <= max).then(|| Val::integer(least))
        }
        (Type::Time { .. }, Val::Time(time_ms)) => {
            let (first, last) = template::sortable(ty, format);
            (*time_ms <= last).then_some(Val::Time((*time_ms).max(first)))
        }
        _ => Some(bound.clone()),
    }
}

/// The greatest value of an attribute that is not above a bound; none if there is none. Text is cut where it goes on with a
/// character that sorts before `next`, which follows the attribute in the key: no value goes on so.
fn highest(ty: &Type, format: Option<&SlotFormat>, next: Option<char>, bound: &Val) -> Option<Val> {
    match (ty, bound) {
        (Type::Int { min, max }, Val::Number(number)) => {
            let most = whole_number(*number, false)?;
            let most = max.map_or(most, |max| most.min(max));
            min.is_none_or(|min| most >= min).then(|| Val::integer(most))
        }
        (Type::Time { .. }, Val::Time(time_ms)) => {
            let (first, last) = template::sortable(ty, format);
            (*time_ms >= first).then_some(Val::Time((*time_ms).min(last)))
        }
        (_, Val::Text(text)) => {
            let end = next.and_then(|next| text.find(|c: char| c <= next)).unwrap_or(text.len());
            Some(Val::text(&text[..end]))
        }
        _ => Some(bound.clone()),
    }
}

/// The nearest integer on one side of a number, as far as 64 bits reach.
fn whole_number(number: Number, up: bool) -> Option<i64> {
    if let Some(whole) = number.to_i64() {
        return Some(whole);
    }
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole: i64 = match whole.parse() {
        Ok(whole) => whole,
        Err(_) if number.is_negative() => return Some(i64::MIN),
        Err(_) => return Some(i64::MAX),
    };
    let is_part = fraction.bytes().any(|digit| digit != b'0');
    match (is_part, up, number.is_negative()) {
        (true, true, false) => whole.checked_add(1),
        (true, false, true) => whole.checked_sub(1),
        _ => Some(whole),
    }
}

/// A range of an attribute itself, or of text as a whole, in DynamoDB's own order.
pub(super) fn natural(bounds: Bounds, encode: impl Fn(&Val) -> Option<AttributeValue>) -> Option<Test> {
    if let Some(prefix) = bounds.prefix {
        return begins(prefix);
    }
    let encoded =
        |bound: Option<(Val, bool)>| bound.and_then(|(value, inclusive)| Some((encode(&value)?, inclusive)));
    let compared = |inclusive: bool, with: Comparator, without: Comparator, value: AttributeValue| {
        Test::Compared(if inclusive { with } else { without }, value)
    };
    match (encoded(bounds.low), encoded(bounds.high)) {
        (Some((low, _)), Some((high, _))) => Some(between(low, high)),
        (Some((low, inclusive)), None) => {
            Some(compared(inclusive, Comparator::GreaterOrEqual, Comparator::Greater, low))
        }
        (None, Some((high, inclusive))) => {
            Some(compared(inclusive, Comparator::LessOrEqual, Comparator::Less, high))
        }
        (None, None) => None,
    }
}

/// A range that is empty is asked for as a point between its ends, since DynamoDB refuses ends that are swapped.
fn between(low: AttributeValue, high: AttributeValue) -> Test {
    let swapped = match (&low, &high) {
        (AttributeValue::S(low), AttributeValue::S(high)) => low > high,
        (AttributeValue::N(low), AttributeValue::N(high)) => low > high,
        (AttributeValue::B(low), AttributeValue::B(high)) => low > high,
        _ => false,
    };
    if swapped { Test::Between(high.clone(), high) } else { Test::Between(low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // F-15: bounds outside of the type were written into the key as they were, and sorted among its texts by accident.
    #[test]
    fn bounds_are_cut_to_the_values_there_are() {
        let int = Type::Int { min: Some(100), max: Some(999) };
        let number = |text: &str| Val::Number(Number::parse(text).expect("a number"));
        for (bound, least, most) in [
            ("5", Some(100), None),
            ("100", Some(100), Some(100)),
            ("150.5", Some(151), Some(150)),
            ("-3.5", Some(100), None),
            ("2000", None, Some(999)),
            ("1e30", None, Some(999)),
            ("-1e30", Some(100), None),
        ] {
            assert_eq!(lowest(&int, None, &number(bound)), least.map(Val::integer), "{bound}");
            assert_eq!(highest(&int, None, None, &number(bound)), most.map(Val::integer), "{bound}");
        }
        let slug = Type::Unknown;
        let highest = |text: &str| highest(&slug, None, Some('#'), &Val::text(text));
        assert_eq!(highest("b"), Some(Val::text("b")));
        assert_eq!(highest("b\"c"), Some(Val::text("b")));
        assert_eq!(whole_number(Number::parse("-2.5").expect("a number"), false), Some(-3));
        assert_eq!(whole_number(Number::parse("-2.5").expect("a number"), true), Some(-2));
    }
}
