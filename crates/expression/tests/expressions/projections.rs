//! Projections that are refused, and the results of the others.

use sortkey_expression::{Projection, parse_projection};

use crate::support::{Request, item, list, map, number};

fn projection(request: &Request, text: &str) -> Result<Projection, String> {
    let parsed = parse_projection(text).map_err(|error| error.to_string())?;
    parsed.bind(&mut request.placeholders()).map_err(|error| error.to_string())
}

fn check_refused(request: &Request, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let error = projection(request, text).expect_err(text);
        assert_eq!(error, format!("Invalid ProjectionExpression: {expected}"), "{text}");
    }
}

#[test]
fn only_paths_can_be_projected() {
    check_refused(
        &Request::new(),
        &[
            ("", "The expression can not be empty;"),
            ("!!!", "Syntax error; token: \"!\", near: \"!!\""),
            ("!!! INVALID !!!", "Syntax error; token: \"!\", near: \"!!\""),
            ("whatever(stuff)", "Syntax error; token: \"(\", near: \"whatever(stuff\""),
            (":a", "Syntax error; token: \":a\", near: \":a\""),
            ("abort,", "Syntax error; token: \"<EOF>\", near: \",\""),
            ("a,,b", "Syntax error; token: \",\", near: \",,b\""),
            ("a[b]", "Syntax error; token: \"b\", near: \"[b]\""),
            ("(a)", "Syntax error; token: \"(\", near: \"(a\""),
            ("a-b", "Syntax error; token: \"-\", near: \"a-b\""),
            ("a.abORt", "Attribute name is a reserved keyword; reserved keyword: abORt"),
            (
                "a,b,a,#a",
                "An expression attribute name used in the document path is not defined; attribute name: #a",
            ),
        ],
    );
    assert!(projection(&Request::new(), &"x".repeat(4096)).is_ok());
}

#[test]
fn paths_lie_apart() {
    let request = Request::new().names(&[("#a", "a"), ("#b", "[3]")]);
    let overlap = "Two document paths overlap with each other; must remove or rewrite one of these paths; ";
    let conflict = "Two document paths conflict with each other; must remove or rewrite one of these paths; ";
    check_refused(
        &request,
        &[
            ("b[1], b.a, #a.b, a", &format!("{overlap}path one: [a, b], path two: [a]")),
            ("a, #a[1]", &format!("{overlap}path one: [a], path two: [a, [1]]")),
            ("a.b[0],a.b[0]", &format!("{overlap}path one: [a, b, [0]], path two: [a, b, [0]]")),
            ("a.b, #a[1], #b", &format!("{conflict}path one: [a, b], path two: [a, [1]]")),
            ("a[3].b, #a.#b.b", &format!("{conflict}path one: [a, [3], b], path two: [a, [3], b]")),
        ],
    );
    for text in ["a, b", "a.b, a.c", "a[1], a[2]", "a.b, a.c[2]", "a.b.d, a.b.e"] {
        assert!(projection(&Request::new(), text).is_ok(), "{text}");
    }
}

#[test]
fn parts_stay_where_they_are() {
    let inner = map([("x", "hi".into()), ("y", "yo".into())]);
    let elements = list([number("2"), number("4"), inner.clone()]);
    let document = map([("b", elements.clone()), ("c", number("5"))]);
    let whole = item([("p", "p".into()), ("a", document.clone()), ("b", "hello".into())]);
    let just = |elements| item([("a", map([("b", elements)]))]);
    for (text, expected) in [
        ("a", item([("a", document)])),
        ("a.b", just(elements)),
        ("a.b[0]", just(list([number("2")]))),
        ("a.b[2]", just(list([inner]))),
        ("a.b[2].y", just(list([map([("y", "yo".into())])]))),
        ("a.b[1], a.b[0]", just(list([number("2"), number("4")]))),
        ("a.c, b", item([("a", map([("c", number("5"))])), ("b", "hello".into())])),
        ("b, p, x", item([("b", "hello".into()), ("p", "p".into())])),
        ("a.x, a.b[0], x, a.b[3].x", just(list([number("2")]))),
    ] {
        assert_eq!(projection(&Request::new(), text).unwrap().apply(&whole), expected, "{text}");
    }
    for text in ["x", "a.b[3]", "a.x", "a.x.y", "a.b[3].x", "a.b.x", "a[0]", "a.b[0].x", "a.b[0][0]"] {
        let nothing = projection(&Request::new(), text).unwrap().apply(&whole);
        assert!(nothing.is_empty(), "{text}");
    }
}

#[test]
fn a_placeholder_is_one_name() {
    let request = Request::new().names(&[("#name", "a.b")]);
    let whole = item([("a.b", "hi".into()), ("a", map([("b", "yo".into())]))]);
    let kept = projection(&request, "#name").unwrap().apply(&whole);
    assert_eq!(kept, item([("a.b", "hi".into())]));
}
