//! Seller profiles carried over under load on a server in a process of its own, as `--endpoint` reaches it.
#![cfg(unix)]

#[allow(dead_code)]
#[path = "../../migrate/tests/exact/callers.rs"]
mod callers;
#[path = "../../migrate/tests/exact/desk.rs"]
mod desk;
#[path = "../../migrate/tests/exact/elsewhere.rs"]
mod elsewhere;
#[path = "../../migrate/tests/exact/fill.rs"]
mod fill;
#[path = "../../migrate/tests/exact/load.rs"]
mod load;
#[path = "../../migrate/tests/exact/outcome.rs"]
mod outcome;
#[path = "../../migrate/tests/exact/readers.rs"]
mod readers;
#[path = "support/mod.rs"]
mod serving;
#[allow(dead_code)]
#[path = "../../migrate/tests/exact/support.rs"]
mod support;
#[path = "../../migrate/tests/exact/work.rs"]
mod work;

use std::time::Duration;

use sortkey_engine::Engine;
use sortkey_migrate::Extent;

use crate::load::{Load, carried_over, world};

#[test]
fn nothing_is_lost_doubled_or_brought_back_on_another_server() {
    let server = serving::serve(&["--in-memory"]);
    let mut world = world(Engine::memory(sortkey_engine::Settings::default()));
    world.elsewhere = Some(elsewhere::at(&format!("http://{}", server.address)));
    let nap = Duration::from_millis(500);
    let load = Load { items: 300, writers: 2, rate: None, nap, extent: Extent::Full };
    let outcome = carried_over(&world, &load);
    assert!(outcome.is_right(), "{outcome}");
}
