//! The parameters from before expressions.

use std::collections::BTreeMap;

use sortkey_expression::Condition;
use sortkey_expression::legacy::{
    ComparisonOperator, ConditionalOperator, LegacyAction, LegacyCondition, LegacyExpectation, LegacyUpdate,
    check_not_mixed, translate_attribute_updates, translate_attributes_to_get, translate_conditions,
    translate_expected, translate_key_conditions,
};
use sortkey_value::{AttributeType, AttributeValue, Item};

use crate::support::{every_type, item, list, number};

fn test(operator: &str, values: &[AttributeValue]) -> LegacyCondition {
    LegacyCondition { operator: ComparisonOperator::from_name(operator).unwrap(), values: values.to_vec() }
}

fn filter(operator: &str, values: &[AttributeValue]) -> Result<Condition, String> {
    let conditions = BTreeMap::from([("a".to_owned(), test(operator, values))]);
    let condition = translate_conditions(&conditions, None).map_err(|error| error.to_string())?;
    Ok(condition.unwrap())
}

#[test]
fn operators_take_as_many_values_as_they_take() {
    for (operator, fine) in [
        ("EQ", [false, true, false]),
        ("NE", [false, true, false]),
        ("LE", [false, true, false]),
        ("LT", [false, true, false]),
        ("GE", [false, true, false]),
        ("GT", [false, true, false]),
        ("CONTAINS", [false, true, false]),
        ("NOT_CONTAINS", [false, true, false]),
        ("BEGINS_WITH", [false, true, false]),
        ("NULL", [true, false, false]),
        ("NOT_NULL", [true, false, false]),
        ("IN", [false, true, true]),
        ("BETWEEN", [false, false, true]),
    ] {
        for (count, fine) in fine.into_iter().enumerate() {
            let result = filter(operator, &vec!["a".into(); count]).map(drop);
            let refusal = format!(
                "One or more parameter values were invalid: Invalid number of argument(s) for the \
                 {operator} ComparisonOperator"
            );
            assert_eq!(result, if fine { Ok(()) } else { Err(refusal) }, "{operator} {count}");
        }
    }
}

#[test]
fn operators_compare_with_certain_types() {
    for value in every_type() {
        let kind = value.attribute_type().as_str();
        for (operator, fine) in [
            ("EQ", true),
            ("NE", true),
            ("LT", ["S", "N", "B"].contains(&kind)),
            ("IN", ["S", "N", "B"].contains(&kind)),
            ("CONTAINS", ["S", "N", "B", "BOOL", "NULL"].contains(&kind)),
            ("NOT_CONTAINS", ["S", "N", "B", "BOOL", "NULL"].contains(&kind)),
            ("BEGINS_WITH", ["S", "B"].contains(&kind)),
        ] {
            let refusal = format!(
                "One or more parameter values were invalid: ComparisonOperator {operator} is not valid for \
                 {kind} AttributeValue type"
            );
            let result = filter(operator, std::slice::from_ref(&value)).map(drop);
            assert_eq!(result, if fine { Ok(()) } else { Err(refusal) }, "{operator} {kind}");
        }
    }
    assert_eq!(
        filter("IN", &["b".into(), number("1")]).unwrap_err(),
        "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of \
         same type"
    );
    assert_eq!(
        filter("BETWEEN", &["b".into(), "a".into()]).unwrap_err(),
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    );
}

#[test]
fn operators_test_an_attribute() {
    let here = item([("a", "hello".into())]);
    let missing = Item::default();
    for (operator, values, on_item, on_missing) in [
        ("EQ", vec!["hello".into()], true, false),
        ("NE", vec!["hello".into()], false, true),
        ("NE", vec![number("1")], true, true),
        ("LT", vec!["help".into()], true, false),
        ("LE", vec!["hello".into()], true, false),
        ("GT", vec!["hello".into()], false, false),
        ("GE", vec!["hello".into()], true, false),
        ("IN", vec!["x".into(), "hello".into()], true, false),
        ("BETWEEN", vec!["a".into(), "z".into()], true, false),
        ("NULL", vec![], false, true),
        ("NOT_NULL", vec![], true, false),
        ("CONTAINS", vec!["ell".into()], true, false),
        // An attribute that is missing neither contains nor does not contain.
        ("NOT_CONTAINS", vec!["ell".into()], false, false),
        ("NOT_CONTAINS", vec!["x".into()], true, false),
        ("BEGINS_WITH", vec!["he".into()], true, false),
    ] {
        let condition = filter(operator, &values).unwrap();
        assert_eq!(condition.matches(&here), on_item, "{operator} {values:?}");
        assert_eq!(condition.matches(&missing), on_missing, "{operator} {values:?}");
    }
}

