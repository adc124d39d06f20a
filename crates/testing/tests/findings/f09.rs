// F-09: the same `Idempotency-Key` of two tenants was one call to a `system` operation, and the second one's event was lost.

use serde_json::json;
use sortkey_design::{NoFiles, compile};

use crate::support::{DEFAULTS, Database};

fn events(by: &str) -> String {
    format!(
        r#"design f09
        {DEFAULTS}
        table Events "events" {{ key (sourceId | eventId) }}
        entity Event in Events {{ sourceId slug  eventId ulid = new  body string(1..99) }}
        system operation ingest(sourceId, body, n?: int) idempotent by {by} {{ let e = create Event {{ sourceId, body }}  return e }}
        system pattern events = list Event by sourceId page 10"#
    )
}

#[test]
fn the_word_of_another_sender_is_another_call() {
    let app = Database::new().up(&events("sourceId, requestId for 2h"));
    let ingest = |source: &str, body: &str, word: &str| {
        app.try_call("ingest", json!({ "sourceId": source, "body": body, "requestId": word }))
    };
    let first = ingest("a", "one", "evt-1").expect("taken");
    let other = ingest("b", "two", "evt-1").expect("taken");
    assert_ne!(first["eventId"], other["eventId"]);
    assert_eq!(ingest("a", "one", "evt-1"), Ok(first));
    assert_eq!(ingest("b", "two", "evt-1"), Ok(other));
    assert_eq!(ingest("a", "other", "evt-1").expect_err("refused").kind.name(), "Invalid");
    // No two of scope and word are taken for two others.
    ingest("a-b", "x", "c").expect("taken");
    ingest("a", "y", "b-c").expect("taken");
    for (source, count) in [("a", 2), ("b", 1), ("a-b", 1)] {
        let found = app.call("events", json!({ "sourceId": source }));
        assert_eq!(found.as_array().map(Vec::len), Some(count), "{source}");
    }
}

#[test]
fn a_scope_is_a_parameter_that_is_always_given() {
    let own = "`requestId` is what differs from call to call, and cannot be its own scope";
    for (by, expected) in [
        ("sourceID, requestId", vec!["there is no parameter called `sourceID`"]),
        ("n, requestId", vec!["`n` may be left out, and a receipt without it would be everybody's"]),
        ("requestId, requestId", vec![own, "`requestId` is written twice"]),
    ] {
        let found = compile("t.sk", &events(by), &NoFiles).diagnostics;
        let titles: Vec<&str> = found.iter().map(|each| each.title.as_str()).collect();
        assert_eq!(titles, expected, "{by}");
    }
}
