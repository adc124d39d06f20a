//! Filters: what holds, what is missing, and what cannot be read.

use serde_json::{Value, json};
use sortkey_functions::Headers;
use sortkey_functions::filter::{Filter, FilterProblem, Subject};
use sortkey_functions::pointer::PointerError;

fn body() -> Value {
    json!({
        "type": "invoice.paid",
        "total": 100,
        "rate": 1.5,
        "flag": true,
        "nothing": null,
        "empty": "",
        "tags": ["a", "b", 3, {"k": 1}],
        "lines": [{"sku": "x", "n": 2}, {"sku": "y", "n": 10}],
        "a/b": {"m~n": "deep"},
    })
}

fn holds(filter: &Value) -> bool {
    let headers = [("X-Kind", "push"), ("x-tag", "one"), ("X-Tag", "two"), ("X-Empty", "")];
    let body = body();
    let subject = Subject { body: Some(&body), headers: Headers::new(&headers) };
    Filter::read(filter).expect("a filter").holds(subject)
}

#[test]
fn operators_decide() {
    for (path, op, value, expected) in [
        ("/type", "eq", json!("invoice.paid"), true),
        ("/type", "eq", json!("invoice"), false),
        ("/total", "eq", json!(100.0), true),
        ("/total", "eq", json!("100"), false),
        ("/tags", "eq", json!(["a", "b", 3.0, {"k": 1}]), true),
        ("/nothing", "eq", json!(null), true),
        ("/type", "ne", json!("x"), true),
        ("/total", "ne", json!(1e2), false),
        ("/missing", "ne", json!("x"), false),
        ("/missing", "eq", json!(null), false),
        ("/total", "lt", json!(101), true),
        ("/total", "lt", json!(100), false),
        ("/total", "le", json!(100), true),
        ("/total", "gt", json!(99.9), true),
        ("/total", "gt", json!(100), false),
        ("/rate", "ge", json!(1.5), true),
        ("/type", "ge", json!("invoice"), true),
        ("/type", "lt", json!("j"), true),
        ("/type", "lt", json!(5), false),
        ("/total", "lt", json!("5"), false),
        ("/flag", "lt", json!(5), false),
        ("/missing", "lt", json!(5), false),
        ("/type", "in", json!(["x", "invoice.paid"]), true),
        ("/total", "in", json!([1, 100.0]), true),
        ("/type", "in", json!([]), false),
        ("/type", "contains", json!("voice"), true),
        ("/type", "contains", json!(""), true),
        ("/type", "contains", json!(1), false),
        ("/tags", "contains", json!(3), true),
        ("/tags", "contains", json!({"k": 1.0}), true),
        ("/tags", "contains", json!("c"), false),
        ("/a~1b", "contains", json!("m~n"), false),
        ("/type", "starts_with", json!("invoice."), true),
        ("/type", "starts_with", json!("paid"), false),
        ("/type", "ends_with", json!(".paid"), true),
        ("/total", "ends_with", json!("0"), false),
        ("/type", "matches", json!("^invoice\\.(paid|voided)$"), true),
        ("/type", "matches", json!("paid"), true),
        ("/type", "matches", json!("^paid"), false),
        ("/total", "matches", json!("100"), false),
        ("/lines/1/n", "eq", json!(10), true),
        ("/lines/2/n", "eq", json!(10), false),
        ("/lines/-/n", "eq", json!(10), false),
        ("/lines/01/n", "eq", json!(10), false),
        ("/a~1b/m~0n", "eq", json!("deep"), true),
        ("", "contains", json!("x"), false),
        ("", "eq", body(), true),
    ] {
        let condition = json!({"path": path, "op": op, "value": value});
        assert_eq!(holds(&condition), expected, "{condition}");
        assert_eq!(holds(&json!({"not": condition})), !expected, "not {condition}");
        assert_eq!(holds(&json!([condition])), expected);
    }
}

#[test]
fn presence_is_about_places_not_values() {
    for (path, there) in
        [("/nothing", true), ("/empty", true), ("", true), ("/missing", false), ("/type/x", false)]
    {
        assert_eq!(holds(&json!({"path": path, "op": "exists"})), there, "{path}");
        assert_eq!(holds(&json!({"path": path, "op": "absent"})), !there, "{path}");
    }
}

#[test]
fn headers_are_found_in_any_case() {
    for (header, op, value, expected) in [
        ("x-kind", "eq", json!("push"), true),
        ("X-KIND", "in", json!(["pull", "push"]), true),
        ("X-Tag", "eq", json!("one, two"), true),
        ("x-none", "eq", json!(""), false),
        ("x-kind", "gt", json!(1), false),
    ] {
        let condition = json!({"header": header, "op": op, "value": value});
        assert_eq!(holds(&condition), expected, "{condition}");
    }
    assert!(holds(&json!({"header": "x-empty", "op": "exists"})));
    assert!(holds(&json!({"header": "x-none", "op": "absent"})));
}

#[test]
fn groups_combine() {
    let yes = json!({"path": "/flag", "op": "exists"});
    let no = json!({"path": "/flag", "op": "absent"});
    for (filter, expected) in [
        (json!([]), true),
        (json!({"all": []}), true),
        (json!({"any": []}), false),
        (json!({"not": []}), false),
        (json!([yes, no]), false),
        (json!({"any": [no, yes]}), true),
        (json!({"any": [no, no]}), false),
        (json!({"not": {"any": [no, no]}}), true),
        (json!([yes, {"any": [no, {"all": [yes, {"not": no}]}]}]), true),
        (json!([yes, [yes, [no]]]), false),
    ] {
        assert_eq!(holds(&filter), expected, "{filter}");
    }
}

