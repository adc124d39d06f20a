//! Writers of both designs at once, while the migration goes through its phases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;
use sortkey_core::Runtime;
use sortkey_embedded::block_on;
use sortkey_migrate::Side;

use crate::oracle;
use crate::support::{World, seed, try_call};

/// Numbers that look random, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

const TEAMS: [(&str, &str); 3] = [("red", "ada"), ("blue", "bob"), ("grey", "ada")];
const RIGHTS: [&str; 3] = ["READ", "WRITE", "ADMIN"];

/// Writes until it is stopped; counts the acknowledged calls of `hit` on each team.
fn write_old(old: &Runtime, seed: u64, stop: &AtomicBool, hits: &[AtomicU64; 3]) {
    let mut dice = Dice(seed);
    while !stop.load(Ordering::Relaxed) {
        let at = dice.roll(3) as usize;
        let (team, share, right) = (TEAMS[at].0, format!("w{}", dice.roll(4)), RIGHTS[dice.roll(3) as usize]);
        let target = format!("t{}", dice.roll(2));
        let done = match dice.roll(5) {
            0 | 1 => block_on(try_call(old, "hit", json!({ "teamId": team })))
                .map(|_| hits[at].fetch_add(1, Ordering::Relaxed)),
            2 => {
                let share = json!({ "teamId": team, "shareId": share, "target": target, "rights": [right] });
                block_on(try_call(old, "share", share)).map(|_| 0)
            }
            3 => block_on(try_call(
                old,
                "allow",
                json!({ "teamId": team, "shareId": share, "rights": [right] }),
            ))
            .map(|_| 0),
            _ => block_on(try_call(old, "unshare", json!({ "teamId": team, "shareId": share }))).map(|_| 0),
        };
        drop(done);
    }
}

fn write_new(new: &Runtime, seed: u64, stop: &AtomicBool, hits: &[AtomicU64; 3]) {
    let mut dice = Dice(seed);
    while !stop.load(Ordering::Relaxed) {
        let at = dice.roll(3) as usize;
        let ((team, owner), right) = (TEAMS[at], RIGHTS[dice.roll(3) as usize]);
        let target = format!("t{}", dice.roll(3));
        let done = match dice.roll(5) {
            0 | 1 => block_on(try_call(new, "hit", json!({ "owner": owner, "teamId": team })))
                .map(|_| hits[at].fetch_add(1, Ordering::Relaxed)),
            2 => {
                let share = json!({ "teamId": team, "target": target, "owner": owner, "rights": [right] });
                block_on(try_call(new, "share", share)).map(|_| 0)
            }
            3 => block_on(try_call(
                new,
                "allow",
                json!({ "teamId": team, "target": target, "rights": [right] }),
            ))
            .map(|_| 0),
            _ => block_on(try_call(new, "unshare", json!({ "teamId": team, "target": target }))).map(|_| 0),
        };
        drop(done);
    }
}

#[test]
fn no_acknowledged_write_is_lost_in_any_phase() {
    for round in 1..=3 {
        let world = World::new();
        seed(&world.old_alone());
        world.make_tables();
        let runner = world.runner();
        block_on(runner.prepare()).expect("prepared");
        let stop = Arc::new(AtomicBool::new(false));
        let hits: Arc<[AtomicU64; 3]> = Arc::default();
        std::thread::scope(|scope| {
            for seed in 1..=3 {
                let (old, stop, hits) = (world.side(Side::Old), Arc::clone(&stop), Arc::clone(&hits));
                scope.spawn(move || write_old(&old, round * 77 + seed, &stop, &hits));
            }
            for seed in 1..=2 {
                let (new, stop, hits) = (world.side(Side::New), Arc::clone(&stop), Arc::clone(&hits));
                scope.spawn(move || write_new(&new, round * 91 + seed, &stop, &hits));
            }
            let nap = || std::thread::sleep(std::time::Duration::from_millis(60));
            let work = || {
                nap();
                block_on(runner.start())?;
                // A process that read the state before the start may still write alone: the wait is for it.
                nap();
                block_on(runner.copy(&mut |_| ()))?;
                let report = block_on(runner.verify(&mut |_| ()))?;
                assert_eq!(report.differences, 0, "{:?}", report.listed);
                for _ in 0..3 {
                    block_on(runner.switch())?;
                    nap();
                    block_on(runner.back())?;
                    nap();
                }
                block_on(runner.switch())?;
                nap();
                block_on(runner.verify(&mut |_| ()))
            };
            let outcome = work();
            stop.store(true, Ordering::Relaxed);
            let report = outcome.unwrap_or_else(|refusal| panic!("{refusal}"));
            assert_eq!(report.differences, 0, "{:?}", report.listed);
        });
        let new = world.side(Side::New);
        oracle::check(&world, &new);
        for (at, (team, owner)) in TEAMS.iter().enumerate() {
            let answer =
                block_on(try_call(&new, "team", json!({ "owner": owner, "teamId": team }))).expect("read");
            assert_eq!(answer["hits"], hits[at].load(Ordering::Relaxed), "{team}");
        }
        assert!(hits.iter().map(|each| each.load(Ordering::Relaxed)).sum::<u64>() > 20, "nobody wrote");
    }
}
