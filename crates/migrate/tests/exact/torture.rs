//! The runner and a server cut off again and again, while requests are throttled, transactions meet, indexes lag and clocks jump.
//!
//! `SORTKEY_TORTURE=1000 SORTKEY_TORTURE_ITEMS=200 cargo test -p sortkey-migrate --test exact torture` does it under more seeds, to a
//! longer migration; `SORTKEY_TORTURE_FROM` is the first of them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sortkey_api::Backend;
use sortkey_core::{Runtime, Settings, Timer};
use sortkey_embedded::block_on;
use sortkey_engine::{Fault, FaultKind};
use sortkey_migrate::{Refusal, Rehearsed, Rehearsing, Side, Trouble, cut_at, rehearse, torture};

use crate::oracle;
use crate::support::{World, call, seed};

struct Now;

impl Timer for Now {
    fn pause(&self, _: Duration) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {})
    }
}

impl Rehearsing for World {
    fn backend(&self) -> Arc<dyn Backend> {
        World::backend(self)
    }

    fn settings(&self) -> Settings {
        Settings { timer: Arc::new(Now), ..World::settings(self) }
    }

    fn fork(&self) -> World {
        World { engine: self.engine.fork().expect("a database in memory"), ..self.clone() }
    }

    fn disturb(&self, trouble: Trouble) {
        let fault = |kind, remaining| Fault { kind, remaining, operation: None, table: None };
        match trouble {
            Trouble::Throttle(times) => self.engine.faults().add(fault(FaultKind::Throttle, times)),
            Trouble::Conflict(times) => self.engine.faults().add(fault(FaultKind::Conflict, times)),
            Trouble::Lag => self.engine.set_gsi_delay(Duration::from_secs(5)),
            Trouble::Jump(by_ms) => self.engine.advance_clock(by_ms),
            Trouble::Calm => {
                self.engine.faults().clear();
                self.engine.set_gsi_delay(Duration::ZERO);
            }
        }
    }

    fn design(&self, backend: Arc<dyn Backend>) -> Result<Runtime, Refusal> {
        Ok(self.runtime(&self.after, backend))
    }
}

fn seeded() -> World {
    let world = World::new();
    seed(&world.old_alone());
    world.make_tables();
    world
}

#[test]
fn at_every_request_of_a_short_migration() {
    let world = seeded();
    let (fork, report, requests) = block_on(rehearse(&world)).unwrap_or_else(|refusal| panic!("{refusal}"));
    oracle::check(&fork, &fork.side(Side::New));
    assert!(report.items > 10 && requests > 60, "{requests} requests, {report:?}");
    let mut sum = Rehearsed::default();
    for after in [false, true] {
        let mut at = u64::from(after);
        while let Some(fork) = block_on(cut_at(&world, at, after, &mut sum))
            .unwrap_or_else(|refusal| panic!("cut off at {at}, {after}: {refusal}"))
        {
            oracle::check(&fork, &fork.side(Side::New));
            at += 1;
        }
        assert!(at > 60, "{at} requests");
    }
}

#[test]
fn under_random_seeds() {
    let number = |name: &str, usual: u64| -> u64 {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let seeds = number("SORTKEY_TORTURE", 40);
    let world = seeded();
    let old = world.old_alone();
    for at in 0..number("SORTKEY_TORTURE_ITEMS", 0) {
        let team = if at % 2 == 0 { "red" } else { "blue" };
        let share = json!({ "teamId": team, "shareId": format!("x{at}"), "target": format!("y{}", at / 3), "rights": ["READ"] });
        call(&old, "share", share);
    }
    let mut sum = Rehearsed::default();
    let first = number("SORTKEY_TORTURE_FROM", 1);
    for seed in first..first + seeds {
        let fork = block_on(torture(&world, seed, &mut sum))
            .unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}"));
        oracle::check(&fork, &fork.side(Side::New));
    }
    eprintln!("{seeds} seeds from {first} on: {sum:?}");
    assert_eq!(sum.migrations, seeds);
    assert!(sum.cuts > seeds && sum.writes > seeds, "{sum:?}");
}
