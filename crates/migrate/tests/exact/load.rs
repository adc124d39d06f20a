//! Seller profiles from end to end with writers through both designs and readers all the time: copy, verify, shadow, switch,
//! back, switch, finish. Nothing may be lost, doubled or brought back.
//!
//! `bench/migrate.sh load` does it with 200,000 items and a bounded copy, and prints how long calls took before and meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sortkey_core::Runtime;
use sortkey_embedded::block_on;
use sortkey_engine::Engine;
use sortkey_migrate::{Copied, Dice, Extent, Rate, Refusal, Runner, Side, Spawn};
use sortkey_value::{AttributeValue, Map};

use crate::callers::design;
use crate::desk::Desk;
use crate::fill::{OF_A_SELLER, Seller, sellers};
use crate::outcome::{Outcome, Times};
use crate::readers::Questions;
use crate::support::World;
use crate::work::Writer;

/// The steps, as `outcome::STEPS` names them.
const BOTH: usize = 1;
const COPYING: usize = 2;
const COMPARING: usize = 3;
const SHADOW: usize = 4;
const SWITCHED: usize = 5;

/// The attribute that names the items of a new table.
const KEYS: [(&str, &str); 5] = [
    ("accounts", "accountId"),
    ("profiles-v2", "profileId"),
    ("seasons-v2", "seasonId"),
    ("orders-v2", "orderId"),
    ("catalogs-v2", "catalogId"),
];
/// Of a hundred answers, how many are compared in the phase `shadow`.
const SHADOWED: u8 = 10;
/// How long the phase `shadow` lasts at most until answers were compared.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much there is, and how fast it is carried over.
pub(crate) struct Load {
    pub(crate) items: usize,
    pub(crate) writers: usize,
    pub(crate) rate: Option<Rate>,
    /// How long each measured phase lasts at least. Writers have half of what they are capable of, measured for as long.
    pub(crate) nap: Duration,
    /// The answers that are compared before the first switch.
    pub(crate) extent: Extent,
}

/// Ends the writers, also when something is found to be wrong.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Signs {
    stop: AtomicBool,
    /// Whether the new design answers.
    is_new: AtomicBool,
    /// Whether the old design will not answer again.
    is_final: AtomicBool,
    /// Whether the phase is changing.
    is_changing: AtomicBool,
    step: AtomicUsize,
    /// Between two calls of one writer; none while the capacity is measured.
    pace_us: AtomicU64,
    calls: AtomicU64,
    writes: Mutex<BTreeMap<usize, Vec<Duration>>>,
    reads: Mutex<BTreeMap<usize, Vec<Duration>>>,
    pause: Mutex<Duration>,
}

