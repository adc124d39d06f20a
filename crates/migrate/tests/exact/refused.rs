//! Writes of the old design that the new one cannot follow, as their callers see them.

use serde_json::json;
use sortkey_api::operations::TransactWriteItemsInput;
use sortkey_api::shapes::transaction::{Put, TransactWriteItem};
use sortkey_api::{Fault, Refused, Requests as _};
use sortkey_core::FailureKind;
use sortkey_embedded::block_on;
use sortkey_migrate::{Phase, Side};
use sortkey_value::{AttributeValue, Map};

use crate::support::{AFTER, BEFORE, World, call, seed, try_call};

/// A world whose new design has names of at most 12 characters, in the phase `both`.
fn narrowed() -> World {
    let world = World::of(BEFORE, &AFTER.replace("name   string(1..40)", "name   string(1..12)"));
    seed(&world.old_alone());
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    world
}

/// A world with names that the new design does not have room for, in the phase `prepared`.
fn outgrown() -> World {
    let world = World::of(BEFORE, &AFTER.replace("name   string(1..40)", "name   string(1..12)"));
    let old = world.old_alone();
    seed(&old);
    for team in ["red", "grey"] {
        call(&old, "call", json!({ "teamId": team, "name": format!("A long name for {team}") }));
    }
    world.make_tables();
    block_on(world.runner().prepare()).expect("prepared");
    world
}

/// Nothing looked before the start: values that do not fit came up in the middle of the copy, when both designs were written.
#[test]
fn values_that_do_not_fit_are_listed_before_anything_is_started() {
    let world = outgrown();
    let refusal = block_on(world.runner().start()).expect_err("two names do not fit").to_string();
    assert!(refusal.contains("2 items do not fit") && refusal.contains("nothing was started"), "{refusal}");
    assert!(refusal.contains("TEAM#red") && refusal.contains("TEAM#grey"), "{refusal}");
    let state = block_on(world.runner().state()).expect("read").expect("prepared");
    assert_eq!(state.phase, Phase::Prepared);
    let old = world.old_alone();
    for team in ["red", "grey"] {
        call(&old, "call", json!({ "teamId": team, "name": team }));
    }
    assert!(world.items("teams").is_empty() && world.items("shares").is_empty());
    assert_eq!(block_on(world.runner().start()).expect("every item fits").phase, Phase::Both);
}

/// Two old items that become one, which the mapping does not combine: the plan counted them as merged.
#[test]
fn two_items_for_one_key_are_listed_before_anything_is_started() {
    let world = World::of(BEFORE, &AFTER.replace(" merge rights", ""));
    seed(&world.old_alone());
    world.make_tables();
    block_on(world.runner().prepare()).expect("prepared");
    let refusal = block_on(world.runner().start()).expect_err("two shares of one target").to_string();
    assert!(refusal.contains("1 item does not fit") && refusal.contains("with `merge`"), "{refusal}");
    assert!(refusal.contains("SHARE#s2"), "{refusal}");
}

/// A copy that stopped kept its lease, so that the next one was refused for half a minute.
#[test]
fn a_copy_that_stops_gives_its_lease_back() {
    let world = outgrown();
    let old = world.old_alone();
    for team in ["red", "grey"] {
        call(&old, "call", json!({ "teamId": team, "name": team }));
    }
    block_on(world.runner().start()).expect("started");
    // A process that has not noticed the start.
    call(&old, "call", json!({ "teamId": "red", "name": "A long name for red" }));
    for _ in 0..2 {
        let refusal = block_on(world.runner().copy(&mut |_| ())).expect_err("it does not fit").to_string();
        assert!(refusal.contains("TEAM#red"), "{refusal}");
        let state = block_on(world.runner().state()).expect("read").expect("started");
        assert_eq!(state.lease, None);
    }
    call(&old, "call", json!({ "teamId": "red", "name": "red" }));
    block_on(world.runner().copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
}

/// They were internal errors: callers got a 500 for a value that they can correct.
#[test]
fn a_value_that_does_not_fit_is_the_callers_to_correct() {
    let world = narrowed();
    let old = world.side(Side::Old);
    let failure = |name: &str, arguments| block_on(try_call(&old, name, arguments)).expect_err("refused");
    let unfit = failure("call", json!({ "teamId": "red", "name": "A name that is too long" }));
    assert_eq!(unfit.kind, FailureKind::Invalid, "{unfit}");
    assert!(unfit.message.contains("`name`") && unfit.message.contains("migration"), "{unfit}");
    let taken = failure("call", json!({ "teamId": "red", "name": "Team blue" }));
    assert_eq!(taken.kind, FailureKind::AlreadyExists, "{taken}");
    assert_eq!(call(&old, "team", json!({ "teamId": "red" }))["name"], "Team red", "nothing was written");
    let early = block_on(try_call(&world.side(Side::New), "hit", json!({ "owner": "ada", "teamId": "red" })));
    assert_eq!(early.expect_err("not yet").kind, FailureKind::Unavailable);
}

#[test]
fn a_transaction_that_is_too_large_for_both_designs_says_so() {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    let old = world.side(Side::Old);
    let share = |count: usize| {
        let put = |at: usize| {
            let text = |text: String| AttributeValue::S(text);
            let item: Map = [
                ("PK", text("TEAM#red".to_owned())),
                ("SK", text(format!("SHARE#n{at}"))),
                ("teamId", text("red".to_owned())),
                ("shareId", text(format!("n{at}"))),
                ("target", text(format!("t{at}"))),
                ("rights", AttributeValue::string_set(["READ".to_owned()])),
                ("at", text("2026-01-01T00:00:00.000Z".to_owned())),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
            let put = Put { item: item.into(), table_name: "things".into(), ..Put::default() };
            TransactWriteItem { put: Some(put), ..TransactWriteItem::default() }
        };
        let transact_items = (0..count).map(put).collect();
        let input = TransactWriteItemsInput { transact_items, ..TransactWriteItemsInput::default() };
        block_on(old.backend().transact_write_items(input))
    };
    // Each share with its new one, and the check of the team that the owner is taken from.
    share(49).unwrap_or_else(|error| panic!("{error}"));
    let error = share(50).expect_err("more than a hundred writes");
    assert_eq!(error.fault(), Some(Fault::Refused(Refused::TooLarge)), "{error}");
    assert!(error.message.contains("a transaction of 50 items writes 101"), "{error}");
    assert_eq!(world.own_items("shares").len(), 49);
}
