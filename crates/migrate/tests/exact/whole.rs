//! Seller profiles carried over under load, in memory. With `SORTKEY_MIGRATE_ENDPOINT=http://127.0.0.1:8000` on another DynamoDB.

use std::time::Duration;

use sortkey_engine::Engine;
use sortkey_migrate::Extent;

use crate::load::{Load, carried_over, world};

#[test]
fn nothing_is_lost_doubled_or_brought_back() {
    let number = |name: &str, usual: u64| -> u64 {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let mut world = world(Engine::memory(sortkey_engine::Settings::default()));
    world.elsewhere = std::env::var("SORTKEY_MIGRATE_ENDPOINT").ok().map(|url| crate::elsewhere::at(&url));
    let load = Load {
        items: number("SORTKEY_MIGRATE_ITEMS", 600) as usize,
        writers: 4,
        rate: std::env::var("SORTKEY_MIGRATE_RATE").ok().and_then(|text| text.parse().ok()),
        nap: Duration::from_millis(number("SORTKEY_MIGRATE_NAP_MS", 200)),
        extent: Extent::Full,
    };
    let outcome = carried_over(&world, &load);
    eprintln!("{outcome}");
    assert!(outcome.is_right(), "{outcome}");
}
