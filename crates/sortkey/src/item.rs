//! Items, as easy to write as JSON.

/// Builds a [`value::Item`](crate::value::Item): names with anything that becomes an attribute value.
///
/// ```
/// use sortkey::item;
/// use sortkey::value::AttributeValue;
///
/// let item = item! { "id": "u1", "age": 36, "admin": true, "tags": AttributeValue::string_set(["a", "b"]) };
/// assert_eq!(item.len(), 4);
/// ```
#[macro_export]
macro_rules! item {
    ($($name:literal: $value:expr),* $(,)?) => {{
        let map: $crate::value::Map =
            [$((::std::string::String::from($name), $crate::value::AttributeValue::from($value))),*].into();
        $crate::value::Item::from(map)
    }};
}
