//! A program that comes over the wire is planned as the one that was written, and one that was tampered with is refused or
//! planned, but never leads beside a list.

use serde_json::Value;
use sortkey_design::{NoFiles, compile, wire};
use sortkey_plan::{actions, effects, lock_file};

const DESIGN: &str = r#"
caller { userId -> User }
table T { key (PK | SK)  index GSI (GPK | GSK) project keys sparse }
entity User in T { PK = "USER#{userId}"  SK = "USER"  userId uuid = new  email email  unique email }
entity Note in T {
  PK = "USER#{userId}"  SK = "NOTE#{noteId}"
  GPK = "{userId}#{tag}" when open = true
  GSK = "{changed}"
  userId  -> User on delete cascade
  noteId  uuid = new
  tag     slug(1..20)
  open    bool = true
  likes   int = 0 @counter
  state   fresh | old = fresh
  changed time(iso) := now
  tenant userId
  check likes >= 0 else Negative
  states state { fresh -> old if likes > 0 }
}
rule friend(userId) = User(userId) with (email exists)
pattern tagged(from?: time(iso)) = list Note by userId, tag where open = true and changed >= from filter likes > 1 page 9
pattern note = get Note by userId, noteId requires friend(userId)
operation like(noteId) idempotent by token {
  let n = note(caller.userId, noteId) else NotFound
  transact { update Note(userId: n.userId, noteId) { likes += 1, open: true }  check User(userId: n.userId) }
} on NotFound { update User(userId: caller.userId) { email: "a@b.c" } }
operation drop = delete User
"#;

fn form() -> Value {
    let compilation = compile("t.sk", DESIGN, &NoFiles);
    assert_eq!(compilation.diagnostics, []);
    serde_json::to_value(wire::write(&compilation.program)).expect("plain data")
}

fn plan(form: &Value) -> Option<String> {
    let program = wire::read(form).ok()?;
    for action in program.operations.iter().flat_map(actions) {
        let change = sortkey_plan::Change { verb: action.verb, ..Default::default() };
        effects(&program, action.entity, &change);
    }
    Some(lock_file(&program))
}

#[test]
fn what_is_read_is_planned_alike() {
    let compilation = compile("t.sk", DESIGN, &NoFiles);
    assert_eq!(plan(&form()), Some(lock_file(&compilation.program)));
}

/// Every number of the form, by its place.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(place, each)| numbers(each, &format!("{at}/{place}"), found));
        }
        Value::Object(all) => {
            all.iter().for_each(|(name, each)| numbers(each, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn no_place_leads_beside_a_list() {
    let good = form();
    let mut places = Vec::new();
    numbers(&good, "", &mut places);
    let mut refused = 0;
    for place in &places {
        for wrong in [1_u64, 7, 1_000, u64::from(u32::MAX)] {
            let mut bad = good.clone();
            *bad.pointer_mut(place).unwrap() = wrong.into();
            refused += usize::from(plan(&bad).is_none());
        }
    }
    // Most numbers are places; the others are bounds, sizes and loads.
    assert!(refused > places.len(), "{refused} of {}", places.len());
}
