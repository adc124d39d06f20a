//! The runner and a writer cut off at every request of a short migration, before and after it reaches the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde_json::json;
use sortkey_api::{ApiError, Backend, ErrorKind, Pending, Request, Response};
use sortkey_core::Runtime;
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::{Phase, Refusal, Runner, Side};

use crate::oracle;
use crate::support::{AFTER, BEFORE, World, call, compiled, seed, try_call};

/// Passes so many requests, then none: the process behind it is gone.
pub(crate) struct Cut {
    pub(crate) inner: Embedded,
    pub(crate) left: AtomicUsize,
    /// Whether the last request still reaches the database, so that only its answer is lost.
    pub(crate) after: bool,
}

impl Backend for Cut {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        Box::pin(async move {
            let gone = || ApiError::new(ErrorKind::ValidationException, "cut off");
            match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
                Ok(1) if self.after => {
                    drop(self.inner.send(request).await);
                    Err(gone())
                }
                Ok(_) => self.inner.send(request).await,
                Err(_) => Err(gone()),
            }
        })
    }
}

/// The whole migration, with a write of each design where it may write.
async fn all(runner: &Runner, old: &Runtime, new: &Runtime) -> Result<(), Refusal> {
    runner.prepare().await?;
    runner.start().await?;
    // A writer that is cut off cannot determine whether it wrote; the migration does not depend on it.
    drop(try_call(old, "allow", json!({ "teamId": "red", "shareId": "s2", "rights": ["ADMIN"] })).await);
    runner.copy(&mut |_| ()).await?;
    let report = runner.verify(&mut |_| ()).await?;
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    runner.switch().await?;
    drop(try_call(new, "hit", json!({ "owner": "ada", "teamId": "red" })).await);
    runner.back().await?;
    drop(try_call(old, "unshare", json!({ "teamId": "red", "shareId": "s1" })).await);
    runner.switch().await?;
    Ok(())
}

fn cut_at(at: usize, after: bool) -> bool {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    let cut = Arc::new(Cut { inner: Embedded::new(world.engine.clone()), left: AtomicUsize::new(at), after });
    let backend: Arc<dyn Backend> = cut.clone();
    let runner = world.runner_on(Arc::clone(&backend));
    let (old, new) = (world.side_on(Side::Old, Arc::clone(&backend)), world.side_on(Side::New, backend));
    let ended = block_on(all(&runner, &old, &new)).is_ok();
    // The lease of the one that is gone has to end.
    world.engine.advance_clock(60_000);
    let runner = world.runner();
    let (old, new) = (world.side(Side::Old), world.side(Side::New));
    block_on(all_again(&runner, &old, &new)).unwrap_or_else(|refusal| panic!("cut off at {at}: {refusal}"));
    oracle::check(&world, &new);
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "cut off at {at}: {:?}", report.listed);
    ended
}

/// Goes on from wherever the migration is.
async fn all_again(runner: &Runner, old: &Runtime, new: &Runtime) -> Result<(), Refusal> {
    let state = runner.prepare().await?;
    if state.phase < Phase::Switched {
        runner.start().await.or_else(|refusal| match state.phase {
            Phase::Prepared => Err(refusal),
            _ => Ok(state.clone()),
        })?;
        runner.copy(&mut |_| ()).await?;
        let report = runner.verify(&mut |_| ()).await?;
        assert_eq!(report.differences, 0, "{:?}", report.listed);
        drop(try_call(old, "hit", json!({ "teamId": "red" })).await);
        runner.switch().await?;
    }
    drop(try_call(new, "hit", json!({ "owner": "ada", "teamId": "red" })).await);
    Ok(())
}

fn every(after: bool) {
    let mut at = 0;
    while !cut_at(at, after) {
        at += 1;
        assert!(at < 2_000, "the migration never ends");
    }
    assert!(at > 50, "only {at} requests");
}

#[test]
fn cut_off_before_every_request() {
    every(false);
}

#[test]
fn cut_off_after_every_request() {
    every(true);
}

/// Calls something before the first transaction that stores a team.
struct Hooked {
    inner: Embedded,
    hook: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Backend for Hooked {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let stores_team = match &request {
            Request::TransactWriteItems(input) => input
                .transact_items
                .iter()
                .any(|item| item.put.as_ref().is_some_and(|put| put.table_name.name() == "teams")),
            _ => false,
        };
        if stores_team && let Some(hook) = self.hook.lock().take() {
            hook();
        }
        self.inner.send(request)
    }
}

#[test]
fn a_runner_that_wakes_up_late_writes_nothing() {
    let world = World::new();
    let old = world.old_alone();
    seed(&old);
    world.make_tables();
    let new = world.side(Side::New);
    let hook = {
        let world = world.clone();
        move || {
            // While the other one sleeps with its transaction in hand, everything comes to its end.
            world.engine.advance_clock(60_000);
            let (runner, new) = (world.runner(), world.side(Side::New));
            block_on(runner.copy(&mut |_| ())).expect("copied");
            block_on(runner.verify(&mut |_| ())).expect("compared");
            block_on(runner.switch()).expect("switched");
            call(&new, "disband", json!({ "owner": "bob", "teamId": "blue" }));
            block_on(runner.finish(&mut |_| ())).expect("finished");
        }
    };
    let backend = Arc::new(Hooked {
        inner: Embedded::new(world.engine.clone()),
        hook: Mutex::new(Some(Box::new(hook))),
    });
    let late = world.runner_on(backend);
    block_on(late.prepare()).expect("prepared");
    block_on(late.start()).expect("started");
    let refusal = block_on(late.copy(&mut |_| ())).expect_err("fenced");
    assert!(refusal.to_string().contains("taken over"), "{refusal}");
    let left: Vec<_> =
        world.own_items("teams").iter().filter_map(|item| item.get("teamId").cloned()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(
        block_on(try_call(&new, "team", json!({ "owner": "bob", "teamId": "blue" }))).ok(),
        Some(json!(null))
    );
}

#[test]
fn a_second_runner_waits_for_the_lease() {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    let first = world.runner();
    block_on(first.prepare()).expect("prepared");
    block_on(first.start()).expect("started");
    let cut = Arc::new(Cut {
        inner: Embedded::new(world.engine.clone()),
        left: AtomicUsize::new(12),
        after: false,
    });
    drop(block_on(world.runner_on(cut).copy(&mut |_| ())));
    let refusal = block_on(first.copy(&mut |_| ())).expect_err("leased");
    assert!(refusal.to_string().contains("another runner is at work"), "{refusal}");
    world.engine.advance_clock(31_000);
    block_on(first.copy(&mut |_| ())).expect("the lease has ended");
}

#[test]
fn a_plan_of_other_designs_is_refused() {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    let first = world.runner();
    block_on(first.prepare()).expect("prepared");
    block_on(first.start()).expect("started");
    let other = World {
        after: compiled(&AFTER.replace("name   string(1..40)", "name   string(1..41)"), BEFORE),
        ..world.clone()
    };
    let refusal = block_on(other.runner().copy(&mut |_| ())).expect_err("another plan");
    assert!(refusal.to_string().contains("another plan"), "{refusal}");
    let writer = other.side(Side::Old);
    let failure = block_on(try_call(&writer, "hit", json!({ "teamId": "red" }))).expect_err("another plan");
    assert!(failure.message.contains("another plan"), "{failure}");
}
