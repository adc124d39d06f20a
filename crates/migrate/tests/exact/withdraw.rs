//! A migration that is taken back before the switch, and begun again.

use serde_json::json;
use sortkey_embedded::block_on;
use sortkey_migrate::{Phase, Side};

use crate::oracle;
use crate::support::{World, call, seed};

#[test]
fn a_migration_that_was_started_can_be_ended() {
    let world = World::new();
    seed(&world.old_alone());
    let untouched = [world.items("users"), world.own_items("things")];
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    let old = world.side(Side::Old);
    call(&old, "share", json!({ "teamId": "grey", "shareId": "s1", "target": "di", "rights": ["READ"] }));
    call(&old, "unshare", json!({ "teamId": "grey", "shareId": "s1" }));
    let state = block_on(runner.back()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(state.phase, Phase::Prepared);
    assert_eq!((world.own_items("teams").len(), world.own_items("shares").len()), (0, 0));
    let is_state = |item: &sortkey_value::Map| format!("{item:?}").contains("migration");
    let left =
        |table: &str| world.items(table).into_iter().filter(|item| !is_state(item)).collect::<Vec<_>>();
    let users: Vec<_> = untouched[0].iter().filter(|item| item.contains_key("email")).cloned().collect();
    assert_eq!(
        left("users").into_iter().filter(|item| item.contains_key("email")).collect::<Vec<_>>(),
        users
    );
    assert_eq!(world.own_items("things"), untouched[1]);

    // The old design writes alone, and the next attempt copies everything again.
    call(&old, "call", json!({ "teamId": "red", "name": "Reds" }));
    call(&old, "disband", json!({ "teamId": "grey" }));
    assert!(world.own_items("teams").is_empty());
    block_on(runner.start()).expect("started again");
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    block_on(runner.switch()).expect("switched");
    oracle::check(&world, &world.side(Side::New));
}
