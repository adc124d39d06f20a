//! Key conditions that are refused, and the meaning of the others for a key.

use sortkey_expression::{
    ExpressionKind, KeyCondition, KeyConditionError, KeyRange, SortRange, parse_condition,
};
use sortkey_value::AttributeType::{self, B, N, S};
use sortkey_value::AttributeValue;

use crate::support::{Request, number};

fn request() -> Request {
    Request::new().names(&[("#h", "h")]).values([
        (":s", "s".into()),
        (":t", "t".into()),
        (":n", number("1")),
        (":b", vec![1u8].into()),
        (":bool", true.into()),
        (":empty", "".into()),
    ])
}

fn key_condition(text: &str) -> Result<KeyCondition, KeyConditionError> {
    let kind = ExpressionKind::KeyCondition;
    let parsed = parse_condition(text, kind).unwrap();
    let condition = parsed.bind(kind, &mut request().placeholders()).unwrap();
    KeyCondition::from_condition(&condition)
}

type Key<'k> = &'k [(&'k str, AttributeType)];

fn resolved(text: &str, partition: Key<'_>, sort: Key<'_>) -> Result<KeyRange, String> {
    let condition = key_condition(text).unwrap();
    condition.resolve(partition, sort).map_err(|error| error.to_string())
}

#[test]
fn a_key_condition_tests_attributes_one_by_one() {
    let invalid = |operator: &str| format!("Invalid operator used in KeyConditionExpression: {operator}");
    let not_first = |operator: &str| {
        format!(
            "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute \
             as its first operand"
        )
    };
    let condition = |problem: &str| format!("Invalid condition in KeyConditionExpression: {problem}");
    let expression = |problem: &str| format!("Invalid KeyConditionExpression: {problem}");
    let nested = "KeyConditionExpressions cannot contain nested operations";
    let several = "Multiple attribute names used in one condition";
    for (text, expected) in [
        ("a > b and size(b) > c or a > c", invalid("OR")),
        ("a in (b, size(c), d)", invalid("IN")),
        ("attribute_exists(a)", invalid("attribute_exists")),
        ("attribute_not_exists(a)", invalid("attribute_not_exists")),
        ("contains(a.d, b)", invalid("contains")),
        ("not a > b", invalid("NOT")),
        ("a <> b", invalid("<>")),
        (":s between size(b) and size(a) and b > :s", not_first("BETWEEN")),
        ("begins_with(:s, b) and a > :s", not_first("begins_with")),
        ("size(b) > a AND a.b > b AND b > c", expression(nested)),
        ("a > size(b.d)", expression(nested)),
        ("a between size(b) and size(a)", expression(nested)),
        ("b > a.b", condition(several)),
        ("b between c[1] and d", condition(several)),
        ("a between b and size(a)", condition(several)),
        ("begins_with(a, b)", condition(several)),
        ("b.d > a", expression("KeyConditionExpressions cannot have conditions on nested attributes")),
        ("b[0] > a", expression("KeyConditionExpressions cannot have conditions on nested attributes")),
        (":s > :n AND a < :s", condition("No key attribute specified")),
        (
            "h = :s AND (a > :s AND a < :t)",
            expression("KeyConditionExpressions must only contain one condition per key"),
        ),
    ] {
        assert_eq!(key_condition(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn tests_are_laid_on_the_key() {
    let partition: Key<'_> = &[("h", S)];
    let sort: Key<'_> = &[("r", S)];
    let s = || AttributeValue::from("s").into();
    let range = |sort_range| KeyRange { partition: vec![s()], sort_equal: Vec::new(), sort_range };
    let equal = KeyRange { sort_equal: vec![s()], ..range(None) };
    for (text, expected) in [
        ("h = :s", range(None)),
        (":s = #h", range(None)),
        ("h = :s AND r = :s", equal.clone()),
        ("(r = :s AND (h = :s))", equal),
        ("h = :s AND r < :s", range(Some(SortRange::Less(s())))),
        ("h = :s AND :s < r", range(Some(SortRange::Greater(s())))),
        ("h = :s AND :s >= r", range(Some(SortRange::LessOrEqual(s())))),
        ("h = :s AND r >= :s", range(Some(SortRange::GreaterOrEqual(s())))),
        ("h = :s AND begins_with(r, :s)", range(Some(SortRange::BeginsWith(s())))),
        (
            "h = :s AND r BETWEEN :s AND :t",
            range(Some(SortRange::Between(s(), AttributeValue::from("t").into()))),
        ),
    ] {
        assert_eq!(resolved(text, partition, sort), Ok(expected), "{text}");
    }
}

#[test]
fn the_key_decides_what_can_be_asked() {
    let missing = |name: &str| format!("Query condition missed key schema element: {name}");
    let mismatch =
        "One or more parameter values were invalid: Condition parameter type does not match schema type";
    let number_sort: Key<'_> = &[("n", N)];
    for (text, expected) in [
        ("n = :n", missing("h")),
        ("elsewhere = :s", missing("h")),
        ("elsewhere = :s AND n = :n", missing("h")),
        ("h = :s AND elsewhere = :s", missing("n")),
        ("h < :s", "Query key condition not supported".to_owned()),
        ("begins_with(h, :s)", "Query key condition not supported".to_owned()),
        ("h = :n", mismatch.to_owned()),
        ("h = :s AND n = :bool", mismatch.to_owned()),
        ("h = :s AND begins_with(n, :s)", mismatch.to_owned()),
        ("h = :s AND n BETWEEN :s AND :t", mismatch.to_owned()),
        (
            "h = :s AND n > :n AND extra = :n",
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"
                .to_owned(),
        ),
        (
            "h = :empty",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot \
             contain an empty string value. Key: h"
                .to_owned(),
        ),
    ] {
        assert_eq!(resolved(text, &[("h", S)], number_sort), Err(expected), "{text}");
    }
}

// F-84: AWS's error for a partition attribute that is not tested, when there are several.
#[test]
fn several_sort_attributes_are_tested_from_the_left() {
    let partition: Key<'_> = &[("h", S), ("g", N)];
    let sort: Key<'_> = &[("a", S), ("b", B), ("c", S), ("d", S)];
    let ask = |rest: &str| resolved(&format!("h = :s AND g = :n{rest}"), partition, sort);
    let s = || AttributeValue::from("s").into();
    let b = || AttributeValue::from(vec![1u8]).into();
    let n = || number("1").into();
    let range = |sort_equal, sort_range| KeyRange { partition: vec![s(), n()], sort_equal, sort_range };
    assert_eq!(ask(""), Ok(range(vec![], None)));
    assert_eq!(ask(" AND a = :s"), Ok(range(vec![s()], None)));
    assert_eq!(ask(" AND b > :b AND a = :s"), Ok(range(vec![s()], Some(SortRange::Greater(b())))));
    assert_eq!(
        ask(" AND a = :s AND b = :b AND c = :s AND begins_with(d, :s)"),
        Ok(range(vec![s(), b(), s()], Some(SortRange::BeginsWith(s()))))
    );
    let gap = |before: &str, attribute: &str| {
        Err(format!(
            "RANGE key attributes {before} must have equality conditions specified in the query because \
             a condition is present on key attribute {attribute}"
        ))
    };
    assert_eq!(ask(" AND a = :s AND c = :s"), gap("b", "c"));
    assert_eq!(ask(" AND a = :s AND b > :b AND c = :s"), gap("b", "c"));
    assert_eq!(ask(" AND b = :b"), gap("a", "b"));
    assert_eq!(
        resolved("h = :s", partition, sort),
        Err("HASH key attributes g must have equality conditions specified in the query".to_owned())
    );
}
