// F-10: with a lagging index, a child survived the deletion of its parent, and could be used later.
// F-38: a cascade that a crash interrupted stayed half done until a client repeated it.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use serde_json::json;
use sortkey_embedded::Embedded;

use crate::support::{App, DEFAULTS, Database, Killed};

const PROFILES: &str = r#"
table Ps "profiles" { key (profileId) }
table Is "invites" { key (code)  index ByProfile (profileId) project all }
table Ns "notes" { key (profileId | noteId) }
entity Profile in Ps { profileId slug(1..20) }
entity Invite in Is { code slug(1..20)  profileId -> Profile on delete cascade }
entity Note in Ns { profileId -> Profile on delete cascade  noteId slug(1..20) }
pattern invite = get Invite by code strong
pattern notes = list Note by profileId page 10 strong
operation open = create Profile
operation invited = create Invite
operation noted = create Note
operation close = delete Profile
"#;

fn app(database: &Database) -> App {
    let app = database.up(&format!("design f10\n{DEFAULTS}{PROFILES}"));
    app.call("open", json!({ "profileId": "p" }));
    app
}

fn resume(app: &App) -> usize {
    pollster::block_on(app.runtime.resume()).expect("the database answers")
}

#[test]
fn a_child_that_the_index_did_not_show_goes_when_the_index_has_caught_up() {
    let database = Database::new();
    let app = app(&database);
    database.engine.set_gsi_delay(Duration::from_secs(5));
    database.engine.advance_clock(60_000);
    app.call("invited", json!({ "code": "c", "profileId": "p" }));
    app.call("close", json!({ "profileId": "p" }));
    // The index does not have the invite yet, and nothing is due.
    assert_eq!(app.call("invite", json!({ "code": "c" }))["profileId"], "p");
    assert_eq!(resume(&app), 0);
    database.engine.advance_clock(11_000);
    assert_eq!(resume(&app), 1);
    assert_eq!(app.call("invite", json!({ "code": "c" })), json!(null));
    assert_eq!(resume(&app), 0);
}

#[test]
fn a_cascade_that_was_interrupted_anywhere_goes_on_by_itself() {
    for killed_after in 0..12 {
        let database = Database::new();
        let app = app(&database);
        for note in ["a", "b"] {
            app.call("noted", json!({ "profileId": "p", "noteId": note }));
        }
        app.call("invited", json!({ "code": "c", "profileId": "p" }));
        let inner = Embedded::new(database.engine.clone());
        let backend = Arc::new(Killed { inner: inner.clone(), left: AtomicI64::new(killed_after) });
        let dying = App { runtime: app.runtime.on(backend, Arc::new(inner)).expect("it runs"), caller: None };
        let died = dying.try_call("close", json!({ "profileId": "p" })).is_err();
        database.engine.advance_clock(11_000);
        resume(&app);
        let is_there = database.get("profiles", json!({ "profileId": "p" })).is_some();
        let notes = app.call("notes", json!({ "profileId": "p" })).as_array().map_or(0, Vec::len);
        let invite = app.call("invite", json!({ "code": "c" }));
        // Either nothing happened, or everything did.
        match is_there {
            true => assert_eq!((notes, invite.is_null(), died), (2, false, true), "{killed_after}"),
            false => assert_eq!((notes, invite.is_null()), (0, true), "{killed_after}"),
        }
        let pending = database.get("profiles", json!({ "profileId": "receipt##cascades" }));
        let left = pending.map_or(0, |item| item.as_object().map_or(0, |item| item.len() - 1));
        assert_eq!(left, 0, "{killed_after}");
    }
}
