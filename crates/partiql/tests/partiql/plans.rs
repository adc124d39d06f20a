//! The plan of each statement for a key.

use sortkey_expression::{Constant, SortRange};
use sortkey_partiql::plan::{
    Direction, KeyRead, KeySchema, ReadPlan, plan_item_read, plan_order, plan_read, plan_write,
};
use sortkey_partiql::{Statement, parse};
use sortkey_value::AttributeType;

use crate::support::{condition, item, statement};

const KEY: KeySchema<'static> =
    KeySchema { partition: ("pk", AttributeType::S), sort: Some(("sk", AttributeType::S)) };

fn constant(text: &str) -> Constant {
    sortkey_value::AttributeValue::from(text).into()
}

fn read(text: &str) -> Result<ReadPlan, String> {
    plan_read(Some(&condition(text)), KEY).map_err(|error| error.to_string())
}

fn part(partition: &str, sort: Option<SortRange>, filter: Option<&str>) -> KeyRead {
    KeyRead { partition: constant(partition), sort, filter: filter.map(condition) }
}

#[test]
fn conditions_on_the_key_are_read_by_key() {
    let equal = |text: &str| Some(SortRange::Equal(constant(text)));
    for (text, expected) in [
        ("pk = 'a'", vec![part("a", None, None)]),
        ("'a' = pk AND f = 1", vec![part("a", None, Some("f = 1"))]),
        ("pk = 'a' AND sk = '1'", vec![part("a", equal("1"), None)]),
        (
            "(f = 1 AND (pk = 'a')) AND '1' < sk",
            vec![part("a", Some(SortRange::Greater(constant("1"))), Some("f = 1"))],
        ),
        (
            "pk = 'a' AND sk BETWEEN '1' AND '2'",
            vec![part("a", Some(SortRange::Between(constant("1"), constant("2"))), None)],
        ),
        (
            "pk = 'a' AND begins_with(sk, 'x')",
            vec![part("a", Some(SortRange::BeginsWith(constant("x"))), None)],
        ),
        ("pk IN ['a', 'b']", vec![part("a", None, None), part("b", None, None)]),
        (
            "pk = 'a' AND (sk = '1' OR sk = '2')",
            vec![part("a", equal("1"), None), part("a", equal("2"), None)],
        ),
        ("pk = 'a' AND sk IN ['1', '2']", vec![part("a", equal("1"), None), part("a", equal("2"), None)]),
        (
            "pk = 'a' AND (sk < '1' OR sk > '1' OR sk = '1')",
            vec![
                part("a", Some(SortRange::Less(constant("1"))), None),
                part("a", Some(SortRange::Greater(constant("1"))), None),
                part("a", equal("1"), None),
            ],
        ),
        ("pk = 'a' AND sk = '1' AND sk > '0'", vec![part("a", equal("1"), Some("sk > '0'"))]),
        ("pk = 'a' AND sk <> '1'", vec![part("a", None, Some("sk <> '1'"))]),
        ("pk = 'a' AND (f = 1 OR f = 2)", vec![part("a", None, Some("f = 1 OR f = 2"))]),
        ("pk = 'a' AND (pk = 'b' OR f = 1)", vec![part("a", None, Some("f = 1"))]),
        ("pk = 'a' AND pk = 'b'", vec![]),
    ] {
        assert_eq!(read(text), Ok(ReadPlan::Keys(expected)), "{text}");
    }
}

#[test]
fn other_conditions_are_scans() {
    for text in
        ["pk > 'a'", "f = 1", "pk = 'a' OR sk = '1'", "sk = '1'", "pk > 1", "NOT pk = 'a'", "pk.x = 'a'"]
    {
        assert_eq!(read(text), Ok(ReadPlan::Scan { filter: Some(condition(text)) }), "{text}");
    }
    assert_eq!(plan_read(None, KEY), Ok(ReadPlan::Scan { filter: None }));
}

#[test]
fn no_item_is_read_twice() {
    let overlapping =
        Err("Overlapping conditions with range keys are not supported in where clause".to_owned());
    for text in [
        "pk IN ['a', 'a']",
        "pk = 'a' OR pk = 'a'",
        "pk = 'a' AND (sk > '0' OR sk < '5')",
        "pk = 'a' AND (sk = '1' OR f = 2)",
        "(pk = 'a' AND f = 1) OR (pk = 'a' AND f = 2)",
        "pk = 'a' AND (begins_with(sk, 'x') OR sk = 'xy')",
        "pk = 'a' AND (sk BETWEEN 'a' AND 'c' OR sk >= 'c')",
    ] {
        assert_eq!(read(text), overlapping, "{text}");
    }
    for text in [
        "pk = 'a' AND (begins_with(sk, 'x') OR sk = 'y' OR sk < 'x')",
        "pk = 'a' AND (sk BETWEEN 'a' AND 'c' OR sk > 'c')",
    ] {
        assert!(read(text).is_ok(), "{text}");
    }
    // A condition that excludes one sort key is answered from the whole partition, once.
    for text in [
        "pk = 'a' AND NOT sk = '1' OR pk = 'a' AND sk = '2'",
        "pk = 'a' AND sk <> '1' OR pk = 'a' AND sk = '2'",
        "pk = 'a' OR pk = 'a' AND NOT sk = '1'",
    ] {
        let Ok(ReadPlan::Keys(reads)) = read(text) else { panic!("{text}") };
        assert_eq!(reads.len(), 1, "{text}");
        assert_eq!(reads[0].sort, None, "{text}");
        let filter = reads[0].filter.as_ref().unwrap();
        for (sk, found) in [("1", text.starts_with("pk = 'a' OR")), ("2", true), ("3", true)] {
            let row = item([("pk", "a".into()), ("sk", sk.into())]);
            assert_eq!(filter.matches(&row), found, "{text} {sk}");
        }
    }
}

