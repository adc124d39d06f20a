//! Updates that are refused, and the results of the others.

use sortkey_expression::{Update, parse_update};
use sortkey_value::{AttributeValue, Item};

use crate::support::{Request, every_type, item, list, map, number};

fn update(request: &Request, text: &str) -> Result<Update, String> {
    let parsed = parse_update(text).map_err(|error| error.to_string())?;
    parsed.bind(&mut request.placeholders()).map_err(|error| error.to_string())
}

fn check_refused(request: &Request, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let error = update(request, text).expect_err(text);
        assert_eq!(error, format!("Invalid UpdateExpression: {expected}"), "{text}");
    }
}

/// The values that the texts below refer to.
fn request() -> Request {
    Request::new().names(&[("#a", "a"), ("#c", "c"), ("#d", "[3]"), ("#1", "1")]).values([
        (":n", number("1")),
        (":two", number("2")),
        (":s", "s".into()),
        (":strings", AttributeValue::string_set(["a", "b"])),
        (":numbers", AttributeValue::number_set([1, 4])),
        (":binaries", AttributeValue::binary_set([vec![1u8]])),
        (":list", list(["x".into(), "y".into()])),
        (":empty", list([])),
    ])
}

fn key() -> Item {
    item([("p", "p".into())])
}

fn applied(old: &Item, text: &str) -> Result<Item, String> {
    let update = update(&request(), text).unwrap_or_else(|error| panic!("{error}"));
    update.apply(Some(old), &key()).map_err(|error| error.to_string())
}

fn check(old: &Item, cases: &[(&str, Item)]) {
    for (text, expected) in cases {
        assert_eq!(applied(old, text).as_ref(), Ok(expected), "{text}");
    }
}

#[test]
fn sections_follow_the_grammar() {
    let syntax = |token: &str, near: &str| format!("Syntax error; token: \"{token}\", near: \"{near}\"");
    for (text, token, near) in [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("ADD hits : incr", ":", "hits : incr"),
        ("SET #, a = b", "#", "SET #,"),
        ("SET _123 = :a", "_", "SET _123"),
        ("SET a = :a,", "<EOF>", ","),
        ("set a", "<EOF>", "a"),
        ("add a", "<EOF>", "a"),
        ("set a=set", "set", "=set"),
        ("remove a = b", "=", "a = b"),
        ("add a = b", "=", "a = b"),
        ("delete a b", "b", "a b"),
        ("delete a if_not_exist(b)", "if_not_exist", "a if_not_exist("),
        ("remove a b", "b", "a b"),
        ("set :a = b", ":a", "set :a ="),
        ("set a = b / c", "/", "b / c"),
        ("set a[1] = \"eight\"", "\"", "= \"eight"),
        ("SET a = if_not_exists(a, 100)", "100", ", 100)"),
        ("SET a = if_not_exists(a, :b + :c)", "+", ":b + :c"),
        ("set (a = (b + c))", "(", "set (a"),
        ("set a = (b.c).d + e", ".", ").d"),
        ("set a = b + c + d", "+", "c + d"),
        ("set a = (b + c) + d", "+", ") + d"),
        ("set a = b + (c + d)", "+", "c + d"),
        ("set a <> b", "<>", "a <> b"),
    ] {
        check_refused(&Request::new(), &[(text, &syntax(token, near))]);
    }
    check_refused(
        &Request::new(),
        &[
            ("", "The expression can not be empty;"),
            ("set a = ((b))", "The expression has redundant parentheses;"),
            ("set a = ((b + c))", "The expression has redundant parentheses;"),
            (" set #c = :c set abOrt = b ", "Attribute name is a reserved keyword; reserved keyword: abOrt"),
            ("set #c = if_not_exist(:c) set c = d", "Invalid function name; function: if_not_exist"),
        ],
    );
}

