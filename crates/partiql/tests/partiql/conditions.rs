//! The meaning of `WHERE`.

use sortkey_value::AttributeValue;

use crate::support::{condition, item, list, map, number};

#[test]
fn conditions_hold_for_items() {
    let item = item([
        ("pk", "x".into()),
        ("n", number("1")),
        ("s", "str".into()),
        ("flag", "right".into()),
        ("yes", true.into()),
        ("nul", AttributeValue::Null),
        ("m", map([("sub", "x".into())])),
        ("l", list(["a".into()])),
        ("ss", AttributeValue::string_set(["a", "b"])),
    ]);
    for text in [
        "pk = 'x' AND n > -5",
        "n = - - 1",
        "n BETWEEN - 2 AND +5 AND n IN [- 1, 1]",
        "n NOT BETWEEN 2 AND 5",
        "n NOT IN [2, 3]",
        "s IN ('x', 'str')",
        "s IN ('str')",
        "n != 2 AND n <> 3",
        "\"n\" = 1",
        "NOT n = 2 AND (n = 1 OR n = 2)",
        "attribute_exists(m.sub) AND ATTRIBUTE_NOT_EXISTS (nope) AND attribute_exists(l[0])",
        "attribute_type(ss, 'SS') AND size(s) = 3 AND contains(ss, 'a') AND begins_with(s, 'st')",
        "ss = <<'b', 'a'>>",
        "l = ['a'] AND m = {'sub': 'x'}",
        "nul IS NULL AND s IS NOT NULL AND nope IS MISSING AND s IS NOT MISSING",
        "yes IS BOOL AND s IS STRING AND m IS STRUCT AND m IS TUPLE AND l IS LIST AND n IS NUMERIC",
        // The answer of a test is a boolean.
        "attribute_exists(nope) = false",
        "true = attribute_exists(n)",
        "attribute_exists(n) <> 1",
        "contains(nope, 'z') = false",
        "(n BETWEEN 0 AND 5) = true",
        "(n = 5 OR flag = 'x') = false",
        "attribute_exists(nope) IN [true, false]",
        "attribute_exists(n) = attribute_exists(flag)",
        "attribute_exists(n) = yes",
    ] {
        assert!(condition(text).matches(&item), "{text}");
    }
    for text in [
        "n > 5",
        "s IS NULL",
        "nul IS NOT NULL",
        "s IS BOOL",
        "nope IS NOT MISSING",
        "attribute_exists(n) = 1",
        "NOT attribute_exists(n) = true",
        "(attribute_exists(n) = true) = false",
        "attribute_exists(n) = flag",
        "n = '1'",
    ] {
        assert!(!condition(text).matches(&item), "{text}");
    }
}
