use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_api::operations::{GetItemInput, ScanInput};
use sortkey_design::program::{EntityId, Id};
use sortkey_design::{FileLoader, compile};
use sortkey_engine::Engine;
use sortkey_value::Map;

use super::clause::clauses;
use super::marker::{self, State};
use sortkey_core::internals::{MARKER, reserved_key};
use sortkey_core::{Answer, Call, Failure, FailureKind, Pending, Runtime};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_testing::invariants::broken;

use crate::{Change, Coverage, DeployError, Deployment, prepare};

const DESIGN: &str = r#"
design people
table People "people" {
  key (PK | SK)
  ttl goneAt
}
entity Person in People {
  PK = "PERSON#{personId}"  SK = "PERSON"
  personId string(1..20)
  email?   string(1..60)
  status   active | left = active
  goneAt?  time(s)
  deleted when status = left
}
/// Shares the table and may have whatever e-mail it likes.
entity Robot in People {
  PK = "ROBOT#{robotId}"  SK = "ROBOT"
  robotId string(1..20)
  email   string(1..60)
}
system operation join(personId, email?, goneAt?) { create Person { personId, email: email, goneAt: goneAt } }
system operation rename(personId, email) { update Person(personId) { email } }
system operation leave(personId) { delete Person(personId) }
system operation build = create Robot
"#;