#[test]
fn a_section_appears_once() {
    for (text, section) in [
        ("set a = #c set c = :d", "SET"),
        ("remove #d set a = b remove e", "REMOVE"),
        ("add #d :e set a = b add e :f", "ADD"),
        ("delete #d :e set a = b delete #e :f", "DELETE"),
    ] {
        let expected = format!("The \"{section}\" section can only be used once in an update expression;");
        check_refused(&Request::new(), &[(text, &expected)]);
    }
}

#[test]
fn functions_stand_where_updates_allow_them() {
    check_refused(
        &Request::new(),
        &[
            ("set a = size(b)", "The function is not allowed in an update expression; function: size"),
            (
                "set a = list_append(list_append(:a, :b), :c)",
                "The function is not allowed to be used this way in an expression; function: list_append",
            ),
            (
                "set a = if_not_exists(a, list_append(:a, :b))",
                "The function is not allowed to be used this way in an expression; function: list_append",
            ),
        ],
    );
    for text in [
        "set a = if_not_exists(b, if_not_exists(c, :n)) + if_not_exists(d, :n)",
        "set a = list_append(if_not_exists(a, :list), :list)",
        "set a = (b + c)",
        "set a = ((b.c.d)+(e))",
        "set a = (b) - (:n)",
        "set a[1] = b, a[2].c = d",
    ] {
        assert!(update(&request(), text).is_ok(), "{text}");
    }
    let deep = format!("set a = {}:n{}", "if_not_exists(b,".repeat(220), ")".repeat(220));
    assert!(update(&request(), &deep).is_ok());
}

#[test]
fn written_paths_lie_apart() {
    let overlap = "Two document paths overlap with each other; must remove or rewrite one of these paths; ";
    let conflict = "Two document paths conflict with each other; must remove or rewrite one of these paths; ";
    check_refused(
        &request(),
        &[
            (
                "set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)",
                &format!("{overlap}path one: [c, [1], a], path two: [c]"),
            ),
            ("set #c[3].#d = a, #c[3] = a", &format!("{overlap}path one: [c, [3], [3]], path two: [c, [3]]")),
            ("SET a = :s REMOVE a", &format!("{overlap}path one: [a], path two: [a]")),
            (
                "set #c[3].#d = a, #c.#d[3] = if_not_exists(a)",
                &format!("{conflict}path one: [c, [3], [3]], path two: [c, [3], [3]]"),
            ),
            ("remove a.#c set a[1] = #d", &format!("{conflict}path one: [a, c], path two: [a, [1]]")),
        ],
    );
}

#[test]
fn operands_are_checked_from_the_last_action() {
    check_refused(
        &request(),
        &[
            (
                "SET #e = if_not_exists(:c)",
                "An expression attribute name used in the document path is not defined; attribute name: #e",
            ),
            (
                "SET #a = if_not_exists(:c)",
                "An expression attribute value used in expression is not defined; attribute value: :c",
            ),
            (
                "set b = list_append(:s, a), c = if_not_exists(a) add a.b :s",
                "Incorrect operand type for operator or function; operator: ADD, operand type: STRING, \
                 typeSet: ALLOWED_FOR_ADD_OPERAND",
            ),
            (
                "set a = if_not_exists(c)",
                "Incorrect number of operands for operator or function; operator or function: if_not_exists, \
                 number of operands: 1",
            ),
            (
                "set a = list_append(:list, :list, :list)",
                "Incorrect number of operands for operator or function; operator or function: list_append, \
                 number of operands: 3",
            ),
            (
                "set a = if_not_exists(:s, c)",
                "Operator or function requires a document path; operator or function: if_not_exists",
            ),
            (
                "set a = if_not_exists(if_not_exists(a, b), c)",
                "Operator or function requires a document path; operator or function: if_not_exists",
            ),
        ],
    );
}

