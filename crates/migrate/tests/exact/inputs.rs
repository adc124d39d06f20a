//! Conditions under which a migration stops or waits: a target that is not empty, processes of the version before, a full disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use sortkey_api::operations::PutItemInput;
use sortkey_api::{ApiError, Backend, ErrorKind, Pending, Request, Requests as _, Response};
use sortkey_deploy::{Coverage, is_superseded, prepare};
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::{Copied, Phase, Side};
use sortkey_value::{AttributeValue, Map};

use crate::oracle;
use crate::support::{AFTER, BEFORE, World, call, compiled, pause, seed};

#[test]
fn a_target_that_is_not_empty_is_left_alone() {
    let world = World::new();
    let old = world.old_alone();
    seed(&old);
    world.make_tables();
    let stranger: Map = [("owner", "eve"), ("teamId", "hers")]
        .map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned())))
        .into();
    let input = PutItemInput { table_name: "teams".into(), item: stranger.into(), ..PutItemInput::default() };
    block_on(Embedded::new(world.engine.clone()).put_item(input)).expect("stored");
    let runner = world.runner();
    let refusal = block_on(runner.prepare()).expect_err("somebody else's item");
    assert!(refusal.to_string().contains("\"teams\" has items that no migration made"), "{refusal}");
    assert_eq!(block_on(runner.state()).expect("read"), None, "nothing was begun");
    call(&old, "hit", json!({ "teamId": "red" }));
}

/// The tables have a later version of the old design than the one that the plan was made for: it would leave out what that
/// version has added.
#[test]
fn a_plan_older_than_the_tables_is_refused() {
    let world = World::new();
    let later = BEFORE.replace("  hits   int(0..) = 0", "  hits   int(0..) = 0\n  color? string(1..9)");
    let deployed = World { before: compiled(&later, ""), ..world.clone() };
    seed(&deployed.old_alone());
    world.make_tables();
    for refusal in [
        block_on(world.runner().prepare()).expect_err("refused"),
        block_on(world.runner().survey(&mut |_| ())).expect_err("refused"),
    ] {
        let said = refusal.to_string();
        assert!(said.contains("Team.color") && said.contains("sortkey up before.sk"), "{said}");
    }
    // A version that differs in what items do not have is no hindrance.
    let other = BEFORE.replace("strong page 20", "strong page 30");
    let world = World { before: compiled(&other, ""), ..World::new() };
    seed(&world.old_alone());
    world.make_tables();
    block_on(world.runner().prepare()).expect("prepared");
}

/// They were ignored: a design could demand an order in which nothing was done.
#[test]
fn steps_of_another_tool_are_refused() {
    let world = World::of(
        BEFORE,
        &AFTER.replace("migrate \"before.sk\" {", "migrate \"before.sk\" steps create, copy, switch {"),
    );
    world.old_alone();
    world.make_tables();
    for refusal in [
        block_on(world.runner().prepare()).expect_err("refused"),
        block_on(world.runner().survey(&mut |_| ())).expect_err("refused"),
    ] {
        assert!(refusal.to_string().contains("`steps`"), "{refusal}");
    }
}

/// A process that serves the old design by itself would write it alone. It looks whether it is superseded.
#[test]
fn processes_of_the_version_before_notice_the_start() {
    let world = World::new();
    let old = world.runtime(&world.before, world.backend());
    let deployment = block_on(prepare(&old, Coverage::AsMarked, &pause, &mut |_| {})).expect("deployed");
    seed(&old);
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    assert!(!block_on(is_superseded(&old, &deployment)).expect("read"), "nothing has begun");
    block_on(runner.start()).expect("started");
    assert!(block_on(is_superseded(&old, &deployment)).expect("read"), "it must stop");
    // Started again, it is refused, with the way on.
    let again = world.runtime(&world.before, world.backend());
    let refused = block_on(prepare(&again, Coverage::AsMarked, &pause, &mut |_| {}));
    let text = format!("{refused:?}");
    assert!(text.contains("is in phase `both`") && text.contains("with the `migrate` block"), "{text}");
    // Its writes after the copy, which nothing captured, are found, and there is no switch.
    assert_eq!(block_on(runner.copy(&mut |_| ())).expect("copied"), Copied::Done);
    call(&old, "hit", json!({ "teamId": "red" }));
    assert!(block_on(runner.verify(&mut |_| ())).expect("compared").differences > 0);
    assert!(block_on(runner.switch()).is_err());
}

/// A database that takes so many writes, then none until there is space again.
struct Full {
    inner: Embedded,
    space: AtomicUsize,
}

impl Backend for Full {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let writes = matches!(
            request,
            Request::PutItem(_)
                | Request::UpdateItem(_)
                | Request::TransactWriteItems(_)
                | Request::BatchWriteItem(_)
        );
        let taken = self.space.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |space| space.checked_sub(1));
        if writes && taken.is_err() {
            // The words of the store.
            let why = "the disk is full; only deletes are taken until there is space";
            return Box::pin(async move { Err(ApiError::new(ErrorKind::ValidationException, why)) });
        }
        self.inner.send(request)
    }
}

#[test]
fn a_disk_that_fills_up_stops_every_step_and_the_next_run_goes_on() {
    let mut stops = 0;
    for space in 0.. {
        let world = World::new();
        seed(&world.old_alone());
        world.make_tables();
        let full =
            Arc::new(Full { inner: Embedded::new(world.engine.clone()), space: AtomicUsize::new(space) });
        let runner = world.runner_on(full.clone());
        let steps = || {
            block_on(runner.prepare())?;
            block_on(runner.start())?;
            block_on(runner.copy(&mut |_| ()))?;
            block_on(runner.verify(&mut |_| ()))?;
            block_on(runner.switch())
        };
        let outcome = steps();
        full.space.store(usize::MAX, Ordering::SeqCst);
        match outcome {
            Err(refusal) => {
                stops += 1;
                assert!(!refusal.reasons.is_empty(), "{space}");
                // A runner that was stopped keeps its lease for a while.
                world.engine.advance_clock(60_000);
                let state = block_on(world.runner().prepare()).expect("prepared");
                let again = world.runner();
                if state.phase < Phase::Both {
                    block_on(again.start()).unwrap_or_else(|refusal| panic!("{space}: {refusal}"));
                }
                if state.phase < Phase::Switched {
                    block_on(again.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{space}: {refusal}"));
                    let report = block_on(again.verify(&mut |_| ())).expect("compared");
                    assert_eq!(report.differences, 0, "{space}: {:?}", report.listed);
                    block_on(again.switch()).unwrap_or_else(|refusal| panic!("{space}: {refusal}"));
                }
                oracle::check(&world, &world.side(Side::New));
            }
            Ok(_) => {
                assert!(stops > 10, "stopped {stops} times");
                return;
            }
        }
    }
}