/// A design with something put in place of a piece of its text.
fn design(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(DESIGN.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// The clause, as a change of the design.
const UNIQUE: (&str, &str) = ("  deleted when", "  unique email else EmailTaken\n  deleted when");

fn runtime(engine: &Engine, text: &str) -> Runtime {
    let compilation = compile("people.sk", text, &FileLoader);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let settings = ephemeral().expect("a system with randomness");
    Runtime::new(compilation.design, Arc::new(Embedded::new(engine.clone())), settings)
        .expect("the design runs")
}

fn deploy(runtime: &Runtime) -> Result<Deployment, DeployError> {
    deploy_with(runtime, Coverage::AsMarked)
}

fn deploy_with(runtime: &Runtime, coverage: Coverage) -> Result<Deployment, DeployError> {
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    pollster::block_on(prepare(runtime, coverage, &pause, &mut |_| {}))
}

/// A design on a database, deployed, with the number of tables it had to walk.
fn up(engine: &Engine, text: &str) -> (Runtime, usize) {
    let runtime = runtime(engine, text);
    let changes = deploy(&runtime).expect("deployed").changes;
    let walks = changes.iter().filter(|(_, change)| matches!(change, Change::Guards(_))).count();
    (runtime, walks)
}

fn call(runtime: &Runtime, name: &str, arguments: Json) -> Result<Answer, Failure> {
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into()?;
    pollster::block_on(runtime.call(Call { name, arguments, ..Call::default() }))
}

fn join(runtime: &Runtime, person: &str, email: &str) -> Result<Answer, Failure> {
    call(runtime, "join", json!({ "personId": person, "email": email }))
}

fn is_sound(runtime: &Runtime) {
    assert_eq!(pollster::block_on(broken(runtime)).expect("read"), None);
}

/// The values that are guarded.
fn guarded(engine: &Engine) -> Vec<String> {
    let all = ScanInput { table_name: "people".into(), ..ScanInput::default() };
    let items = pollster::block_on(engine.scan(all)).expect("scanned").items.unwrap_or_default();
    let text = |map: &Map| match map.get("PK") {
        Some(sortkey_value::AttributeValue::S(text)) => text.clone(),
        _ => String::new(),
    };
    let keys = items.iter().map(|item| text(&item.to_map()));
    let mut values: Vec<String> =
        keys.filter_map(|key| key.strip_prefix("unique#Person#email#").map(str::to_owned)).collect();
    values.sort();
    values
}

fn refusal(runtime: &Runtime) -> Vec<String> {
    match deploy(runtime) {
        Err(DeployError::NotUnique(refusals)) => {
            refusals.iter().map(|each| format!("{} {:?}", each.title, each.notes)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_new_table_is_covered_without_a_walk() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (runtime, walks) = up(&engine, &design(&[UNIQUE]));
    assert_eq!(walks, 0);
    join(&runtime, "ada", "a@x").expect("joined");
    let (_, walks) = up(&engine, &design(&[UNIQUE]));
    assert_eq!(walks, 0);
    is_sound(&runtime);
}

#[test]
fn items_from_before_the_clause_get_their_guards() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (before, _) = up(&engine, DESIGN);
    for at in 0..120 {
        join(&before, &format!("p{at}"), &format!("{at}@x")).expect("joined");
    }
    call(&before, "join", json!({ "personId": "shy" })).expect("joined");
    call(&before, "build", json!({ "robotId": "r", "email": "0@x" })).expect("built");
    join(&before, "gone", "1@x").expect("joined");
    call(&before, "leave", json!({ "personId": "gone" })).expect("left");
    let passed = json!({ "personId": "late", "email": "2@x", "goneAt": 1_600_000_000 });
    call(&before, "join", passed).expect("joined");

    let (after, walks) = up(&engine, &design(&[UNIQUE]));
    assert_eq!((walks, guarded(&engine).len()), (1, 120));
    let taken = join(&after, "new", "7@x").expect_err("taken");
    assert_eq!(taken.kind, FailureKind::Declared("EmailTaken".into()));
    join(&after, "new", "free@x").expect("free");
    call(&after, "rename", json!({ "personId": "p7", "email": "seven@x" })).expect("renamed");
    join(&after, "newer", "7@x").expect("free again");
    assert_eq!(up(&engine, &design(&[UNIQUE])).1, 0);
}

#[test]
fn two_items_with_one_value_are_named_and_nothing_is_changed() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (before, _) = up(&engine, DESIGN);
    for (person, email) in [("ada", "a@x"), ("bob", "b@x"), ("eve", "a@x")] {
        join(&before, person, email).expect("joined");
    }
    let after = runtime(&engine, &design(&[UNIQUE]));
    for _ in 0..2 {
        let [why] = &refusal(&after)[..] else { panic!("one pair") };
        for part in ["two items of Person have the same email", "PERSON#ada", "PERSON#eve"] {
            assert!(why.contains(part), "{why}");
        }
    }
    // The design as it was goes on, and what it changes makes some of the guards wrong.
    let (before, _) = up(&engine, DESIGN);
    call(&before, "rename", json!({ "personId": "eve", "email": "b@x" })).expect("renamed");
    call(&before, "rename", json!({ "personId": "bob", "email": "c@x" })).expect("renamed");
    assert_eq!(deploy(&after).expect("deployed").changes.len(), 1);
    assert_eq!(guarded(&engine), ["a@x", "b@x", "c@x"]);
    is_sound(&after);
}

#[test]
fn guards_of_a_clause_that_was_away_are_put_right_when_it_returns() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (with, _) = up(&engine, &design(&[UNIQUE]));
    join(&with, "ada", "a@x").expect("joined");
    join(&with, "bob", "b@x").expect("joined");
    let (without, walks) = up(&engine, DESIGN);
    assert_eq!((walks, guarded(&engine).len()), (0, 2));
    call(&without, "rename", json!({ "personId": "ada", "email": "c@x" })).expect("renamed");
    join(&without, "eve", "a@x").expect("joined");
    call(&without, "leave", json!({ "personId": "bob" })).expect("left");
    let (with, walks) = up(&engine, &design(&[UNIQUE]));
    assert_eq!((walks, guarded(&engine)), (1, vec!["a@x".to_owned(), "c@x".to_owned()]));
    join(&with, "bobby", "b@x").expect("free");
}

/// An older program went on writing while the newer one was already there.
#[test]
fn what_was_written_without_the_clause_is_found_when_it_is_looked_for() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (without, _) = up(&engine, DESIGN);
    let (with, _) = up(&engine, &design(&[UNIQUE]));
    join(&without, "ada", "a@x").expect("joined");
    assert_eq!(deploy(&with).expect("deployed").changes, []);
    assert_eq!(deploy_with(&with, Coverage::Doubted).expect("deployed").changes.len(), 1);
    join(&with, "eve", "a@x").expect_err("taken");
    join(&without, "eve", "a@x").expect("joined");
    assert!(matches!(deploy_with(&with, Coverage::Doubted), Err(DeployError::NotUnique(_))));
}

#[test]
fn values_that_are_normalised_from_now_on_are_compared_so() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (before, _) = up(&engine, &design(&[UNIQUE]));
    join(&before, "ada", "A@x").expect("joined");
    let lower = design(&[UNIQUE, ("email?   string(1..60)", "email?   string(1..60) @normalize(lower)")]);
    let (after, walks) = up(&engine, &lower);
    assert_eq!((walks, guarded(&engine)), (1, vec!["a@x".to_owned()]));
    join(&after, "eve", "a@X").expect_err("taken");
    call(&after, "rename", json!({ "personId": "ada", "email": "b@x" })).expect("renamed");
    join(&after, "eve", "a@X").expect("free again");
    is_sound(&after);
    join(&after, "bob", "B@x").expect_err("taken");
}