#[test]
fn values_have_types_that_the_action_can_use() {
    for value in every_type() {
        let kind = value.attribute_type();
        let request = Request::new().values([(":a", value)]);
        let long = match kind.as_str() {
            "S" => "STRING",
            "N" => "NUMBER",
            "B" => "BINARY",
            "BOOL" => "BOOLEAN",
            "NULL" => "NULL",
            "L" => "LIST",
            _ => "MAP",
        };
        let check = |text: &str, fine: &[&str], expected: String| {
            if fine.contains(&kind.as_str()) {
                assert!(update(&request, text).is_ok(), "{text} {kind}");
            } else {
                check_refused(&request, &[(text, &expected)]);
            }
        };
        let action = |action| {
            format!(
                "Incorrect operand type for operator or function; operator: {action}, operand type: {long}, \
                 typeSet: ALLOWED_FOR_{action}_OPERAND"
            )
        };
        let operator = |operator| {
            format!(
                "Incorrect operand type for operator or function; operator or function: {operator}, \
                 operand type: {kind}"
            )
        };
        check("add a.b :a", &["N", "SS", "NS", "BS"], action("ADD"));
        check("delete a.b :a", &["SS", "NS", "BS"], action("DELETE"));
        check("set a = a + :a", &["N"], operator("+"));
        check("set a = :a - a", &["N"], operator("-"));
        check("set a = list_append(:a, a)", &["L"], operator("list_append"));
        check("set a = list_append(a, :a)", &["L"], operator("list_append"));
        check("set a = if_not_exists(b, :a)", &[kind.as_str()], String::new());
    }
}

#[test]
fn set_writes_values_computed_from_the_item_as_it_was() {
    let old = item([("a", number("3")), ("l", list([number("1")])), ("s", "x".into())]);
    let with = |name: &'static str, value: AttributeValue| {
        let mut map = old.to_map();
        map.insert(name.to_owned(), value);
        Item::from(map)
    };
    check(
        &old,
        &[
            ("SET b = :s", with("b", "s".into())),
            ("SET a = :s", with("a", "s".into())),
            ("SET b = a", with("b", number("3"))),
            ("SET a = a", old.clone()),
            ("SET a = a + :n", with("a", number("4"))),
            ("SET a = :n - a", with("a", number("-2"))),
            ("SET b = a + a", with("b", number("6"))),
            ("SET b = l[0]", with("b", number("1"))),
            ("SET l = list_append(l, :list)", with("l", list([number("1"), "x".into(), "y".into()]))),
            ("SET l = list_append(:list, l)", with("l", list(["x".into(), "y".into(), number("1")]))),
            ("SET b = if_not_exists(b, :n)", with("b", number("1"))),
            ("SET b = if_not_exists(a, :n)", with("b", number("3"))),
            ("SET b = if_not_exists(q, if_not_exists(z, :two)) + :n", with("b", number("3"))),
        ],
    );
    check(
        &old,
        &[
            ("SET s = a, a = s", item([("a", "x".into()), ("l", list([number("1")])), ("s", number("3"))])),
            ("REMOVE a SET b = a", item([("b", number("3")), ("l", list([number("1")])), ("s", "x".into())])),
        ],
    );
}

#[test]
fn lists_are_changed_by_their_original_positions() {
    let numbers = |numbers: &[i64]| AttributeValue::L(numbers.iter().map(|n| (*n).into()).collect());
    let old = item([("a", numbers(&[2, 3, 4, 5, 6, 7]))]);
    let with = |expected: &[i64]| item([("a", numbers(expected))]);
    check(
        &old,
        &[
            ("REMOVE a[1] SET a[3] = :n", with(&[2, 4, 1, 6, 7])),
            ("SET a[3] = :n REMOVE a[1]", with(&[2, 4, 1, 6, 7])),
            ("REMOVE a[0], a[5], a[17]", with(&[3, 4, 5, 6])),
            ("SET a[84] = :n, a[17] = :two", with(&[2, 3, 4, 5, 6, 7, 2, 1])),
            ("REMOVE a[5] SET a[9] = :n", with(&[2, 3, 4, 5, 6, 1])),
            ("ADD a[0] :n, a[7] :two", with(&[3, 3, 4, 5, 6, 7, 2])),
        ],
    );
}