#[test]
fn conditions_are_put_together() {
    let conditions = BTreeMap::from([
        ("a".to_owned(), test("EQ", &[number("1")])),
        ("b".to_owned(), test("EQ", &[number("2")])),
    ]);
    let half = item([("a", number("1"))]);
    let matches = |operator| {
        let condition = translate_conditions(&conditions, operator).unwrap();
        condition.unwrap().matches(&half)
    };
    assert!(!matches(None));
    assert!(!matches(Some(ConditionalOperator::And)));
    assert!(matches(Some(ConditionalOperator::Or)));
    assert_eq!(translate_conditions(&BTreeMap::new(), None), Ok(None));
    let error = translate_conditions(&BTreeMap::new(), Some(ConditionalOperator::Or)).unwrap_err();
    assert_eq!(error.to_string(), "ConditionalOperator cannot be used without Filter or Expected");
}

#[test]
fn expectations_fit_together() {
    let given = |expectation: LegacyExpectation| {
        let expected = BTreeMap::from([("a".to_owned(), expectation)]);
        translate_expected(&expected, None).map_err(|error| error.to_string())
    };
    let value = || Some(AttributeValue::from("x"));
    let operator = Some(ComparisonOperator::Eq);
    let refused = |expectation, problem: &str| {
        let prefix = "One or more parameter values were invalid: ";
        let error = given(expectation).unwrap_err();
        assert_eq!(error, format!("{prefix}{problem} for Attribute: a"));
    };
    let none = LegacyExpectation::default;
    refused(none(), "Value must be provided when Exists is null");
    refused(LegacyExpectation { exists: Some(true), ..none() }, "Value must be provided when Exists is true");
    refused(
        LegacyExpectation { exists: Some(false), value: value(), ..none() },
        "Value cannot be used when Exists is false",
    );
    refused(
        LegacyExpectation { value: value(), values: Some(vec![]), ..none() },
        "Value and AttributeValueList cannot be used together",
    );
    refused(
        LegacyExpectation { exists: Some(true), operator, value: value(), ..none() },
        "Exists and ComparisonOperator cannot be used together",
    );
    refused(
        LegacyExpectation { operator, ..none() },
        "Value or AttributeValueList must be used with ComparisonOperator: EQ",
    );
    refused(
        LegacyExpectation { values: Some(vec![]), ..none() },
        "AttributeValueList can only be used with a ComparisonOperator",
    );

    let here = item([("a", "x".into())]);
    for (expectation, on_item, on_missing) in [
        (LegacyExpectation { value: value(), ..none() }, true, false),
        (LegacyExpectation { exists: Some(true), value: value(), ..none() }, true, false),
        (LegacyExpectation { exists: Some(false), ..none() }, false, true),
        (LegacyExpectation { operator, value: value(), ..none() }, true, false),
        (LegacyExpectation { operator: Some(ComparisonOperator::NotNull), ..none() }, true, false),
    ] {
        let condition = given(expectation).unwrap().unwrap();
        assert_eq!((condition.matches(&here), condition.matches(None)), (on_item, on_missing));
    }
}

