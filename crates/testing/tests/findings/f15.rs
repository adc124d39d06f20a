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