#[test]
fn nested_values_are_changed_in_place() {
    let inner = |y, q: Option<i64>| {
        let mut members = map([("x", map([("y", y)]))]);
        if let (Some(q), AttributeValue::M(members)) = (q, &mut members) {
            members.insert("q".into(), q.into());
        }
        members
    };
    let old = item([(
        "a",
        map([
            ("b", number("3")),
            ("c", list(["hi".into(), inner(list([number("3"), number("5"), number("7")]), Some(2))])),
        ]),
    )]);
    let with_c = |c| item([("a", map([("b", number("3")), ("c", c)]))]);
    check(
        &old,
        &[
            (
                "REMOVE a.c[1].x.y[1], a.c[1].q",
                with_c(list(["hi".into(), inner(list([number("3"), number("7")]), None)])),
            ),
            (
                "SET a.c[1].x.y[1] = :n",
                with_c(list(["hi".into(), inner(list([number("3"), number("1"), number("7")]), Some(2))])),
            ),
            ("SET a.c = :n", with_c(number("1"))),
            (
                "SET a.c = :n, a.#d = :s, a.zz = a.b REMOVE a.b, a.nothing",
                item([("a", map([("[3]", "s".into()), ("c", number("1")), ("zz", number("3"))]))]),
            ),
            ("REMOVE a.b, a.c", item([("a", map([]))])),
        ],
    );
    check(&item([("a", list([number("1")]))]), &[("REMOVE a[0]", item([("a", list([]))]))]);
}

#[test]
fn add_and_delete_work_on_numbers_and_sets() {
    let old = item([
        ("n", number("3")),
        ("strings", AttributeValue::string_set(["b", "c"])),
        ("numbers", AttributeValue::number_set([1, 2])),
        ("binaries", AttributeValue::binary_set([vec![1u8]])),
    ]);
    let with = |name: &str, value: Option<AttributeValue>| {
        let mut map = old.to_map();
        match value {
            Some(value) => map.insert(name.to_owned(), value),
            None => map.remove(name),
        };
        Item::from(map)
    };
    check(
        &old,
        &[
            ("ADD n :two", with("n", Some(number("5")))),
            ("ADD q :two", with("q", Some(number("2")))),
            ("ADD strings :strings", with("strings", Some(AttributeValue::string_set(["a", "b", "c"])))),
            ("ADD q :strings", with("q", Some(AttributeValue::string_set(["a", "b"])))),
            ("ADD numbers :numbers", with("numbers", Some(AttributeValue::number_set([1, 2, 4])))),
            ("DELETE strings :strings", with("strings", Some(AttributeValue::string_set(["c"])))),
            ("DELETE numbers :numbers", with("numbers", Some(AttributeValue::number_set([2])))),
            ("DELETE binaries :binaries", with("binaries", None)),
            ("DELETE q :strings", old.clone()),
        ],
    );
}

