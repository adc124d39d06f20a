// Lists by keys, limits and numbers out of bounds: they were ignored or cut to what fits.

use serde_json::{Value as Json, json};
use sortkey_core::{Answer, Call, Failure, FailureKind};

use crate::support::{App, DEFAULTS, Database};

fn items(
    app: &App,
    name: &str,
    arguments: &Json,
    call: Call<'_>,
) -> Result<(Vec<Json>, Option<String>), Failure> {
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into()?;
    match pollster::block_on(app.runtime.call(Call { name, arguments, ..call }))? {
        Answer::Page { items, cursor } => Ok((items, cursor)),
        other => panic!("{name} gave {other:?}"),
    }
}

fn ids(items: &[Json]) -> Vec<&str> {
    items.iter().filter_map(|item| item["id"].as_str()).collect()
}

/// `x in list` with whole keys took no notice of the page, the limit and the cursor, and a value that was given in two
/// forms was an internal error.
#[test]
fn a_list_of_keys_has_pages_as_any_other() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design bounds
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        table Ms "mss" {{ key (team | id) }}
        entity N in Ns {{ id slug @normalize(lower)  n int = 0 }}
        entity M in Ms {{ team slug  id slug }}
        pattern some(ids: list(slug, max 9)) = list N by id in ids page 2
        pattern first(ids: list(slug, max 9)) = list N by id in ids limit 2
        pattern members(ids: list(slug, max 9)) = list M by team, id in ids page 2
        operation mk = create N
        operation join = create M"#
    ));
    for id in ["a", "c", "d", "e"] {
        app.call("mk", json!({ "id": id }));
        app.call("join", json!({ "team": "t", "id": id }));
    }
    let given = json!({ "ids": ["e", "b", "A", "a", "d", "c"] });
    let (page, cursor) = items(&app, "some", &given, Call::default()).expect("a page");
    assert_eq!(ids(&page), ["e", "a"]);
    let next = Call { cursor: cursor.as_deref(), limit: Some(1), ..Call::default() };
    let (page, cursor) = items(&app, "some", &given, next).expect("a page");
    assert_eq!(ids(&page), ["d"]);
    let next = Call { cursor: cursor.as_deref(), ..Call::default() };
    let (page, cursor) = items(&app, "some", &given, next).expect("a page");
    assert_eq!((ids(&page), cursor), (vec!["c"], None));
    let forged = Call { cursor: Some("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), ..Call::default() };
    let failure = items(&app, "some", &given, forged).expect_err("forged");
    assert_eq!(failure.field.as_deref(), Some("cursor"), "{failure}");
    let first = app.call("first", given.clone());
    assert_eq!(ids(first.as_array().expect("a list")), ["e", "a"]);
    let given = json!({ "team": "t", "ids": ["a", "e", "b", "d"] });
    let (page, cursor) = items(&app, "members", &given, Call::default()).expect("a page");
    assert_eq!(ids(&page), ["a", "e"]);
    let next = Call { cursor: cursor.as_deref(), ..Call::default() };
    assert_eq!(ids(&items(&app, "members", &given, next).expect("a page").0), ["d"]);
}

/// A limit of 0 was one of 1, and what a call cannot have was ignored.
#[test]
fn a_limit_or_a_cursor_that_means_nothing_is_refused() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design bounds
        {DEFAULTS}
        table Ns "nss" {{ key (team | id) }}
        entity N in Ns {{ team slug  id slug }}
        pattern paged = list N by team page 2
        pattern few = list N by team limit 2
        pattern every = list N by team all
        pattern number = count N by team
        operation mk = create N"#
    ));
    let limit = |limit| Call { limit: Some(limit), ..Call::default() };
    let cursor = || Call { cursor: Some("x"), ..Call::default() };
    for (name, call, field) in [
        ("paged", limit(0), "limit"),
        ("paged", limit(3), "limit"),
        ("few", limit(3), "limit"),
        ("every", limit(1), "limit"),
        ("number", limit(1), "limit"),
        ("mk", limit(1), "limit"),
        ("few", cursor(), "cursor"),
        ("every", cursor(), "cursor"),
        ("number", cursor(), "cursor"),
        ("mk", cursor(), "cursor"),
    ] {
        let failure = items(&app, name, &json!({ "team": "t" }), call).expect_err(name);
        assert_eq!((failure.kind, failure.field.as_deref()), (FailureKind::Invalid, Some(field)), "{name}");
    }
}

/// A search without a cursor ended after a hundred items that a filter dropped, as if there were no more.
#[test]
fn what_is_behind_many_dropped_items_is_found() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design bounds
        {DEFAULTS}
        table Ns "nss" {{ key (team | n)  index Other (kind | n) project all }}
        entity N in Ns {{ team slug  n int  kind slug = "k" }}
        pattern any(n: int) = exists N by team filter it.n = n
        pattern few(n: int) = list N by team filter it.n = n limit 1
        pattern one(n: int) = get N by kind filter it.n = n
        operation mk = create N"#
    ));
    for n in 0..250 {
        app.call("mk", json!({ "team": "t", "n": n }));
    }
    assert_eq!(app.call("any", json!({ "team": "t", "n": 249 })), json!(true));
    assert_eq!(app.call("few", json!({ "team": "t", "n": 249 }))[0]["n"], 249);
    assert_eq!(app.call("one", json!({ "kind": "k", "n": 249 }))["n"], 249);
}

/// A sum that no number can keep was an internal error.
#[test]
fn a_sum_with_too_many_digits_is_refused() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design bounds
        {DEFAULTS}
        table Ns "nss" {{ key (team | id) }}
        entity N in Ns {{ team slug  id slug  n decimal(38, 10) }}
        pattern total = sum(n) N by team
        operation mk = create N"#
    ));
    for (id, n) in [("a", "9999999999999999999999999999.9999999999"), ("b", "0.0000000001")] {
        app.call("mk", json!({ "team": "t", "id": id, "n": n }));
    }
    app.call("mk", json!({ "team": "t", "id": "c", "n": "9999999999999999999999999999.9999999998" }));
    let failure = app.fails("total", json!({ "team": "t" }));
    assert_eq!((failure.kind, failure.field.as_deref()), (FailureKind::Invalid, Some("n")));
}

/// `random(0)` was 0, and `first(x, 2.5)` one character.
#[test]
fn a_function_refuses_numbers_that_mean_nothing_to_it() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design bounds
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        entity N in Ns {{ id slug }}
        operation mk = create N
        operation dice(n: decimal(9, 2)) {{ return random(n) }}
        operation begin(t: string(..9), n: decimal(9, 2)) {{ return first(t, n) }}
        operation end(t: string(..9), n: decimal(9, 2)) {{ return last(t, n) }}"#
    ));
    for (name, n) in
        [("dice", 0.0), ("dice", -3.0), ("dice", 1.5), ("begin", 2.5), ("begin", -1.0), ("end", -1.0)]
    {
        let arguments = if name == "dice" { json!({ "n": n }) } else { json!({ "t": "abc", "n": n }) };
        let failure = app.fails(name, arguments);
        assert_eq!(failure.kind, FailureKind::Invalid, "{name} {n}: {failure}");
    }
    assert_eq!(app.call("dice", json!({ "n": 1 })), json!(0));
    assert_eq!(app.call("begin", json!({ "t": "abc", "n": 2 })), json!("ab"));
    assert_eq!(app.call("end", json!({ "t": "abc", "n": 0 })), json!(""));
}
