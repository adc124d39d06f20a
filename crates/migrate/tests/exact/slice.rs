//! A migration from end to end, with writers in every phase.

use serde_json::json;
use sortkey_deploy::{Coverage, Options, prepare};
use sortkey_embedded::block_on;
use sortkey_migrate::{Copied, Phase, Side};

use crate::oracle;
use crate::support::{World, call, pause, seed, try_call};

#[test]
fn every_phase_with_writes_between() {
    let world = World::new();
    let old = world.old_alone();
    seed(&old);
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    let (old, new) = (world.side(Side::Old), world.side(Side::New));
    call(&old, "hit", json!({ "teamId": "red" }));
    assert!(world.own_items("teams").is_empty(), "nothing is written to the new tables before the start");

    block_on(runner.start()).expect("started");
    // Writers come before the copy: of items that exist, of new ones, of two that become one.
    call(&old, "hit", json!({ "teamId": "red" }));
    call(&old, "found", json!({ "teamId": "new", "owner": "cy", "name": "New", "secret": "hush" }));
    call(&old, "allow", json!({ "teamId": "red", "shareId": "s1", "rights": ["ADMIN"] }));
    call(&old, "both", json!({ "teamId": "blue", "shareId": "s9", "target": "cy", "rights": ["READ"] }));
    call(&old, "disband", json!({ "teamId": "grey" }));
    let early =
        block_on(try_call(&new, "hit", json!({ "owner": "ada", "teamId": "red" }))).expect_err("not yet");
    assert!(early.message.contains("being filled"), "{early}");

    assert_eq!(block_on(runner.copy(&mut |_| ())).expect("copied"), Copied::Done);
    oracle::check(&world, &new);
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{:?}", report.listed);

    // Writers after the copy.
    call(&old, "call", json!({ "teamId": "red", "name": "Crimson" }));
    call(&old, "unshare", json!({ "teamId": "red", "shareId": "s2" }));
    call(&old, "rename", json!({ "userId": "ada", "email": "ada.l@x.org" }));
    oracle::check(&world, &new);

    block_on(runner.switch()).expect("switched");
    call(&new, "hit", json!({ "owner": "ada", "teamId": "red" }));
    call(&new, "allow", json!({ "teamId": "blue", "target": "cy", "rights": ["WRITE", "READ"] }));
    call(&new, "share", json!({ "teamId": "blue", "target": "eve", "owner": "bob", "rights": ["READ"] }));
    call(&new, "found", json!({ "owner": "eve", "teamId": "late", "name": "Late", "secret": "hush" }));
    call(&new, "unshare", json!({ "teamId": "red", "target": "di" }));
    call(&new, "rename", json!({ "userId": "bob", "email": "b@x.org" }));
    call(&new, "join", json!({ "userId": "eve", "email": "eve@x.org" }));
    // The old design goes on beside it.
    call(&old, "hit", json!({ "teamId": "red" }));
    oracle::check(&world, &new);
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    assert_eq!(call(&old, "team", json!({ "teamId": "late" }))["name"], "Late");
    assert_eq!(
        call(&old, "user", json!({ "userId": "ada" }))["isAdmin"],
        true,
        "what the mapping drops is still there"
    );

    block_on(runner.back()).expect("back");
    assert_eq!(call(&old, "team", json!({ "teamId": "red" }))["hits"], 4);
    call(&old, "hit", json!({ "teamId": "late" }));
    oracle::check(&world, &new);
    block_on(runner.switch()).expect("switched again");
    let state = block_on(runner.finish(&mut |_| ())).expect("finished");
    assert_eq!(state.phase, Phase::Finished);
    for table in ["teams", "shares", "users"] {
        for item in world.own_items(table) {
            let hidden: Vec<&String> =
                item.keys().filter(|name| name.contains('#') || *name == "isAdmin").collect();
            assert!(hidden.is_empty(), "{table}: {hidden:?}");
        }
    }
    let refused = block_on(try_call(&old, "hit", json!({ "teamId": "red" }))).expect_err("over");
    assert!(refused.message.contains("finished"), "{refused}");
    // Both designs by themselves: the new one serves, the old one is refused.
    let alone = world.runtime(&world.after, world.backend());
    let options = Options { migrated: true, ..Options::default() };
    block_on(prepare(&alone, options, &pause, &mut |_| {})).expect("the new design is deployed");
    assert_eq!(call(&alone, "team", json!({ "owner": "eve", "teamId": "late" }))["hits"], 1);
    let alone = world.runtime(&world.before, world.backend());
    let refused = block_on(prepare(&alone, Coverage::AsMarked, &pause, &mut |_| {}));
    assert!(format!("{refused:?}").contains("is in phase `finished`"), "{refused:?}");
}
