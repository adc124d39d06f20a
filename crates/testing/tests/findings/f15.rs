// F-15: a range over a number without a fixed width in the key lost items: `SK = "D#{n}"` with `where n in 5..20` missed 10.

use serde_json::json;
use sortkey_design::{NoFiles, compile};
use sortkey_plan::read;

use crate::support::{DEFAULTS, Database};

fn documents(piece: &str, ty: &str, asks: &str) -> String {
    format!(
        r#"design f15
        {DEFAULTS}
        table Docs "docs" {{ key (PK | SK) }}
        entity Doc in Docs {{ PK = "O#{{org}}"  SK = "D#{{{piece}}}"  org slug  n {ty} }}
        pattern docs{asks}
        operation newDoc = create Doc"#
    )
}

const RANGE: &str = "(a: int, b: int) = list Doc by org where n in a..b page 50";

/// Whether the compiler finds a path for the pattern.
fn is_served(text: &str) -> bool {
    let compilation = compile("t.sk", text, &NoFiles);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    let docs = compilation.program.patterns.entries().find(|(_, each)| &*each.name == "docs");
    let choice = docs.and_then(|(id, _)| read(&compilation.program, id));
    choice.expect("a pattern of an entity").plan.is_some()
}

#[test]
fn what_loses_its_order_serves_no_range_and_no_order() {
    let orders = [
        RANGE,
        "(a: int) = list Doc by org where n >= a page 50",
        "(a: int) = list Doc by org where n < a page 50",
        " = list Doc by org order by n asc page 50",
        " = list Doc by org order by n desc page 50",
    ];
    for (piece, ty, is_kept) in [
        ("n", "int(0..)", false),
        ("n", "int(0..20)", false),
        ("n", "int(10..99)", true),
        ("n:pad(2)", "int(0..500)", false),
        ("n:pad(3)", "int(0..500)", true),
        ("n:pad(4)", "int(0..)", false),
        ("n:pad(4)", "int(-500..500)", false),
        ("n:pad(9)", "int", false),
        ("n", "decimal(6, 2)", false),
    ] {
        for order in orders {
            let text = documents(piece, ty, order);
            assert_eq!(is_served(&text), is_kept, "{{{piece}}} {ty} {order}");
        }
        // Without an order or a range, the key may be anything.
        assert!(is_served(&documents(piece, ty, " = list Doc by org page 50")), "{piece} {ty}");
    }
}

#[test]
fn text_and_times_that_are_changed_on_their_way_into_the_key() {
    for (piece, ty, asks, is_kept) in [
        ("n:date", "time(ms)", " = list Doc by org newest first page 50", false),
        ("n:date", "time(ms)", "(a: time, b: time) = list Doc by org where n in a..b page 50", true),
        ("n:iso", "time(ms)", " = list Doc by org newest first page 50", true),
        ("n:escape", "string(1..40)", " = list Doc by org order by n asc page 50", false),
        ("n:lower", "string(1..40)", " = list Doc by org order by n asc page 50", false),
        ("n:escape", "string(1..40)", "(p: string) = list Doc by org where n starts with p page 50", true),
    ] {
        assert_eq!(is_served(&documents(piece, ty, asks)), is_kept, "{{{piece}}} {ty} {asks}");
    }
}

#[test]
fn what_is_served_finds_every_item() {
    let app = Database::new().up(&documents("n:pad(3)", "int(0..500)", RANGE));
    for n in [2, 10, 99, 150, 500] {
        app.call("newDoc", json!({ "org": "x", "n": n }));
    }
    let found = app.call("docs", json!({ "org": "x", "a": 5, "b": 200 }));
    let found: Vec<_> = found.as_array().expect("a list").iter().map(|each| each["n"].clone()).collect();
    assert_eq!(found, [10, 99, 150]);
    // A beginning is escaped as the text itself is.
    let prefix = "(p: string) = list Doc by org where n starts with p page 50";
    let app = Database::new().up(&documents("n:escape", "string(1..40)", prefix));
    app.call("newDoc", json!({ "org": "x", "n": "50%#1" }));
    assert_eq!(app.call("docs", json!({ "org": "x", "p": "50%#" })).as_array().map(Vec::len), Some(1));
}

