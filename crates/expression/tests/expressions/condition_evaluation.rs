//! Items with the conditions that they meet or do not meet.

use sortkey_value::AttributeValue;

use crate::support::{Request, every_type, item, list, map, number};

/// The values that the texts below refer to.
fn request() -> Request {
    Request::new().names(&[("#name", "name")]).values([
        (":zero", number("0")),
        (":one", number("1")),
        (":two", number("2.0")),
        (":three", number("3")),
        (":five", number("5")),
        (":a", "a".into()),
        (":an", "an".into()),
        (":empty", "".into()),
        (":bytes", vec![1u8, 2].into()),
        (":set", AttributeValue::number_set([1, 2])),
        (":list", list([number("3"), number("4")])),
        (":S", "S".into()),
        (":M", "M".into()),
    ])
}

fn check(item: &sortkey_value::Item, cases: &[(&str, bool)]) {
    for (text, expected) in cases {
        let condition = request().condition(text).unwrap();
        assert_eq!(condition.matches(item), *expected, "{text}");
    }
}

#[test]
fn comparisons_hold_within_a_type() {
    let item = item([("n", number("2")), ("s", "ab".into()), ("b", vec![1u8, 2, 3].into())]);
    check(
        &item,
        &[
            ("n = :two", true),
            ("n = :a", false),
            ("n <> :two", false),
            ("n <> :a", true),
            ("n < :three", true),
            ("n <= :two", true),
            ("n > :two", false),
            ("n >= :two", true),
            (":three > n", true),
            ("s > :a", true),
            ("s < :an", true),
            ("s < :three", false),
            ("b > :bytes", true),
            ("n BETWEEN :one AND :three", true),
            ("n BETWEEN :two AND :two", true),
            ("n BETWEEN :three AND :five", false),
            ("n BETWEEN s AND :three", false),
            (":two BETWEEN :one AND n", true),
            ("n IN (:a, :two)", true),
            ("n IN (:a, :three)", false),
        ],
    );
}

#[test]
fn numbers_are_compared_by_value_and_strings_by_bytes() {
    let item = item([("big", number("10")), ("emoji", "😀".into()), ("dot", "z".into())]);
    check(&item, &[("big > :five", true), ("emoji > dot", true)]);
}

#[test]
fn a_missing_attribute_equals_nothing() {
    let item = item([("a", number("1"))]);
    check(
        &item,
        &[
            ("q = :one", false),
            ("q <> :one", true),
            ("q = z", false),
            ("q <> z", true),
            ("q < :one", false),
            (":one > q", false),
            ("q <= z", false),
            ("q between z and a", false),
            ("q IN (:one)", false),
            ("q IN (z)", false),
            ("contains(q, :one)", false),
            ("begins_with(q, :a)", false),
            ("size(q) = :one", false),
            ("size(q) <> :one", true),
            ("attribute_type(q, :S)", false),
            ("NOT contains(q, :one)", true),
            ("attribute_exists(q)", false),
            ("attribute_not_exists(q)", true),
        ],
    );
}

#[test]
fn an_item_that_does_not_exist_has_no_attributes() {
    let condition = request().condition("attribute_not_exists(a) AND a <> :one").unwrap();
    assert!(condition.matches(None));
    assert!(!condition.matches(Some(&item([("a", number("1"))]))));
}

#[test]
fn every_type_equals_itself_alone() {
    for own in every_type() {
        for other in every_type() {
            let item = item([("a", own.clone()), ("b", other.clone())]);
            let equal = own == other;
            check(&item, &[("a = b", equal), ("a <> b", !equal), ("a IN (b)", equal)]);
        }
    }
}

#[test]
fn sets_are_equal_in_any_order() {
    let item = item([("a", AttributeValue::number_set([2, 1]))]);
    check(&item, &[("a = :set", true)]);
}

