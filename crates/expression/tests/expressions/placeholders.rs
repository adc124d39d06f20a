//! Names and values of requests.

use std::collections::BTreeMap;

use sortkey_expression::{
    ExpressionKind, PlaceholderError, Placeholders, check_placeholders_have_expressions, parse_condition,
};
use sortkey_value::Item;

use crate::support::{Request, item, number};

fn names(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = pairs.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned()));
    pairs.collect()
}

fn refused(result: Result<Placeholders<'_>, PlaceholderError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn keys_are_placeholders() {
    let empty = names(&[]);
    assert_eq!(refused(Placeholders::new(Some(&empty), None)), "ExpressionAttributeNames must not be empty");
    assert_eq!(
        refused(Placeholders::new(None, Some(&Item::default()))),
        "ExpressionAttributeValues must not be empty"
    );
    for key in ["a", "#", "#a-b", ":a", ""] {
        let names = names(&[(key, "a")]);
        assert_eq!(
            refused(Placeholders::new(Some(&names), None)),
            format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{key}\"")
        );
    }
    let values = item([("a", number("1"))]);
    assert_eq!(
        refused(Placeholders::new(None, Some(&values))),
        "ExpressionAttributeValues contains invalid key: Syntax error; key: \"a\""
    );
    let names = names(&[("#a", "")]);
    assert_eq!(
        refused(Placeholders::new(Some(&names), None)),
        "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a"
    );
}

#[test]
fn every_placeholder_is_used_by_some_expression() {
    let request = Request::new()
        .names(&[("#a", "a"), ("#b", "b"), ("#0_c", "c")])
        .values([(":x", number("1")), (":y", number("2"))]);
    let bind = |placeholders: &mut Placeholders<'_>, text| {
        let parsed = parse_condition(text, ExpressionKind::Filter).unwrap();
        parsed.bind(ExpressionKind::Filter, placeholders).unwrap();
    };

    let mut placeholders = request.placeholders();
    bind(&mut placeholders, "#0_c = :x");
    assert_eq!(
        placeholders.finish().unwrap_err().to_string(),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}"
    );

    let mut placeholders = request.placeholders();
    bind(&mut placeholders, "#a = #b OR x.#0_c = :x");
    assert_eq!(
        placeholders.finish().unwrap_err().to_string(),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:y}"
    );

    let mut placeholders = request.placeholders();
    bind(&mut placeholders, "#a = :x");
    bind(&mut placeholders, "#b = :y AND attribute_exists(#0_c)");
    assert_eq!(placeholders.finish(), Ok(()));
}

#[test]
fn placeholders_come_with_expressions() {
    use ExpressionKind::{Condition, Filter, KeyCondition, Projection, Update};
    let check = |expressions: &[_], names, values| {
        check_placeholders_have_expressions(expressions, names, values).map_err(|error| error.to_string())
    };
    assert_eq!(
        check(&[(Condition, false)], true, true).unwrap_err(),
        "ExpressionAttributeNames can only be specified when using expressions"
    );
    assert_eq!(
        check(&[(Condition, false)], false, true).unwrap_err(),
        "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"
    );
    assert_eq!(
        check(&[(Update, false), (Condition, false)], false, true).unwrap_err(),
        "ExpressionAttributeValues can only be specified when using expressions: \
         UpdateExpression and ConditionExpression are null"
    );
    assert_eq!(
        check(&[(Projection, true), (Filter, false), (KeyCondition, false)], true, true).unwrap_err(),
        "ExpressionAttributeValues can only be specified when using expressions: \
         FilterExpression and KeyConditionExpression are null"
    );
    assert_eq!(check(&[(Projection, true), (Filter, true)], true, true), Ok(()));
    assert_eq!(check(&[(Projection, true)], true, true), Ok(()));
}
