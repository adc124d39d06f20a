//! Mistakes that scripts for migrations make, planted on purpose: published samples that copy a table and replay its stream
//! ignore deletions, turn numbers into text, and order changes by whole seconds.

use serde_json::json;
use sortkey_api::Requests as _;
use sortkey_api::operations::{DeleteItemInput, PutItemInput};
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::{Runner, Side};
use sortkey_value::{AttributeValue, Item, Map};

use crate::support::{World, call, seed};

fn copied() -> (World, Runner) {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    (world, runner)
}

/// The findings of `verify` after a script was at work past Sortkey.
fn found(runner: &Runner) -> Vec<String> {
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences as usize, report.listed.len());
    assert!(block_on(runner.switch()).is_err(), "no switch while something differs");
    report.listed.iter().map(|each| format!("{}: {}", each.place, each.what)).collect()
}

fn team(world: &World, table: &str) -> Map {
    let is_red = |item: &&Map| item.get("teamId") == Some(&AttributeValue::S("red".to_owned()));
    let is_team = |item: &&Map| item.contains_key("hits");
    world.own_items(table).iter().filter(is_team).find(is_red).cloned().expect("the team")
}

fn put(world: &World, table: &str, item: &Map) {
    let item = Item::from_map(item).into();
    let input = PutItemInput { table_name: table.into(), item, ..PutItemInput::default() };
    block_on(Embedded::new(world.engine.clone()).put_item(input)).expect("stored");
}

#[test]
fn a_deletion_that_is_not_carried_over() {
    let (world, runner) = copied();
    let key: Map = [("PK", "TEAM#red"), ("SK", "META")]
        .map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned())))
        .into();
    let key = Item::from_map(&key).into();
    let input = DeleteItemInput { table_name: "things".into(), key, ..DeleteItemInput::default() };
    block_on(Embedded::new(world.engine.clone()).delete_item(input)).expect("deleted");
    let found = found(&runner);
    assert!(found.iter().any(|each| each.contains("the Team has no old item any more")), "{found:?}");
}

#[test]
fn a_number_that_became_text() {
    let (world, runner) = copied();
    let mut item = team(&world, "teams");
    item.insert("hits".to_owned(), AttributeValue::S("0".to_owned()));
    put(&world, "teams", &item);
    let found = found(&runner);
    assert!(found.iter().any(|each| each.contains("`hits`")), "{found:?}");
}

/// The later of two changes within a second was taken for the earlier one.
#[test]
fn the_earlier_of_two_changes_within_a_second() {
    let (world, runner) = copied();
    let old = world.side(Side::Old);
    call(&old, "call", json!({ "teamId": "red", "name": "Reds" }));
    let first = team(&world, "teams");
    call(&old, "call", json!({ "teamId": "red", "name": "The Reds" }));
    put(&world, "teams", &first);
    let found = found(&runner);
    assert!(found.iter().any(|each| each.contains("`name`")), "{found:?}");
}