#[test]
fn what_an_item_lacks_is_an_error() {
    let old = item([
        ("p", "p".into()),
        ("s", "x".into()),
        ("m", map([("1", "a".into()), ("set", AttributeValue::string_set(["a"]))])),
        ("l", list(["a".into(), "b".into()])),
        ("max", number(&format!("9{}", "0".repeat(125)))),
        ("tiny", number(&format!("0.{}1", "0".repeat(129)))),
    ]);
    let path = "The document path provided in the update expression is invalid for update";
    let missing = "The provided expression refers to an attribute that does not exist in the item";
    let kind = "An operand in the update expression has an incorrect data type";
    for (text, expected) in [
        ("set s.a = :n, #1 = :n", path),
        ("set s[1] = :n", path),
        ("set y.a = :n, #1 = :n", path),
        ("set y[1] = :n", path),
        ("set m[1] = :n", path),
        ("set l.#1 = :n", path),
        ("set l[7].a = :n", path),
        ("remove s.a", path),
        ("remove y.a set #1 = :n", path),
        ("remove l.#1", path),
        ("delete y[1] :strings", path),
        ("add y.a :n", path),
        ("set c = b", missing),
        ("set c = b + :n", missing),
        ("set e = list_append(b, c)", missing),
        ("set c = m.zz", missing),
        ("set e = s + :n", kind),
        ("set e = b + s", kind),
        ("set e = list_append(s, if_not_exists(f, :empty))", kind),
        ("add s :n", kind),
        ("add m :strings", kind),
        ("delete m.#1 :strings", kind),
        ("delete m.#c :strings, s :strings", kind),
        ("set a = m.#1 + :n, b.c = :n", kind),
    ] {
        assert_eq!(applied(&old, text), Err(expected.to_owned()), "{text}");
    }
    for text in ["remove m.y", "remove l[7]", "remove c", "delete m.y :strings"] {
        assert_eq!(applied(&old, text).as_ref(), Ok(&old), "{text}");
    }
    let huge = "Number overflow. Attempting to store a number with magnitude larger than supported range";
    let request = Request::new().names(&[("#m", "max")]);
    let sum = update(&request, "set s = #m + #m").unwrap().apply(Some(&old), &key());
    assert_eq!(sum.unwrap_err().to_string(), huge);
}

#[test]
fn an_item_that_does_not_exist_starts_with_its_key() {
    let apply = |text| {
        let update = update(&request(), text).unwrap();
        (update.apply(None, &key()).map_err(|error| error.to_string()), update.creates_item())
    };
    assert_eq!(
        apply("set b = if_not_exists(b, p)"),
        (Ok(item([("b", "p".into()), ("p", "p".into())])), true)
    );
    assert_eq!(apply("remove b"), (Ok(key()), false));
    assert_eq!(apply("remove x.y, z[0]"), (Ok(key()), false));
    assert_eq!(apply("delete b :strings"), (Ok(key()), false));
    let path = "The document path provided in the update expression is invalid for update";
    assert_eq!(apply("set c.c = :n").0, Err(path.to_owned()));
    assert_eq!(apply("add c.c :n").0, Err(path.to_owned()));
}

#[test]
fn written_values_are_found_in_old_and_new_items() {
    let key = || AttributeValue::from("k");
    let old = item([
        ("a", key()),
        ("b", map([("a", number("1")), ("b", number("2")), ("c", number("3"))])),
        ("c", list([number("1"), number("3")])),
    ]);
    let request = Request::new().values([(":a", number("2")), (":b", AttributeValue::string_set(["a"]))]);
    let text = "set b.c=((c[1])+(b.a)),b.a = a,c[1] = a, c[4] = b.a - b.b, c[2] = b.c add c[8] :b, c[6] :a";
    let update = update(&request, text).unwrap();
    let new = update.apply(Some(&old), &item([("a", key())])).unwrap();
    let set = AttributeValue::string_set(["a"]);
    let elements = [number("1"), key(), number("3"), number("-1"), number("2"), set];
    let expected = item([
        ("a", key()),
        ("b", map([("a", key()), ("b", number("2")), ("c", number("4"))])),
        ("c", list(elements)),
    ]);
    assert_eq!(new, expected);
    assert_eq!(
        update.projection().apply(&new),
        item([
            ("b", map([("a", key()), ("c", number("4"))])),
            ("c", list([key(), number("3"), number("2")])),
        ])
    );
    assert_eq!(
        update.projection().apply(&old),
        item([("b", map([("a", number("1")), ("c", number("3"))])), ("c", list([number("3")]))])
    );
    assert_eq!((update.writing_actions(), update.clearing_actions()), (7, 0));
}