#[test]
fn key_conditions_are_laid_on_the_key() {
    let resolve = |tests: &[(&str, LegacyCondition)]| {
        let tests = tests.iter().map(|(name, test)| ((*name).to_owned(), test.clone()));
        let condition = translate_key_conditions(&tests.collect()).unwrap();
        let key = condition.resolve(&[("h", AttributeType::S)], &[("r", AttributeType::N)]);
        key.map(drop).map_err(|error| error.to_string())
    };
    let hash = || ("h", test("EQ", &["x".into()]));
    assert_eq!(resolve(&[hash()]), Ok(()));
    assert_eq!(resolve(&[hash(), ("r", test("BETWEEN", &[number("1"), number("2")]))]), Ok(()));
    assert_eq!(resolve(&[]), Err("Conditions can be of length 1 or 2 only".to_owned()));
    for operator in ["NE", "CONTAINS", "NOT_CONTAINS", "IN"] {
        assert_eq!(
            resolve(&[hash(), ("r", test(operator, &[number("1")]))]),
            Err("Attempted conditional constraint is not an indexable operation".to_owned())
        );
    }
}

fn apply(old: &Item, updates: &[(&str, LegacyAction, Option<AttributeValue>)]) -> Result<Item, String> {
    let updates = updates.iter().map(|(name, action, value)| {
        let update = LegacyUpdate { action: *action, value: value.clone() };
        ((*name).to_owned(), update)
    });
    let update = translate_attribute_updates(&updates.collect()).map_err(|error| error.to_string())?;
    let key = item([("p", "p".into())]);
    update.apply(Some(old), &key).map_err(|error| error.to_string())
}

#[test]
fn attribute_updates_change_attributes() {
    use LegacyAction::{Add, Delete, Put};
    let old = item([
        ("b", "x".into()),
        ("c", AttributeValue::string_set(["a", "b"])),
        ("d", number("1")),
        ("f", list(["a".into()])),
    ]);
    let strings = |members: &[&str]| AttributeValue::string_set(members.iter().copied());
    let new = apply(
        &old,
        &[
            ("a", Put, Some("new".into())),
            ("b", Delete, None),
            ("c", Delete, Some(strings(&["a", "z"]))),
            ("d", Add, Some(number("5"))),
            ("e", Add, Some(strings(&["a", "b"]))),
            ("f", Add, Some(list(["b".into(), number("2")]))),
        ],
    );
    let expected = item([
        ("a", "new".into()),
        ("c", strings(&["b"])),
        ("d", number("6")),
        ("e", strings(&["a", "b"])),
        ("f", list(["a".into(), "b".into(), number("2")])),
    ]);
    assert_eq!(new, Ok(expected));
    assert_eq!(apply(&old, &[]), Ok(old.clone()));

    let invalid = "One or more parameter values were invalid: ";
    for (name, action, value, expected) in [
        ("c", Add, Some(number("1")), "Type mismatch for attribute to update".to_owned()),
        ("d", Delete, Some(strings(&["a"])), "Type mismatch for attribute to update".to_owned()),
        (
            "a",
            Put,
            None,
            format!("{invalid}Only DELETE action is allowed when no attribute value is specified"),
        ),
        ("a", Add, Some("s".into()), format!("{invalid}ADD action is not supported for the type S")),
        (
            "a",
            Delete,
            Some(number("1")),
            format!("{invalid}DELETE action with value is not supported for the type N"),
        ),
    ] {
        assert_eq!(apply(&old, &[(name, action, value)]), Err(expected));
    }
}

#[test]
fn attributes_to_get_are_whole_attributes() {
    let projection = translate_attributes_to_get(&["b".to_owned(), "a.b".to_owned()]).unwrap();
    let whole = item([("a", number("1")), ("a.b", number("2")), ("b", number("3"))]);
    assert_eq!(projection.apply(&whole), item([("a.b", number("2")), ("b", number("3"))]));
    assert_eq!(
        translate_attributes_to_get(&["a".to_owned(), "a".to_owned()]).unwrap_err().to_string(),
        "One or more parameter values were invalid: Duplicate value in attribute name: a"
    );
}

#[test]
fn old_and_new_parameters_do_not_mix() {
    assert_eq!(check_not_mixed(vec!["Expected"], vec![]), Ok(()));
    assert_eq!(
        check_not_mixed(vec!["AttributeUpdates"], vec!["UpdateExpression"]).unwrap_err().to_string(),
        "Can not use both expression and non-expression parameters in the same request: \
         Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}"
    );
}
