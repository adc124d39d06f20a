//! How large things are, by the published rules.

use sortkey_value::{AttributeValue, Map};

/// The size of an item: names and values.
pub(crate) fn of_item(item: &Map) -> usize {
    item.iter().map(|(name, value)| name.len() + of_value(value)).sum()
}

fn of_value(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => of_number(&number.to_string()),
        AttributeValue::B(bytes) => bytes.len(),
        AttributeValue::Bool(_) | AttributeValue::Null => 1,
        AttributeValue::L(list) => 3 + list.iter().map(|element| 1 + of_value(element)).sum::<usize>(),
        AttributeValue::M(map) => 3 + map.len() + of_item(map),
        AttributeValue::Ss(set) => set.iter().map(String::len).sum(),
        AttributeValue::Ns(set) => set.iter().map(|number| of_number(&number.to_string())).sum(),
        AttributeValue::Bs(set) => set.iter().map(Vec::len).sum(),
    }
}

/// One byte, one for every two significant digits before the point and behind it, and one for a minus sign.
fn of_number(text: &str) -> usize {
    let unsigned = text.trim_start_matches('-');
    let (before, behind) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let (mut before, mut behind) = (before.trim_start_matches('0'), behind.trim_end_matches('0'));
    if before.is_empty() {
        behind = behind.trim_start_matches('0');
    }
    if behind.is_empty() {
        before = before.trim_end_matches('0');
    }
    1 + before.len().div_ceil(2) + behind.len().div_ceil(2) + (text.len() - unsigned.len())
}

#[test]
fn numbers_as_they_were_measured() {
    for (text, size) in
        [("0", 1), ("7", 2), ("-7", 3), ("1200", 2), ("123", 3), ("0.001", 2), ("100.001", 5), ("1200.5", 4)]
    {
        assert_eq!(of_number(text), size, "{text}");
    }
}
