//! Transforms: what each step does, what cannot be read, and what would be too much.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use sortkey_functions::Headers;
use sortkey_functions::pointer::PointerError;
use sortkey_functions::transform::{ApplyProblem, Transform, TransformProblem, Transformed};

fn apply(steps: &Value, body: &Value) -> Result<Transformed, (String, ApplyProblem)> {
    let transform = Transform::read(steps).expect("a transform");
    let headers = [("X-Shop", "berlin"), ("x-tag", "a"), ("X-Tag", "b"), ("X-Bad", "ü\ttab")];
    let outcome = transform.apply(body.to_string().as_bytes(), Headers::new(&headers));
    outcome.map_err(|error| (error.place.pointer().to_owned(), error.problem))
}

fn changed(steps: &Value, body: &Value) -> Value {
    let made = apply(steps, body).expect("applied");
    serde_json::from_slice(&made.body).expect("JSON")
}

#[test]
fn steps_do_what_they_say() {
    let body = json!({"a": 1, "b": {"c": [1, 2, 3]}, "s": "text", "n": null});
    for (step, expected) in [
        (
            json!({"op": "set", "path": "/a", "value": {"x": 1}}),
            json!({"a": {"x": 1}, "b": {"c": [1, 2, 3]}, "s": "text", "n": null}),
        ),
        (json!({"op": "set", "path": "", "value": 5}), json!(5)),
        (
            json!({"op": "set", "path": "/new/deep", "value": 1}),
            json!({"a": 1, "b": {"c": [1, 2, 3]}, "s": "text", "n": null, "new": {"deep": 1}}),
        ),
        (
            json!({"op": "set", "path": "/b/c/0", "value": 9}),
            json!({"a": 1, "b": {"c": [9, 2, 3]}, "s": "text", "n": null}),
        ),
        (
            json!({"op": "set", "path": "/b/c/3", "value": 9}),
            json!({"a": 1, "b": {"c": [1, 2, 3, 9]}, "s": "text", "n": null}),
        ),
        (
            json!({"op": "set", "path": "/b/c/-", "value": 9}),
            json!({"a": 1, "b": {"c": [1, 2, 3, 9]}, "s": "text", "n": null}),
        ),
        (
            json!({"op": "copy", "from": "/b/c/1", "to": "/a"}),
            json!({"a": 2, "b": {"c": [1, 2, 3]}, "s": "text", "n": null}),
        ),
        (
            json!({"op": "copy", "from": "/b/c", "to": "/b/c/0"}),
            json!({"a": 1, "b": {"c": [[1, 2, 3], 2, 3]}, "s": "text", "n": null}),
        ),
        (json!({"op": "copy", "from": "/missing", "to": "/a"}), body.clone()),
        (json!({"op": "copy", "from": "/b", "to": ""}), json!({"c": [1, 2, 3]})),
        (
            json!({"op": "move", "from": "/b/c", "to": "/a"}),
            json!({"a": [1, 2, 3], "b": {}, "s": "text", "n": null}),
        ),
        (
            json!({"op": "move", "from": "/b/c/0", "to": "/b/c/-"}),
            json!({"a": 1, "b": {"c": [2, 3, 1]}, "s": "text", "n": null}),
        ),
        (
            json!({"op": "move", "from": "/b/c", "to": "/b"}),
            json!({"a": 1, "b": [1, 2, 3], "s": "text", "n": null}),
        ),
        (json!({"op": "move", "from": "/missing", "to": "/a"}), body.clone()),
        (json!({"op": "move", "from": "/a", "to": "/a"}), body.clone()),
        (
            json!({"op": "remove", "path": "/b/c/1"}),
            json!({"a": 1, "b": {"c": [1, 3]}, "s": "text", "n": null}),
        ),
        (json!({"op": "remove", "path": "/n"}), json!({"a": 1, "b": {"c": [1, 2, 3]}, "s": "text"})),
        (json!({"op": "remove", "path": "/s/x"}), body.clone()),
        (json!({"op": "remove", "path": "/b/c/3"}), body.clone()),
        (json!({"op": "remove", "path": ""}), json!(null)),
        (
            json!({"op": "rename", "path": "/a", "to": "z"}),
            json!({"z": 1, "b": {"c": [1, 2, 3]}, "s": "text", "n": null}),
        ),
        (json!({"op": "rename", "path": "/a", "to": "s"}), json!({"s": 1, "b": {"c": [1, 2, 3]}, "n": null})),
        (
            json!({"op": "rename", "path": "/b/c", "to": "a/b"}),
            json!({"a": 1, "b": {"a/b": [1, 2, 3]}, "s": "text", "n": null}),
        ),
        (json!({"op": "rename", "path": "/b/c/0", "to": "1"}), body.clone()),
        (json!({"op": "rename", "path": "/missing", "to": "z"}), body.clone()),
        (json!({"op": "rename", "path": "/a", "to": "a"}), body.clone()),
        (json!({"op": "wrap", "path": "", "key": "data"}), json!({"data": body})),
        (
            json!({"op": "wrap", "path": "/b/c/0", "key": "v"}),
            json!({"a": 1, "b": {"c": [{"v": 1}, 2, 3]}, "s": "text", "n": null}),
        ),
        (json!({"op": "wrap", "path": "/missing", "key": "v"}), body.clone()),
        (
            json!({"op": "map", "path": "/s", "values": {"text": "TEXT"}}),
            json!({"a": 1, "b": {"c": [1, 2, 3]}, "s": "TEXT", "n": null}),
        ),
        (
            json!({"op": "map", "path": "/a", "values": {"1": {"one": true}}}),
            json!({"a": {"one": true}, "b": {"c": [1, 2, 3]}, "s": "text", "n": null}),
        ),
        (
            json!({"op": "map", "path": "/n", "values": {"null": 0}}),
            json!({"a": 1, "b": {"c": [1, 2, 3]}, "s": "text", "n": 0}),
        ),
        (json!({"op": "map", "path": "/s", "values": {"other": 1}}), body.clone()),
        (
            json!({"op": "map", "path": "/s", "values": {}, "default": null}),
            json!({"a": 1, "b": {"c": [1, 2, 3]}, "s": null, "n": null}),
        ),
        (json!({"op": "map", "path": "/b", "values": {}, "default": 0}), body.clone()),
        (json!({"op": "map", "path": "/missing", "values": {}, "default": 0}), body.clone()),
        (
            json!({"op": "map", "path": "/b/c", "each": [{"op": "wrap", "path": "", "key": "n"}]}),
            json!({"a": 1, "b": {"c": [{"n": 1}, {"n": 2}, {"n": 3}]}, "s": "text", "n": null}),
        ),
        (json!({"op": "map", "path": "/b", "each": [{"op": "set", "path": "", "value": 0}]}), body.clone()),
    ] {
        assert_eq!(changed(&json!([step]), &body), expected, "{step}");
    }
}