#[test]
fn a_walk_goes_on_where_it_was_left() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (before, _) = up(&engine, DESIGN);
    for at in 0..10 {
        join(&before, &format!("p{at}"), &format!("{at}@x")).expect("joined");
    }
    let after = runtime(&engine, &design(&[UNIQUE]));
    let half = ScanInput { table_name: "people".into(), limit: Some(5), ..ScanInput::default() };
    let half = pollster::block_on(engine.scan(half)).expect("scanned").last_evaluated_key;
    let infos: Vec<_> = after.shared().entities.iter().collect();
    let left = State {
        walking: marker::covering(&clauses(&after, &infos)),
        after: half.map(|key| key.to_map()),
        ..State::default()
    };
    let write = |old: State| {
        let (session, scope) = (after.session(), after.scope(None));
        pollster::block_on(marker::write(&session, &scope, infos[0], &old, &left)).expect("written")
    };
    assert!(write(State::default()));
    deploy(&after).expect("deployed");
    assert_eq!(guarded(&engine).len(), 5);
    // Of another clause, it begins anew.
    assert!(write(whole(&after)));
    up(&engine, &design(&[("  deleted when", "  unique email when status = active\n  deleted when")]));
    assert_eq!(guarded(&engine).len(), 10);
}

/// The contents of the marker when everything is covered.
fn whole(runtime: &Runtime) -> State {
    let infos: Vec<_> = runtime.shared().entities.iter().collect();
    State { covered: marker::covering(&clauses(runtime, &infos)), ..State::default() }
}

/// Writers of the same design are at work while the table is walked, again and again.
#[test]
fn a_walk_and_writers_do_not_disturb_each_other() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (before, _) = up(&engine, DESIGN);
    for at in 0..60 {
        join(&before, &format!("p{at}"), &format!("{at}@x")).expect("joined");
    }
    let after = runtime(&engine, &design(&[UNIQUE]));
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let after = &after;
            scope.spawn(move || {
                for round in 0..60 {
                    let person = json!(format!("p{}", (round * 7 + writer) % 60));
                    let email = json!(format!("{writer}.{round}@x"));
                    // Some have left, and that is right.
                    let _ = call(after, "rename", json!({ "personId": person, "email": email }));
                    if round % 9 == 0 {
                        let _ = call(after, "leave", json!({ "personId": person }));
                    }
                }
            });
        }
        deploy(&after).expect("deployed");
    });
    // The clause means the same, whatever its error is called.
    let (again, walks) = up(&engine, &design(&[("  deleted when", "  unique email\n  deleted when")]));
    assert_eq!(walks, 0);
    is_sound(&again);
}

#[test]
fn the_marker_is_nobodys_item() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (runtime, _) = up(&engine, &design(&[UNIQUE]));
    let scope = runtime.scope(None);
    let info = &runtime.shared().entities[EntityId::new(0)];
    let key = reserved_key(&scope, info, MARKER);
    let asked = GetItemInput { table_name: "people".into(), key: key.into(), ..GetItemInput::default() };
    let marker = pollster::block_on(engine.get_item(asked)).expect("read").item.expect("a marker");
    assert!(runtime.shared().entities.iter().all(|info| !info.owns(&runtime.shared().program, &marker)));
}
