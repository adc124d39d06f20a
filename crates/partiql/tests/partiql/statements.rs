//! The meaning of statements.

use sortkey_expression::{Path, Step};
use sortkey_partiql::{Column, Insert, Order, Returning, Source, Statement};
use sortkey_value::{AttributeValue, Item};

use crate::support::{bind, item, list, map, number, statement};

fn column(path: Path, name: &str) -> Column {
    Column { path, name: name.to_owned() }
}

#[test]
fn select_names_its_source_columns_and_order() {
    let Statement::Select(select) = statement(
        "select pk, m.k[0], l[1], \"from\" FROM \"my table\".\"by-date\" WHERE pk = 'x' ORDER BY sk DESC, pk;",
    ) else {
        panic!("not a select");
    };
    assert_eq!(select.source, Source { table: "my table".into(), index: Some("by-date".into()) });
    let expected = vec![
        column(Path::attribute("pk"), "pk"),
        column(Path::new("m", vec![Step::Member("k".into()), Step::Element(0)]), "k[0]"),
        column(Path::new("l", vec![Step::Element(1)]), "l[1]"),
        column(Path::attribute("from"), "from"),
    ];
    assert_eq!(select.columns, Some(expected));
    assert!(select.condition.is_some());
    assert_eq!(
        select.order,
        [
            Order { attribute: "sk".into(), descending: true },
            Order { attribute: "pk".into(), descending: false }
        ]
    );

    let whole = item([("pk", "x".into()), ("m", map([("k", list([number("1")]))])), ("z", "z".into())]);
    assert_eq!(select.project(&whole), item([("pk", "x".into()), ("k[0]", number("1"))]));

    let Statement::Select(all) = statement("SELECT * FROM Music") else { panic!("not a select") };
    assert_eq!(all.project(&whole), whole);
    assert_eq!((all.columns, all.condition, all.order), (None, None, vec![]));
    let exists = statement("EXISTS(SELECT * FROM t WHERE pk = 'x' AND a IS MISSING)");
    assert!(matches!(exists, Statement::Exists(_)));
}

#[test]
fn insert_takes_every_kind_of_value() {
    let text = "INSERT INTO \"t\" VALUE {'pk': ?, 's': 'it''s', 'n': -.73e1, 'e': 7.31E+6, 'yes': true, \
                'nothing': null, 'l': [1, 'a', [], - 2], 'm': {'x': {'y': 1}}, 'ss': <<'a', 'b'>>, \
                'ns': <<1, 2>>, 'value': ?}";
    let parameters = ["key".into(), AttributeValue::B(vec![1])];
    let Statement::Insert(Insert { table, item: inserted }) = bind(text, &parameters).unwrap() else {
        panic!("not an insert");
    };
    assert_eq!(table, "t");
    assert_eq!(
        inserted,
        item([
            ("pk", "key".into()),
            ("s", "it's".into()),
            ("n", number("-7.3")),
            ("e", number("7310000")),
            ("yes", true.into()),
            ("nothing", AttributeValue::Null),
            ("l", list([number("1"), "a".into(), list([]), number("-2")])),
            ("m", map([("x", map([("y", number("1"))]))])),
            ("ss", AttributeValue::string_set(["a", "b"])),
            ("ns", AttributeValue::number_set([1, 2])),
            ("value", AttributeValue::B(vec![1])),
        ])
    );
}

#[test]
fn comments_are_blanks() {
    let plain = statement("SELECT * FROM t WHERE pk = 'a--b /*c*/'");
    for text in [
        "-- a note\nSELECT * FROM t -- another\nWHERE pk = 'a--b /*c*/' --",
        "SELECT/**/* FROM t /* a note */ WHERE pk/* key */='a--b /*c*/'; -- done",
    ] {
        assert_eq!(statement(text), plain, "{text}");
    }
}

/// The item after an update.
fn updated(old: &Item, text: &str) -> Result<Item, String> {
    let Statement::Update(update) = statement(text) else { panic!("{text}") };
    update.update.apply(Some(old), &Item::default()).map_err(|error| error.to_string())
}

#[test]
fn update_sets_and_removes() {
    let old = item([
        ("n", number("5")),
        ("l", list([number("1")])),
        ("m", map([("x", "y".into())])),
        ("ss", AttributeValue::string_set(["a", "b"])),
    ]);
    let with = |name: &str, value: Option<AttributeValue>| {
        let mut map = old.to_map();
        match value {
            Some(value) => map.insert(name.to_owned(), value),
            None => map.remove(name),
        };
        Item::from(map)
    };
    for (changes, expected) in [
        ("SET a = 'x'", with("a", Some("x".into()))),
        ("SET n = n - - 2", with("n", Some(number("7")))),
        ("SET n=n-1", with("n", Some(number("4")))),
        ("SET n = 1 + n", with("n", Some(number("6")))),
        ("SET a = n", with("a", Some(number("5")))),
        ("SET l = list_append(l, [2, 'z'])", with("l", Some(list([number("1"), number("2"), "z".into()])))),
        ("SET l[3] = 9", with("l", Some(list([number("1"), number("9")])))),
        ("SET m.z = {'q': 1}", with("m", Some(map([("x", "y".into()), ("z", map([("q", number("1"))]))])))),
        ("SET a = if_not_exists(a, 1)", with("a", Some(number("1")))),
        ("SET ss = SET_ADD(ss, <<'c'>>)", with("ss", Some(AttributeValue::string_set(["a", "b", "c"])))),
        ("SET ss = set_delete(ss, <<'a', 'b'>>)", with("ss", None)),
        ("REMOVE n", with("n", None)),
        ("REMOVE m.x", with("m", Some(map([])))),
    ] {
        let text = format!("UPDATE t {changes} WHERE pk = 'x'");
        assert_eq!(updated(&old, &text), Ok(expected.clone()), "{changes}");
        let from_first = format!("FROM t WHERE pk = 'x' {changes}");
        assert_eq!(updated(&old, &from_first), Ok(expected), "{changes}");
    }
    let several =
        "UPDATE t SET a = 1 SET b = 2, c = 3 REMOVE n REMOVE l WHERE pk = 'x' RETURNING MODIFIED NEW *";
    let Statement::Update(update) = statement(several) else { panic!("not an update") };
    assert_eq!(update.update.actions().len(), 5);
    assert_eq!(update.returning, Some(Returning::ModifiedNew));
}

#[test]
fn delete_can_return_the_old_item() {
    let Statement::Delete(delete) = statement("DELETE FROM \"t\" WHERE pk = 'x' RETURNING ALL OLD *") else {
        panic!("not a delete");
    };
    assert!(delete.returns_old);
    let Statement::Delete(delete) = statement("delete from t where pk = 'x'") else {
        panic!("not a delete");
    };
    assert!(!delete.returns_old);
}