#[test]
fn reads_are_limited_and_typed() {
    let values = |count: usize| (0..count).map(|number| format!("'v{number}'")).collect::<Vec<_>>().join(",");
    let too_many = Err("Too many decomposed read operations for a given query.".to_owned());
    for text in [
        format!("pk IN [{}]", values(51)),
        format!("pk = 'a' AND sk IN [{}]", values(51)),
        format!("pk IN [{}] AND sk IN ['1', '2']", values(26)),
    ] {
        assert_eq!(read(&text), too_many, "{text}");
    }
    for text in [
        format!("pk IN [{}] AND f IN [{}]", values(50), values(100)),
        format!("pk IN [{}] OR f = 1", values(51)),
    ] {
        assert!(read(&text).is_ok(), "{text}");
    }
    let mismatch = "Key attribute's data type should match its data type in table's schema: Key ";
    assert_eq!(read("pk = 1 OR pk = 'a'"), Err(format!("{mismatch}pk")));
    assert_eq!(read("pk = 'a' AND sk IN ['1', 2]"), Err(format!("{mismatch}sk")));
}

#[test]
fn writes_name_one_item() {
    let write = |text| {
        let target = plan_write(Some(&condition(text)), KEY).map_err(|error| error.to_string())?;
        Ok::<_, String>((target.key, target.condition))
    };
    let key = || item([("pk", "a".into()), ("sk", "1".into())]);
    assert_eq!(write("pk = 'a' AND sk = '1'"), Ok((key(), None)));
    assert_eq!(write("(sk = '1' AND f = 2) AND pk = 'a'"), Ok((key(), Some(condition("f = 2")))));
    assert_eq!(write("pk = 'a' AND sk = '1' AND pk = 'a'"), Ok((key(), None)));
    let incomplete = "Where clause does not contain a mandatory equality on all key attributes";
    for text in ["pk = 'a'", "sk = '1'", "pk IN ['a'] AND sk = '1'", "pk = 'a' AND sk > '1'", "f = 1"] {
        assert_eq!(write(text), Err(incomplete.to_owned()), "{text}");
    }
    assert_eq!(
        write("pk = 'a' AND sk = '1' AND pk = 'b'"),
        Err("Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported"
            .to_owned())
    );
    assert_eq!(plan_write(None, KEY).unwrap_err().to_string(), incomplete);
}

#[test]
fn reads_of_transactions_name_one_item() {
    let target = |text, in_counts| plan_item_read(Some(&condition(text)), KEY, in_counts);
    let key = item([("pk", "a".into()), ("sk", "1".into())]);
    for text in
        ["pk = 'a' AND sk = '1'", "(sk = '1') AND pk = 'a' AND pk = 'a'", "pk IN ['a'] AND sk IN ['1']"]
    {
        let found = target(text, true).unwrap();
        assert_eq!((&found.key, &found.condition), (&key, &None), "{text}");
    }
    for text in ["pk = 'a' AND sk = '1' AND f = 1", "pk = 'a' AND sk = '1' AND pk = 'b'"] {
        assert!(target(text, true).unwrap().condition.is_some(), "{text}");
    }
    assert_eq!(target("pk = 'a'", true), None);
    assert_eq!(target("pk IN ['a'] AND sk = '1'", false), None);
}

#[test]
fn order_is_that_of_the_key() {
    let order = |text: &str| {
        let Statement::Select(select) = statement(text) else { panic!("{text}") };
        let plan = plan_read(select.condition.as_ref(), KEY).unwrap();
        plan_order(&select, &plan, KEY).map_err(|error| error.to_string())
    };
    let select = "SELECT * FROM t ";
    assert_eq!(order(&format!("{select} WHERE pk = 'a'")), Ok(Direction::Ascending));
    assert_eq!(order(&format!("{select} WHERE pk = 'a' ORDER BY sk")), Ok(Direction::Ascending));
    assert_eq!(order(&format!("{select} WHERE pk = 'a' ORDER BY sk DESC")), Ok(Direction::Descending));
    assert_eq!(
        order(&format!("{select} WHERE pk IN ['a', 'b'] ORDER BY pk, sk DESC")),
        Ok(Direction::Descending)
    );
    for (text, expected) in [
        ("ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause."),
        (
            "WHERE f = 1 ORDER BY sk",
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
        ),
        (
            "WHERE pk = 'a' ORDER BY f",
            "Variable reference f in ORDER BY clause must be part of the primary key",
        ),
        (
            "WHERE pk IN ['a', 'b'] ORDER BY sk",
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE \
             clause.",
        ),
    ] {
        assert_eq!(order(&format!("{select}{text}")), Err(expected.to_owned()));
    }
    assert!(parse("SELECT * FROM t ORDER BY").is_err());
}
