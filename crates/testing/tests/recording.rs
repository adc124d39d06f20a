//! Recorded tests: what is replayed is what was recorded, and what differs is shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_design::{Compilation, NoFiles, compile};
use sortkey_testing::Suite;
use sortkey_testing::recording::{Recording, Step, replay};

const DESIGN: &str = r#"
design people
caller { personId ulid }
table People "people" { key (personId) }
entity Person in People {
  personId ulid = new
  name     string(1..40)
  code?    string(1..40) @secret @encrypted
  word     string(60) @secret
  seenAt?  time(ms)
  unique name
}
system operation join(name, code, password: string(1..80)) { create Person { name, code: code, word: bcrypt(password) } }
operation enter(password: string(1..80)) {
  let p = get Person(personId: caller.personId) strong else NotFound
  require matches(password, p.word) else Refused
  update Person(personId: caller.personId) { seenAt: now }
}
system pattern everybody = scan Person page 2

test "people join, enter, and are listed" {
  let a = join(name: "Ada", code: "1815", password: "engine")
  join(name: "Grace", code: "1906", password: "compiler")
  join(name: "Mary", code: "1780", password: "astronomy")
  expect join(name: "Ada", code: "1", password: "x") fails AlreadyExists
  advance 1h
  as (personId: a.personId) {
    expect enter("motor") fails Refused
    enter("engine")
  }
  race { join(name: "Ada II", code: "2", password: "x") } { join(name: "Ada II", code: "3", password: "y") } succeeds 1
  expect size(everybody()) = 2
}
"#;

fn compiled(design: &str) -> Compilation {
    let compiled = compile("people.sk", design, &NoFiles);
    let errors: Vec<&String> = compiled.diagnostics.iter().map(|each| &each.title).collect();
    assert!(!compiled.has_errors(), "{errors:?}");
    compiled
}

fn recorded() -> (Compilation, Recording) {
    let compiled = compiled(DESIGN);
    let suite = pollster::block_on(Suite::new(Arc::clone(&compiled.design), BTreeMap::new()));
    let suite = suite.expect("a design that runs");
    let recording = pollster::block_on(suite.record(&[0])).expect("recorded");
    (compiled, recording)
}

/// Passwords were never right in calls that run as tasks, as those of the Python package do: the core left the check to a
/// host that it did not ask.
#[test]
fn a_recording_is_replayed_from_its_text() {
    let (compiled, recording) = recorded();
    let text = recording.write();
    let read = Recording::read(&text).expect("a recording");
    assert_eq!(read, recording);
    assert_eq!(replay(&compiled.program, &read), Ok(Vec::new()));
    let calls = || {
        read.tests[0].steps.iter().filter_map(|step| match step {
            Step::Call(call) => Some(call),
            _ => None,
        })
    };
    let entered = calls().filter(|call| call.start["name"] == "enter").map(|call| &call.done);
    let failures: Vec<bool> = entered.map(|done| done.get("failure").is_some()).collect();
    assert_eq!(failures, [true, false]);
    // Four people are two pages, and one without items behind them, each by the cursor of the page before.
    let cursors: Vec<bool> = calls()
        .filter(|call| call.start["name"] == "everybody")
        .map(|call| call.start.get("cursor").is_some())
        .collect();
    assert_eq!(cursors, [false, true, true]);
}

#[test]
fn what_another_design_does_otherwise_is_shown() {
    let (_, recording) = recorded();
    let other = compiled(&DESIGN.replace("seenAt: now }", "seenAt: now + 1h }"));
    let differences = replay(&other.program, &recording).expect("replayed");
    let [difference] = differences.as_slice() else { panic!("{differences:?}") };
    assert_eq!(difference.what, "request 2 of \"enter\"");
}

#[test]
fn what_is_not_a_recording_is_refused() {
    for (text, expected) in [
        ("", "line 1: expected the setup of a recording"),
        ("{\"test\":\"x\"}", "line 1: expected the setup of a recording"),
        ("{", "line 1: EOF while parsing an object at line 1 column 1"),
    ] {
        assert_eq!(Recording::read(text), Err(expected.to_owned()), "{text}");
    }
}
