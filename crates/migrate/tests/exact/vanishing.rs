//! Items that are deleted with what they point to while a step has them in its hands.

use std::sync::{Arc, Mutex};

use serde_json::json;
use sortkey_api::{Backend, Pending, Request, Response};
use sortkey_core::Runtime;
use sortkey_embedded::{Embedded, block_on};
use sortkey_migrate::{Copied, Phase, Side};

use crate::oracle;
use crate::support::{World, call, seed};

type Once = Box<dyn FnOnce() + Send>;

/// A database in which something happens once, after the old table was read.
struct Between {
    inner: Embedded,
    once: Mutex<Option<Once>>,
}

impl Backend for Between {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let reads =
            matches!(&request, Request::Scan(input) if format!("{:?}", input.table_name).contains("things"));
        Box::pin(async move {
            let answer = self.inner.send(request).await;
            if reads && let Some(once) = self.once.lock().expect("no panic").take() {
                once();
            }
            answer
        })
    }
}

/// Deletes a team with its shares, the shares first.
fn swept(old: Runtime) -> Once {
    Box::new(move || {
        for share in ["s1", "s2", "s3"] {
            call(&old, "unshare", json!({ "teamId": "red", "shareId": share }));
        }
        call(&old, "disband", json!({ "teamId": "red" }));
    })
}

fn between(world: &World, once: Once) -> Arc<Between> {
    Arc::new(Between { inner: Embedded::new(world.engine.clone()), once: Mutex::new(Some(once)) })
}

/// A share that was read and then deleted with its team was said not to fit, since its team was gone.
#[test]
fn what_is_deleted_with_its_parent_is_no_hindrance() {
    let world = World::new();
    let alone = world.old_alone();
    seed(&alone);
    world.make_tables();
    block_on(world.runner().prepare()).expect("prepared");
    let forked = World { engine: world.engine.fork().expect("a database in memory"), ..world.clone() };
    let runner = forked.runner_on(between(&forked, swept(forked.old_alone())));
    assert_eq!(block_on(runner.start()).unwrap_or_else(|refusal| panic!("{refusal}")).phase, Phase::Both);

    block_on(world.runner().start()).expect("started");
    let runner = world.runner_on(between(&world, swept(world.side(Side::Old))));
    assert_eq!(
        block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}")),
        Copied::Done
    );
    block_on(runner.verify(&mut |_| ())).expect("compared");
    block_on(runner.switch()).unwrap_or_else(|refusal| panic!("{refusal}"));
    oracle::check(&world, &world.side(Side::New));
}
