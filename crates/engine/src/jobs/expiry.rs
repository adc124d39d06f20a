//! Expiry: items past their time leave by an ordinary write that looks again.
//!
//! Candidates are found in an index by second; the write that removes one takes the item's lock and checks that
//! the item still is past its time, so an item renewed meanwhile stays.

use sortkey_value::{Item, ValueRef};

/// AWS leaves items alone whose time lies further back: they are more likely a mistake than expired.
const TOO_OLD_SECONDS: u64 = 5 * 365 * 24 * 60 * 60;

/// The second at which an item expires, if its attribute holds one.
pub(crate) fn second(item: &Item, attribute: &str) -> Option<u64> {
    match item.get(attribute)? {
        ValueRef::N(number) => number.to_i64().and_then(|second| u64::try_from(second).ok()),
        _ => None,
    }
}

/// The seconds at which items are expired now; empty at the dawn of time.
pub(crate) fn expired_seconds(now_ms: u64) -> std::ops::Range<u64> {
    let now = now_ms / 1000;
    now.saturating_sub(TOO_OLD_SECONDS)..now
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_value::{AttributeValue, Number};

    #[test]
    fn only_whole_seconds_expire() {
        let second = |value: AttributeValue| second(&Item::from([("ttl", value)]), "ttl");
        assert_eq!(second(100.into()), Some(100));
        assert_eq!(second("100".into()), None);
        assert_eq!(second((-5).into()), None);
        assert_eq!(second(Number::parse("1.5").unwrap().into()), None);
        assert_eq!(super::second(&Item::default(), "ttl"), None);
    }
}