#[test]
fn size_counts_what_the_type_consists_of() {
    let item = item([
        ("phrase", "häß😀".into()),
        ("bytes", vec![1u8, 2, 3].into()),
        ("elements", list([number("1"), list([]), number("3")])),
        ("document", map([("x", number("1")), ("y", map([("m", number("3"))]))])),
        ("tags", AttributeValue::string_set(["a", "b", "c"])),
        ("n", number("5")),
        ("flag", true.into()),
    ]);
    check(
        &item,
        &[
            // A character beyond the basic plane counts twice.
            ("size(phrase) = :five", true),
            ("size(bytes) = :three", true),
            ("size(elements) = :three", true),
            ("size(document) = :two", true),
            ("size(tags) = :three", true),
            ("size(n) = :one", false),
            ("size(flag) = :one", false),
            ("size(phrase) = n", true),
            ("size(phrase) > :two", true),
            ("size(phrase) = :a", false),
            ("size(:an) = :two", true),
            ("size(phrase) BETWEEN :one AND :five", true),
            ("size(phrase) IN (:one, :five)", true),
        ],
    );
}

#[test]
fn contains_looks_into_strings_sets_and_lists() {
    let item = item([
        ("phrase", "banana".into()),
        ("bytes", vec![0u8, 1, 2].into()),
        ("strings", AttributeValue::string_set(["a", "b"])),
        ("numbers", AttributeValue::number_set([1, 2])),
        ("binaries", AttributeValue::binary_set([vec![1u8, 2]])),
        ("mixed", list(["a".into(), AttributeValue::number_set([2, 1]), list([number("3"), number("4")])])),
        ("members", map([("a", number("1"))])),
    ]);
    check(
        &item,
        &[
            ("contains(phrase, :an)", true),
            ("contains(phrase, :empty)", true),
            ("contains(phrase, :one)", false),
            ("contains(bytes, :bytes)", true),
            ("contains(strings, :a)", true),
            ("contains(strings, :an)", false),
            ("contains(numbers, :two)", true),
            ("contains(numbers, :three)", false),
            ("contains(numbers, :a)", false),
            ("contains(binaries, :bytes)", true),
            ("contains(mixed, :a)", true),
            ("contains(mixed, :set)", true),
            ("contains(mixed, :list)", true),
            ("contains(mixed, :one)", false),
            ("contains(members, :a)", false),
        ],
    );
}

#[test]
fn begins_with_works_both_ways_round() {
    let item = item([("phrase", "an".into()), ("bytes", vec![1u8, 2, 3].into()), ("n", number("12"))]);
    check(
        &item,
        &[
            ("begins_with(phrase, :a)", true),
            ("begins_with(:an, phrase)", true),
            ("begins_with(phrase, :S)", false),
            ("begins_with(bytes, :bytes)", true),
            ("begins_with(n, :a)", false),
            ("begins_with(bytes, :a)", false),
        ],
    );
}

#[test]
fn paths_lead_into_maps_and_lists() {
    let item = item([
        ("b", map([("x", number("1")), ("y", list([number("-1"), number("2"), map([("z", "a".into())])]))])),
        ("name", "a".into()),
        ("a.b", "a".into()),
    ]);
    check(
        &item,
        &[
            ("attribute_exists(b.x)", true),
            ("b.x < b.y[1]", true),
            ("b.x < b.y[0]", false),
            ("b.y[2].z = :a", true),
            ("b.y[3] = :a", false),
            ("b[0] = :a", false),
            ("b.y.z = :a", false),
            ("name1.x = :a", false),
            ("#name = :a", true),
            ("attribute_type(b, :M)", true),
            ("attribute_exists(a.b)", false),
        ],
    );
}

#[test]
fn not_binds_before_and_before_or() {
    let item = item([("a", number("1")), ("b", number("2")), ("c", number("3"))]);
    check(
        &item,
        &[
            ("a < b AND b < c", true),
            ("a < b aNd c < b", false),
            ("b < a oR b < c", true),
            ("b < a OR c < b", false),
            ("nOt b < a", true),
            ("NOT NOT NOT NOT a < b", true),
            ("a < b OR c < b AND c < b", true),
            ("(a < b OR c < b) AND c < b", false),
            ("NOT a < b AND c < b", false),
            ("NOT (a < b AND c < b)", true),
            ("b BETWEEN a AND c AND a < b", true),
        ],
    );
}