#[test]
fn later_steps_see_what_earlier_ones_made() {
    let body = json!({"type": "invoice.paid", "data": {"object": {"number": "A-1", "lines": [{"sku": "x", "internal": 1}, {"sku": "y"}]}}});
    let steps = json!([
        {"op": "move", "from": "/data/object", "to": "/invoice"},
        {"op": "remove", "path": "/data"},
        {"op": "map", "path": "/invoice/lines", "each": [
            {"op": "remove", "path": "/internal"},
            {"op": "rename", "path": "/sku", "to": "article"},
            {"op": "template", "path": "/label", "template": "#{/article}"},
        ]},
        {"op": "template", "path": "/text", "template": "{/invoice/number}: {/type}"},
    ]);
    assert_eq!(
        changed(&steps, &body),
        json!({
            "type": "invoice.paid", "text": "A-1: invoice.paid",
            "invoice": {"number": "A-1", "lines": [{"article": "x", "label": "#x"}, {"article": "y", "label": "#y"}]},
        })
    );
}

#[test]
fn templates_write_values() {
    let body = json!({"s": "text", "n": 1.5, "t": true, "z": null, "o": {"a": [1]}, "}": 1});
    for (template, expected) in [
        ("", ""),
        ("plain", "plain"),
        ("{/s}-{/n}-{/t}-{/z}-{/missing}.", "text-1.5-true--."),
        ("{/o}", r#"{"a":[1]}"#),
        ("{/o/a/0}", "1"),
        ("{{{/s}}}", "{text}"),
        ("{{}}", "{}"),
        ("{header:x-shop}/{header:X-TAG}/{header:None}", "berlin/a, b/"),
        ("ü{/s}ü", "ütextü"),
    ] {
        let steps = json!([{"op": "template", "path": "", "template": template}]);
        assert_eq!(changed(&steps, &body), json!(expected), "{template}");
    }
}

#[test]
fn headers_change_without_the_body() {
    let steps = json!([
        {"op": "header", "name": "X-A", "template": "{header:x-shop}"},
        {"op": "header", "name": "X-B", "remove": true},
        {"op": "header", "name": "x-a", "template": "2"},
        {"op": "header", "name": "X-C", "template": "{header:x-bad}"},
    ]);
    let transform = Transform::read(&steps).expect("a transform");
    let shop = [("x-shop", "berlin"), ("x-bad", "ü\r\nSet-Cookie: a\u{7f}")];
    let made = transform.apply(b"not { json", Headers::new(&shop)).expect("applied");
    assert_eq!(made.body, b"not { json");
    let header = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
    assert_eq!(
        made.headers,
        [header("X-B", None), header("x-a", Some("2")), header("X-C", Some("%C3%BC%0D%0ASet-Cookie: a%7F"))]
    );
    let needs = json!([{"op": "header", "name": "X-A", "template": "{/type}"}]);
    let needs = Transform::read(&needs).expect("a transform");
    let spaced = br#"{ "type" : "a" }"#;
    let made = needs.apply(spaced, Headers::default()).expect("applied");
    assert_eq!((made.body.as_slice(), made.headers), (&spaced[..], vec![header("X-A", Some("a"))]));
    let error = needs.apply(b"x", Headers::default()).expect_err("not JSON");
    assert_eq!(error.problem, ApplyProblem::NotJson);
}

#[test]
fn places_that_cannot_be_written_are_errors() {
    let body = json!({"s": "text", "l": [1], "n": null});
    for path in ["/s/x", "/n/x", "/l/2", "/l/x", "/l/-/x", "/l/01", "/l/0/x", "/l/9/x"] {
        let steps =
            json!([{"op": "set", "path": "/ok", "value": 1}, {"op": "set", "path": path, "value": 1}]);
        assert_eq!(apply(&steps, &body), Err(("/1".to_owned(), ApplyProblem::NoPlace)), "{path}");
    }
    let inside = json!([{"op": "map", "path": "/l", "each": [{"op": "set", "path": "/a", "value": 1}]}]);
    assert_eq!(apply(&inside, &body), Err(("/0/each/0".to_owned(), ApplyProblem::NoPlace)));
}

#[test]
fn mistakes_name_their_place() {
    use TransformProblem as P;
    let refused = |steps: &Value| {
        let error = Transform::read(steps).expect_err("a mistake");
        (error.place.pointer().to_owned(), error.problem)
    };
    let deep = (0..5).fold(json!([]), |inner, _| json!([{"op": "map", "path": "", "each": inner}]));
    for (steps, place, problem) in [
        (json!({}), "", P::List),
        (json!([1]), "/0", P::Shape),
        (json!([{}]), "/0/op", P::Operation),
        (json!([{"op": "add"}]), "/0/op", P::Operation),
        (json!([{"op": "set", "path": "/a"}]), "/0", P::Missing("value")),
        (json!([{"op": "set", "value": 1}]), "/0", P::Missing("path")),
        (json!([{"op": "set", "path": 1, "value": 1}]), "/0/path", P::Type("a text")),
        (json!([{"op": "set", "path": "a", "value": 1}]), "/0/path", P::Path(PointerError::NoSlash)),
        (json!([{"op": "set", "path": "/a", "value": 1, "x": 1}]), "/0", P::UnknownField("x".to_owned())),
        (json!([{"op": "move", "from": "/a", "to": "/a/b"}]), "/0/to", P::IntoItself),
        (json!([{"op": "move", "from": "", "to": "/a"}]), "/0/to", P::IntoItself),
        (json!([{"op": "rename", "path": "", "to": "a"}]), "/0/path", P::Root),
        (json!([{"op": "map", "path": ""}]), "/0", P::Map),
        (json!([{"op": "map", "path": "", "each": [], "values": {}}]), "/0", P::Map),
        (json!([{"op": "map", "path": "", "each": [], "default": 1}]), "/0", P::Map),
        (json!([{"op": "map", "path": "", "values": 1}]), "/0/values", P::Type("an object")),
        (
            json!([{"op": "map", "path": "", "each": [{"op": "wrap", "path": ""}]}]),
            "/0/each/0",
            P::Missing("key"),
        ),
        (
            json!([{"op": "map", "path": "", "each": [{"op": "header", "name": "a"}]}]),
            "/0/each/0",
            P::HeaderInEach,
        ),
        (json!([{"op": "template", "path": "", "template": "{/a"}]), "/0/template", P::Template),
        (json!([{"op": "template", "path": "", "template": "a}"}]), "/0/template", P::Template),
        (json!([{"op": "template", "path": "", "template": "{header:a b}"}]), "/0/template", P::Template),
        (
            json!([{"op": "template", "path": "", "template": "{a}"}]),
            "/0/template",
            P::Path(PointerError::NoSlash),
        ),
        (json!([{"op": "template", "path": "", "template": "{/a}".repeat(65)}]), "/0/template", P::Template),
        (json!([{"op": "header", "name": "a:b", "template": ""}]), "/0/name", P::HeaderName),
        (json!([{"op": "header", "name": "Content-LENGTH", "template": "1"}]), "/0/name", P::HeaderReserved),
        (
            json!([{"op": "header", "name": "webhook-signature", "template": "1"}]),
            "/0/name",
            P::HeaderReserved,
        ),
        (
            json!([{"op": "header", "name": "Proxy-Authorization", "template": "1"}]),
            "/0/name",
            P::HeaderReserved,
        ),
        (json!([{"op": "header", "name": "a"}]), "/0", P::HeaderValue),
        (json!([{"op": "header", "name": "a", "remove": false}]), "/0", P::HeaderValue),
        (json!(vec![json!({"op": "remove", "path": "/a"}); 101]), "/100", P::TooManySteps),
        (deep, "/0/each/0/each/0/each/0/each/0/each", P::TooDeep),
        (json!([{"op": "set", "path": "", "value": "x".repeat(65_536)}]), "", P::TooLarge),
    ] {
        assert_eq!(refused(&steps), (place.to_owned(), problem), "{steps}");
    }
    assert_eq!(Transform::parse("[}").expect_err("not JSON").problem, P::NotJson { line: 1, column: 2 });
}

/// An attack on the size: each must end with the error, soon.
fn check_attack(steps: &Value, body: &Value, expected: ApplyProblem) {
    let begin = Instant::now();
    let outcome = apply(steps, body).map(|made| made.body.len()).map_err(|(_, problem)| problem);
    assert_eq!(outcome, Err(expected));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn attacks_on_size_depth_and_work_end_soon() {
    let double = json!({"op": "copy", "from": "", "to": "/a"});
    let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
    check_attack(&json!(vec![double; 100]), &json!({ "b": deep }), ApplyProblem::TooDeep);
    let twice = json!([{"op": "copy", "from": "/a", "to": "/a/-"}]);
    let twice: Vec<Value> = std::iter::repeat_n(twice[0].clone(), 100).collect();
    check_attack(&json!(twice), &json!({"a": ["x".repeat(1000)]}), ApplyProblem::TooLarge);
    let wrap =
        json!([{"op": "map", "path": "", "each": vec![json!({"op": "wrap", "path": "", "key": "k"}); 99]}]);
    check_attack(&wrap, &json!([deep]), ApplyProblem::TooDeep);
    let long = json!([{"op": "template", "path": "/t", "template": "{/s}".repeat(64)}]);
    check_attack(&long, &json!({"s": "x".repeat(10_000)}), ApplyProblem::TooLarge);
    let output = json!([{"op": "set", "path": "/x", "value": 1}]);
    check_attack(&output, &json!({"s": "x".repeat(256 * 1024)}), ApplyProblem::TooLarge);
    check_attack(&output, &json!({"s": "x".repeat(1024 * 1024)}), ApplyProblem::InputTooLarge);
    // Ninety-nine steps for each of a hundred thousand elements.
    let busy = json!([{"op": "map", "path": "", "each": vec![json!({"op": "remove", "path": "/a"}); 99]}]);
    check_attack(&busy, &json!(vec![1; 100_000]), ApplyProblem::TooMuchWork);
    let front = json!(vec![json!({"op": "remove", "path": "/0"}); 100]);
    check_attack(&front, &json!(vec![1; 100_000]), ApplyProblem::TooMuchWork);
    let header = json!([{"op": "header", "name": "a", "template": "{/s}"}]);
    check_attack(&header, &json!({"s": "x".repeat(4097)}), ApplyProblem::HeaderTooLong);
    check_attack(&header, &json!({"s": "ü".repeat(1000)}), ApplyProblem::HeaderTooLong);
    let measured = json!(vec![json!({"op": "template", "path": "/t", "template": "{/l}"}); 100]);
    check_attack(&measured, &json!({"l": vec![1; 100_000]}), ApplyProblem::TooMuchWork);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..3).prop_map(Value::from),
        "[a-c\"\n]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-c]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn path() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(vec!["a", "b", "c", "0", "1", "-"]), 0..4)
        .prop_map(|names| names.iter().map(|name| format!("/{name}")).collect())
}

proptest! {
    /// `copy` and `remove` do what `move` does, `set` and `find` agree, and `wrap` is undone by `move`.
    #[test]
    fn steps_agree_with_each_other(body in value(), from in path(), to in path()) {
        let run = |steps: Value| {
            Transform::read(&steps).ok().map(|transform| {
                let made = transform.apply(body.to_string().as_bytes(), Headers::default());
                made.map(|made| serde_json::from_slice::<Value>(&made.body).expect("JSON")).map_err(|error| error.problem)
            })
        };
        let copied = run(json!([{"op": "copy", "from": from, "to": to}])).expect("a transform");
        match (body.pointer(&from), &copied) {
            (None, unchanged) => prop_assert_eq!(unchanged, &Ok(body.clone())),
            (Some(value), Ok(copied)) if !to.ends_with('-') => prop_assert_eq!(copied.pointer(&to), Some(value)),
            _ => {}
        }
        let set = run(json!([{"op": "set", "path": to, "value": {"new": 1}}])).expect("a transform");
        if let Ok(set) = set && !to.ends_with('-') {
            prop_assert_eq!(set.pointer(&to), Some(&json!({"new": 1})));
        }
        let wrapped = run(json!([
            {"op": "wrap", "path": from, "key": "k"},
            {"op": "copy", "from": format!("{from}/k"), "to": from},
        ])).expect("a transform");
        prop_assert_eq!(wrapped, Ok(body.clone()));
    }
}