#[test]
fn a_body_that_is_not_json_has_no_places() {
    let filter = |value: Value| Filter::read(&value).expect("a filter");
    let subject = Subject { body: None, headers: Headers::new(&[("a", "b")]) };
    assert!(!filter(json!({"path": "", "op": "exists"})).holds(subject));
    assert!(filter(json!({"path": "", "op": "absent"})).holds(subject));
    assert!(filter(json!({"header": "A", "op": "eq", "value": "b"})).holds(subject));
}

fn refused(filter: &Value) -> (String, FilterProblem) {
    let error = Filter::read(filter).expect_err("a mistake");
    (error.place.pointer().to_owned(), error.problem)
}

#[test]
fn mistakes_name_their_place() {
    use FilterProblem as P;
    for (filter, place, problem) in [
        (json!(5), "", P::Shape),
        (json!([null]), "/0", P::Shape),
        (json!([{}]), "/0", P::Source),
        (json!([{"all": [], "any": []}]), "/0", P::Group),
        (json!({"not": [], "op": "eq"}), "", P::Group),
        (json!({"all": {}}), "/all", P::List),
        (json!({"any": [[{"all": 1}]]}), "/any/0/0/all", P::List),
        (
            json!([{"path": "/a", "op": "eq", "value": 1, "vlaue": 2}]),
            "/0",
            P::UnknownField("vlaue".to_owned()),
        ),
        (json!({"path": "/a", "header": "b", "op": "exists"}), "", P::Source),
        (json!({"path": "a", "op": "exists"}), "/path", P::Path(PointerError::NoSlash)),
        (json!({"path": "/~", "op": "exists"}), "/path", P::Path(PointerError::Escape)),
        (json!({"path": 1, "op": "exists"}), "/path", P::ValueType("a text")),
        (json!({"header": "a b", "op": "exists"}), "/header", P::Header),
        (json!({"path": "/a"}), "/op", P::Operator),
        (json!({"path": "/a", "op": "equals", "value": 1}), "/op", P::Operator),
        (json!({"not": {"path": "/a", "op": "eq"}}), "/not", P::ValueMissing),
        (json!({"path": "/a", "op": "exists", "value": true}), "", P::ValueUnexpected),
        (json!({"path": "/a", "op": "lt", "value": true}), "/value", P::ValueType("a number or a text")),
        (json!({"path": "/a", "op": "in", "value": "x"}), "/value", P::ValueType("a list")),
        (json!({"path": "/a", "op": "starts_with", "value": 1}), "/value", P::ValueType("a text")),
        (json!({"path": "/a", "op": "matches", "value": "("}), "/value", P::Pattern),
        (json!({"path": "/a", "op": "matches", "value": "a{1000}{1000}"}), "/value", P::Pattern),
        (json!({"path": "/a", "op": "matches", "value": "a".repeat(257)}), "/value", P::Pattern),
        (json!({"path": "/a", "op": "eq", "value": "a".repeat(65_536)}), "", P::TooLarge),
    ] {
        assert_eq!(refused(&filter), (place.to_owned(), problem), "{filter}");
    }
    let error = Filter::parse("[\n{]").expect_err("not JSON");
    assert_eq!(error.problem, P::NotJson { line: 2, column: 2 });
    assert_eq!(Filter::parse(&" ".repeat(65_537)).expect_err("too large").problem, P::TooLarge);
}

#[test]
fn filters_are_bounded() {
    let condition = json!({"path": "/a", "op": "exists"});
    assert!(Filter::read(&json!(vec![condition.clone(); 100])).is_ok());
    assert_eq!(refused(&json!(vec![condition.clone(); 101])).1, FilterProblem::TooManyConditions);
    let pattern = json!({"path": "/a", "op": "matches", "value": "x"});
    assert!(Filter::read(&json!(vec![pattern.clone(); 10])).is_ok());
    assert_eq!(refused(&json!(vec![pattern; 11])).1, FilterProblem::TooManyPatterns);
    let nested = |depth| (0..depth).fold(condition.clone(), |inner, _| json!({"not": inner}));
    assert!(Filter::read(&nested(8)).is_ok());
    assert_eq!(refused(&nested(9)).1, FilterProblem::TooDeep);
    let groups = |depth| (0..depth).fold(condition.clone(), |inner, _| json!({"all": [inner]}));
    assert!(Filter::read(&groups(8)).is_ok());
    assert_eq!(refused(&groups(9)).1, FilterProblem::TooDeep);
    let lists = (0..9).fold(condition, |inner, _| json!([inner]));
    assert_eq!(refused(&lists).1, FilterProblem::TooDeep);
}

#[test]
fn a_pattern_is_not_searched_in_long_texts() {
    let long = json!("a".repeat(4097));
    let most = json!("a".repeat(4096));
    let filter = Filter::read(&json!({"path": "", "op": "matches", "value": "^a+$"})).expect("a filter");
    let holds = |body: &Value| filter.holds(Subject { body: Some(body), headers: Headers::default() });
    assert!(holds(&most));
    assert!(!holds(&long));
}