// F-15, found again: bounds outside of the type were compared as text, so that 5..2000 of three digits found 10 alone.
#[test]
fn bounds_outside_of_the_type_lose_nothing() {
    let lists = |app: &crate::support::App, name: &str, arguments: serde_json::Value| -> Vec<i64> {
        let found = app.call(name, arguments);
        found.as_array().expect("a list").iter().filter_map(|each| each["n"].as_i64()).collect()
    };
    for (piece, ty, all) in
        [("n:pad(3)", "int(0..999)", [0, 10, 999]), ("n", "int(100..999)", [100, 200, 999])]
    {
        let asks = "(a?: decimal(9, 3), b?: decimal(9, 3)) = list Doc by org where n in a..b page 50\n\
                    pattern above(a: int) = list Doc by org where n > a page 50\n\
                    pattern below(a: int) = list Doc by org where n < a page 50";
        let app = Database::new().up(&documents(piece, ty, asks));
        for n in all {
            app.call("newDoc", json!({ "org": "x", "n": n }));
        }
        for low in [
            json!(-5),
            json!(-0.5),
            json!(0),
            json!(99.5),
            json!(100.5),
            json!(999.5),
            json!(5000),
            json!(null),
        ] {
            for high in [json!(-1), json!(0.5), json!(150), json!(998.5), json!(2000), json!(null)] {
                let within = |n: &i64| {
                    #[allow(clippy::cast_precision_loss)]
                    let n = *n as f64;
                    low.as_f64().is_none_or(|low| n >= low) && high.as_f64().is_none_or(|high| n <= high)
                };
                let expected: Vec<i64> = all.into_iter().filter(within).collect();
                let mut arguments = json!({ "org": "x" });
                for (name, bound) in [("a", &low), ("b", &high)] {
                    if !bound.is_null() {
                        arguments[name] = bound.clone();
                    }
                }
                let found = lists(&app, "docs", arguments);
                assert_eq!(found, expected, "{piece} {low}..{high}");
            }
        }
        for bound in [-20, 20, 100, 5000] {
            let above: Vec<i64> = all.into_iter().filter(|n| *n > bound).collect();
            assert_eq!(lists(&app, "above", json!({ "org": "x", "a": bound })), above, "{piece} > {bound}");
            let below: Vec<i64> = all.into_iter().filter(|n| *n < bound).collect();
            assert_eq!(lists(&app, "below", json!({ "org": "x", "a": bound })), below, "{piece} < {bound}");
        }
    }
}

// F-15, found again: times before 2001 have fewer digits, and times before 1970 a sign.
#[test]
fn times_sort_in_keys_or_are_refused() {
    let asks = "(a?: time, b?: time) = list Doc by org where n in a..b oldest first page 50";
    let second: i64 = 1_000_000_000;
    for (piece, ty, unit, outside) in [
        ("n:s", "time(s)", 1, [-1, 10 * second]),
        ("n", "time(s)", 1, [-1, 10 * second]),
        ("n", "time(ms)", 1_000, [-1, 10_000 * second]),
        ("n:iso", "time(ms)", 1_000, [-62_167_219_200_001, 253_402_300_800_000]),
    ] {
        let app = Database::new().up(&documents(piece, ty, asks));
        let times: Vec<i64> = [5, 900_000_000, second, 1_700_000_000].map(|each| each * unit).to_vec();
        for n in times.iter().rev() {
            app.call("newDoc", json!({ "org": "x", "n": n }));
        }
        let found = app.call("docs", json!({ "org": "x" }));
        let found: Vec<i64> =
            found.as_array().expect("a list").iter().filter_map(|each| each["n"].as_i64()).collect();
        assert_eq!(found, times, "{piece} {ty}");
        for n in outside {
            let failed = app.fails("newDoc", json!({ "org": "x", "n": n }));
            assert!(failed.to_string().contains("in a key"), "{piece} {ty} {n}: {failed}");
        }
    }
}

// F-15, found again: a character that sorts before the delimiter moves what it continues.
#[test]
fn what_may_continue_a_piece_decides_its_order() {
    for (delimiter, ty, is_kept) in [
        ("#", "slug", true),
        ("|", "slug", false),
        ("_", "matching(\"[a-z ]+\")", false),
        ("_", "matching(\"[a-zA-Z]+\")", false),
        ("_", "matching(\"[a-z]+\")", true),
        ("_", "uuid", true),
    ] {
        for asks in
            [" = list Doc by org order by n asc page 50", "(a: string) = list Doc by org where n > a page 50"]
        {
            let text = documents("n", ty, asks).replace("{n}", &format!("{{n}}{delimiter}{{m}}"));
            let text = text.replace("org slug", "org slug  m slug");
            assert_eq!(is_served(&text), is_kept, "{{n}}{delimiter}{{m}} {ty} {asks}");
        }
    }
}
