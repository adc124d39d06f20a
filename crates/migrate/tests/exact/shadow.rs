//! Answers that people get, compared with those of the new design while the old one answers.

use std::sync::Arc;

use serde_json::json;
use sortkey_api::Requests as _;
use sortkey_api::operations::DeleteItemInput;
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::Phase;
use sortkey_value::Map;

use crate::support::{World, call, seed};

#[test]
fn differences_are_counted_by_pattern() {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    let early = block_on(runner.shadow(100)).expect_err("nothing was copied");
    assert!(early.to_string().contains("copy"), "{early}");
    block_on(runner.copy(&mut |_| ())).expect("copied");
    block_on(runner.verify(&mut |_| ())).expect("compared");
    let state = block_on(runner.shadow(100)).expect("shadow");
    assert_eq!((state.phase, state.shadow), (Phase::Shadow, Some(100)));

    let (old, watch) = world.observed(Arc::new(block_on));
    block_on(watch.state()).expect("read");
    call(&old, "hit", json!({ "teamId": "red" }));
    call(&old, "team", json!({ "teamId": "red" }));
    call(&old, "team", json!({ "teamId": "none" }));
    call(&old, "sharesOfTeam", json!({ "teamId": "red" }));
    let count = || -> Vec<(String, u64, u64)> {
        let answers = block_on(runner.shadowed()).expect("read");
        answers.iter().map(|each| (each.old.to_string(), each.compared, each.differences)).collect()
    };
    // A team that nobody has cannot be asked for by its new key.
    assert_eq!(count(), [("team".to_owned(), 1, 0), ("sharesOfTeam".to_owned(), 1, 0)]);

    let share = world.own_items("shares").into_iter().next().expect("a share");
    let key: Map =
        ["teamId", "target"].iter().map(|name| ((*name).to_owned(), share[*name].clone())).collect();
    let input =
        DeleteItemInput { table_name: "shares".into(), key: key.into(), ..DeleteItemInput::default() };
    block_on(Embedded::new(world.engine.clone()).delete_item(input)).expect("removed");
    let team = match &share["teamId"] {
        sortkey_value::AttributeValue::S(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    call(&old, "sharesOfTeam", json!({ "teamId": team }));
    assert_eq!(count()[1], ("sharesOfTeam".to_owned(), 2, 1));

    // There is a way on and a way back, and what was counted ends with the phase.
    assert_eq!(block_on(runner.back()).expect("back").phase, Phase::Both);
    assert_eq!(block_on(runner.shadow(5)).expect("shadow").shadow, Some(5));
    assert!(count().is_empty());
    assert_eq!(block_on(runner.switch()).expect("switched").phase, Phase::Switched);
}
