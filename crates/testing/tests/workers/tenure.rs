//! A process that has the database for itself does not wait for the leases of its predecessors.

use std::sync::Arc;

use sortkey_core::{Due, Ran, Runtime, Which};
use sortkey_design::program::{Id as _, WorkerId};
use sortkey_embedded::Embedded;
use sortkey_engine::Engine;
use sortkey_work::{Waking, Work};

use super::{Kind, SEVERAL, call, runtime_of};

/// The design of `runtime` on its database, as the next process would open it.
fn restarted(runtime: &Runtime, engine: &Engine) -> Runtime {
    let backend = Arc::new(Embedded::new(engine.clone()));
    runtime.on(backend.clone(), backend).expect("the design runs")
}

#[test]
fn a_lease_of_a_process_that_is_gone_is_taken_over_at_once() {
    let (first, engine) = runtime_of(SEVERAL, Arc::new(Kind));
    first.has_database_alone().expect("alone");
    call(&first, "place", serde_json::json!({}));
    let go = WorkerId::new(0);
    pollster::block_on(async {
        let due = first.due(go, Which::Oldest, None).await.expect("a page").items;
        let left = first.claim(go, &due[0].key, None).await.expect("a claim").expect("it is free");
        assert!(first.claim(go, &due[0].key, None).await.expect("a claim").is_none(), "it has it itself");

        let elsewhere = restarted(&first, &engine);
        assert!(
            elsewhere.claim(go, &due[0].key, None).await.expect("a claim").is_none(),
            "it may share the database"
        );

        let second = restarted(&first, &engine);
        second.has_database_alone().expect("alone");
        let taken = second.claim(go, &due[0].key, None).await.expect("a claim").expect("the first is gone");
        first.run_due(go, &left, "run").await.expect_err("fenced");
        assert_eq!(second.run_due(go, &taken, "run").await.expect("a run"), Ran::Done);
    });
}

/// A run of an item that became due in the same process made two durable writes: a claim, and what the run writes.
#[test]
fn an_item_that_is_put_and_due_is_put_with_its_lease() {
    let (runtime, engine) = runtime_of(SEVERAL, Arc::new(Kind));
    let backend = Arc::new(Embedded::new(engine.clone()));
    let waking = Arc::new(Waking::new(backend.clone()));
    let first = runtime.on(waking.clone(), backend).expect("the design runs");
    let work = Arc::new(Work::new(first.clone(), Arc::new(|_, _, _| {})).expect("workers"));
    waking.wakes(&work);
    let go = WorkerId::new(0);
    let due =
        |runtime: &Runtime| pollster::block_on(runtime.due(go, Which::Oldest, None)).expect("a page").items;
    call(&first, "place", serde_json::json!({}));
    let claim = |runtime: &Runtime, due: &Due| pollster::block_on(runtime.claim(go, &due.key, None));
    let shared = due(&first).remove(0);
    assert!(claim(&first, &shared).expect("a claim").is_some(), "other processes could not take it over");

    first.has_database_alone().expect("alone");
    call(&first, "place", serde_json::json!({}));
    // A look that found it before its run began was refused the claim, and held the item back until its lease was over.
    assert!(due(&first).is_empty(), "both have their runs");
    let second = restarted(&first, &engine);
    second.has_database_alone().expect("alone");
    let own = due(&second).into_iter().find(|due| due.key != shared.key).expect("the second");
    assert!(claim(&first, &own).expect("a claim").is_none(), "it was put with its lease");
    let taken = claim(&second, &own).expect("a claim").expect("the first is gone");
    let ran = pollster::block_on(second.run_due(go, &taken, "run")).expect("a run");
    assert_eq!((ran, taken.tries), (Ran::Done, 2));
}

#[test]
fn a_lease_of_a_process_elsewhere_is_left_alone() {
    let (elsewhere, engine) = runtime_of(SEVERAL, Arc::new(Kind));
    call(&elsewhere, "place", serde_json::json!({}));
    let go = WorkerId::new(0);
    pollster::block_on(async {
        let due = elsewhere.due(go, Which::Oldest, None).await.expect("a page").items;
        elsewhere.claim(go, &due[0].key, None).await.expect("a claim").expect("it is free");
        let host = restarted(&elsewhere, &engine);
        host.has_database_alone().expect("alone");
        assert!(host.claim(go, &due[0].key, None).await.expect("a claim").is_none());
        engine.advance_clock(11_000);
        assert!(host.claim(go, &due[0].key, None).await.expect("a claim").is_some(), "its lease is over");
    });
}