impl Signs {
    fn at(&self, step: usize) {
        self.step.store(step, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// One writer, until it is stopped.
    fn work(&self, world: &World, desk: &Mutex<Desk>, at: usize) {
        let (old, new) = (world.side(Side::Old), world.side(Side::New));
        let mut dice = Dice::new(at as u64 + 1);
        let mut due = Instant::now();
        for count in 0.. {
            if self.is_over() {
                break;
            }
            let pace = Duration::from_micros(self.pace_us.load(Ordering::Relaxed));
            // A call that took long is not made up for.
            due = (due + pace).max(Instant::now());
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let step = self.step.load(Ordering::Relaxed);
            let side = if step >= SWITCHED && dice.roll(2) == 0 { Side::New } else { Side::Old };
            let mut desk = desk.lock().expect("no panic");
            let (begun, was_changing) = (Instant::now(), self.is_changing.load(Ordering::Relaxed));
            let is_final = self.is_final.load(Ordering::Relaxed);
            let mut writer =
                Writer { old: &old, new: &new, side, desk: &mut desk, dice: &mut dice, count, is_final };
            while !writer.write() {
                // One of the designs always writes, but for the moment in which the phase changes.
                writer.side = Side::Old;
                std::thread::sleep(Duration::from_micros(200));
            }
            let took = begun.elapsed();
            self.calls.fetch_add(1, Ordering::Relaxed);
            if !pace.is_zero() {
                self.writes.lock().expect("no panic").entry(step).or_default().push(took);
            }
            if was_changing || self.is_changing.load(Ordering::Relaxed) {
                let mut pause = self.pause.lock().expect("no panic");
                *pause = took.max(*pause);
            }
        }
    }

    /// One reader, until it is stopped. It leaves the processor to writers in between.
    fn look(&self, world: &World, desks: &[Mutex<Desk>]) {
        let ((old, watch), new) = (world.observed(threads()), world.side(Side::New));
        for at in 0.. {
            if self.is_over() {
                break;
            }
            // As a server does it from time to time.
            drop(block_on(watch.state()));
            let (side, runtime): (Side, &Runtime) = match self.is_new.load(Ordering::Relaxed) {
                true => (Side::New, &new),
                false => (Side::Old, &old),
            };
            let questions = Questions::of(&desks[at % desks.len()].lock().expect("no panic"), side);
            let (begun, step) = (Instant::now(), self.step.load(Ordering::Relaxed));
            questions.ask(runtime);
            if self.pace_us.load(Ordering::Relaxed) > 0 {
                self.reads.lock().expect("no panic").entry(step).or_default().push(begun.elapsed());
            }
            std::thread::sleep(begun.elapsed());
        }
    }
}

/// Tasks on threads of their own.
fn threads() -> Spawn {
    Arc::new(|task| drop(std::thread::spawn(move || block_on(task))))
}

/// Carries a database of seller profiles over, with writers and readers at work all the time.
pub(crate) fn carried_over(world: &World, load: &Load) -> Outcome {
    let alone = world.old_alone();
    let all = sellers(&alone, 0..load.items.div_ceil(OF_A_SELLER).max(load.writers));
    let (own, rest) = all.split_at(load.writers);
    let mut known: BTreeSet<String> = rest.iter().flat_map(Seller::ids).collect();
    let mut counts: BTreeMap<&'static str, i64> = BTreeMap::new();
    rest.iter()
        .flat_map(Seller::counts)
        .for_each(|(table, count)| *counts.entry(table).or_default() += count);
    let desks: Vec<Mutex<Desk>> = own.iter().map(|seller| Mutex::new(Desk::of(seller))).collect();
    world.make_tables();
    let runner = world.runner().spawning(threads());
    block_on(runner.prepare()).expect("prepared");
    let signs = Signs::default();
    let mut outcome = Outcome::default();
    std::thread::scope(|scope| {
        let (signs, desks) = (&signs, &desks);
        for (at, desk) in desks.iter().enumerate() {
            scope.spawn(move || signs.work(world, desk, at));
        }
        scope.spawn(move || signs.look(world, desks));
        let _ends = Ends(&signs.stop);
        steps(&runner, load, signs, &mut outcome).unwrap_or_else(|refusal| panic!("{refusal}"));
    });
    let begun = Instant::now();
    block_on(runner.finish(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    outcome.changes.push(("finish", begun.elapsed()));
    let by_step = |times: Mutex<BTreeMap<usize, Vec<Duration>>>| {
        let times = times.into_inner().expect("no panic").into_iter();
        times.map(|(step, times)| (step, Times::of(times))).collect()
    };
    (outcome.writes, outcome.reads) = (by_step(signs.writes), by_step(signs.reads));
    outcome.pause = signs.pause.into_inner().expect("no panic");
    let new = world.side(Side::New);
    for desk in desks {
        let desk = desk.into_inner().expect("no panic");
        outcome.tally.count(&new, &desk);
        known.extend(desk.ids());
        desk.counts().into_iter().for_each(|(table, count)| *counts.entry(table).or_default() += count);
    }
    let strays =
        counts.into_iter().map(|(table, count)| (table, world.own_items(table).len() as i64 - count));
    outcome.strays = strays.filter(|(_, strays)| *strays != 0).collect();
    for table in outcome.strays.keys() {
        let key = KEYS.iter().find(|(of, _)| of == table).map_or("", |(_, key)| key);
        let is_unknown =
            |item: &Map| !matches!(item.get(key), Some(AttributeValue::S(id)) if known.contains(id));
        outcome.unknown.extend(
            world.own_items(table).into_iter().filter(is_unknown).map(|item| format!("{table}: {item:?}")),
        );
    }
    outcome
}

fn steps(runner: &Runner, load: &Load, signs: &Signs, outcome: &mut Outcome) -> Result<(), Refusal> {
    let nap = || std::thread::sleep(load.nap);
    let calls = || signs.calls.load(Ordering::Relaxed);
    // Designs are compiled first.
    while calls() < 10 * load.writers as u64 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (begun, before) = (Instant::now(), calls());
    nap();
    outcome.capacity = (calls() - before) as f64 / begun.elapsed().as_secs_f64();
    let pace_us = 2.0 * 1e6 * load.writers as f64 / outcome.capacity.max(1.0);
    signs.pace_us.store(pace_us as u64, Ordering::Relaxed);
    nap();
    block_on(runner.start())?;
    signs.at(BOTH);
    nap();
    block_on(runner.rate(load.rate))?;
    signs.at(COPYING);
    let begun = Instant::now();
    assert_eq!(block_on(runner.copy(&mut |_| ()))?, Copied::Done);
    outcome.took = begun.elapsed();
    let state = block_on(runner.state())?.expect("begun");
    outcome.copied = state.walks.values().map(|walk| walk.copied).sum();
    signs.at(COMPARING);
    outcome.verified += compared(runner, load.extent)?;
    signs.at(SHADOW);
    block_on(runner.shadow(SHADOWED))?;
    outcome.shadowed = shadowed(runner, load.nap)?;
    for round in 0..3 {
        changed("switch", signs, outcome, || block_on(runner.switch()).map(drop))?;
        signs.is_final.store(round == 2, Ordering::Relaxed);
        signs.is_new.store(true, Ordering::Relaxed);
        signs.at(SWITCHED);
        nap();
        if round < 2 {
            signs.is_new.store(false, Ordering::Relaxed);
            changed("back", signs, outcome, || block_on(runner.back()).map(drop))?;
            signs.at(COMPARING);
            nap();
        }
    }
    outcome.verified += compared(runner, Extent::Sample(500))?;
    Ok(())
}

/// Changes the phase, and prints how long that took.
fn changed(
    name: &'static str,
    signs: &Signs,
    outcome: &mut Outcome,
    change: impl FnOnce() -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    signs.is_changing.store(true, Ordering::Relaxed);
    let begun = Instant::now();
    change()?;
    outcome.changes.push((name, begun.elapsed()));
    signs.is_changing.store(false, Ordering::Relaxed);
    Ok(())
}

/// Compares both sides; the number of answers that agree.
fn compared(runner: &Runner, extent: Extent) -> Result<u64, Refusal> {
    let report = block_on(runner.verify_to(extent, &mut |_| ()))?;
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    assert!(report.patterns.iter().all(|each| each.differences == 0), "{:?}", report.patterns);
    Ok(report.patterns.iter().map(|each| each.compared).sum())
}

/// Waits until answers were compared while people got them; their number.
fn shadowed(runner: &Runner, nap: Duration) -> Result<u64, Refusal> {
    let begun = Instant::now();
    loop {
        std::thread::sleep(nap.max(Duration::from_millis(100)));
        let answers = block_on(runner.shadowed())?;
        assert!(answers.iter().all(|each| each.differences == 0), "{answers:?}");
        let count = answers.iter().map(|each| each.compared).sum();
        if count > 0 || begun.elapsed() > PATIENCE {
            return Ok(count);
        }
    }
}

/// A database with both designs.
pub(crate) fn world(engine: Engine) -> World {
    World {
        engine,
        before: design("seller-profiles-before.sk"),
        after: design("seller-profiles.sk"),
        elsewhere: None,
    }
}
