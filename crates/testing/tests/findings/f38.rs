// F-38: InvalidTransition named no state, errors came one at a time, internal attributes could not be hidden, and nothing said who
// checks a reference.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design f38
        {DEFAULTS}
        table Js "jss" {{ key (id)  index Due (shard | at) project all }}
        entity J in Js {{
          id slug  at int = 1  shard int(0..9) = 3 @internal  note? string(1..5)
          status ready | running | done | failed = ready
          states status {{ ready -> running  running -> done, failed }}
        }}
        pattern j = get J by id strong
        pattern due = list J by shard = 3 page 10
        pattern raw = get J by id select [id, shard] strong
        operation mk = create J
        operation move(id, status) {{ update J(id) {{ status }} }}
        operation moveAll(id, status) {{ transact {{ update J(id) {{ status }} }} }}
        operation swap(id, status, note) {{ update J(id) if at = 1 {{ status, note, at: at + 1 }} }}"#
    ))
}

#[test]
fn a_failure_names_the_state_and_those_that_may_follow() {
    let database = Database::new();
    let app = app(&database);
    app.call("mk", json!({ "id": "a" }));
    for (name, arguments) in [
        ("move", json!({ "id": "a", "status": "done" })),
        ("moveAll", json!({ "id": "a", "status": "done" })),
        ("swap", json!({ "id": "a", "status": "done", "note": "x" })),
    ] {
        let failure = app.fails(name, arguments);
        assert_eq!(failure.kind, FailureKind::InvalidTransition, "{name}");
        for part in ["`done`", "`ready`", "may become `running`"] {
            assert!(failure.message.contains(part), "{name}: {failure}");
        }
    }
    app.call("move", json!({ "id": "a", "status": "running" }));
    app.call("move", json!({ "id": "a", "status": "done" }));
    assert!(
        app.fails("move", json!({ "id": "a", "status": "ready" })).message.contains("may become nothing")
    );
}

#[test]
fn what_is_internal_is_in_no_answer_unless_selected() {
    let database = Database::new();
    let app = app(&database);
    assert_eq!(app.call("mk", json!({ "id": "a" })).get("shard"), None);
    assert_eq!(app.call("j", json!({ "id": "a" })).get("shard"), None);
    assert_eq!(app.call("move", json!({ "id": "a", "status": "running" })).get("shard"), None);
    let due = app.call("due", json!({}));
    assert_eq!((due.as_array().unwrap().len(), due[0].get("shard")), (1, None));
    assert_eq!(app.call("raw", json!({ "id": "a" })), json!({ "id": "a", "shard": 3 }));
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let database = Database::new();
    let failure = app(&database).fails("swap", json!({ "status": "lost", "note": "too long", "what": 1 }));
    assert_eq!(failure.kind, FailureKind::Invalid);
    for field in ["`status`", "`note`", "`what`", "`id` is required"] {
        assert!(failure.message.contains(field), "{field}: {failure}");
    }
}

/// A reference is a type and a path for cascades. It is checked by the `check` that the text shows, in the transaction that
/// makes the child, and by nothing else: a request that nobody wrote would be billed to everybody.
#[test]
fn a_reference_is_checked_where_the_design_says_so() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f38
        {DEFAULTS}
        table Ps "pss" {{ key (pid) }}
        table Cs "css" {{ key (pid | cid) }}
        entity P in Ps {{ pid slug  open bool = true }}
        entity C in Cs {{ pid -> P on delete keep  cid slug }}
        pattern c = list C by pid page 5
        operation mp = create P
        operation close(pid) {{ update P(pid) {{ open: false }} }}
        operation checked(pid, cid) {{ transact {{ check P(pid) else NoParent  create C {{ pid, cid }} }} }}
        operation opened(pid, cid) {{ transact {{ check P(pid) if open = true else Closed  create C {{ pid, cid }} }} }}
        operation plain(pid, cid) {{ create C {{ pid, cid }} }}"#
    ));
    let failed = |name: &str| app.fails(name, json!({ "pid": "p", "cid": "a" })).kind.name().to_owned();
    assert_eq!((failed("checked"), failed("opened")), ("NoParent".to_owned(), "Closed".to_owned()));
    assert_eq!(app.call("c", json!({ "pid": "p" })), json!([]));
    app.call("plain", json!({ "pid": "p", "cid": "orphan" }));
    app.call("mp", json!({ "pid": "p" }));
    app.call("checked", json!({ "pid": "p", "cid": "1" }));
    app.call("close", json!({ "pid": "p" }));
    assert_eq!(failed("opened"), "Closed");
    let ids = |found: serde_json::Value| -> Vec<String> {
        found
            .as_array()
            .into_iter()
            .flatten()
            .map(|each| each["cid"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(ids(app.call("c", json!({ "pid": "p" }))), ["1", "orphan"]);
}
