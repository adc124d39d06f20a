//! How well the tests of a design cover it: each mutant meets the tests until one of them fails.
//!
//! Only tests that reach the part that a mutant lacks can notice it, and the shortest come first. Races are explored only for
//! mutants that no test notices without. Several mutants are tried at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use sortkey_design::{Design, Program};
use sortkey_embedded::block_on;

use super::mutants::{Mutant, Part, mutants};
use super::reach::Reach;
use super::{Outcome, Suite};

/// A mutant may make a worker start itself, or a loop go on: a test that sends this many times the requests that it sends
/// without the change, and as many more, is given up and counts as failed.
const PATIENCE: (u64, u64) = (10, 1_000);

/// The result of a survey.
pub struct Survey {
    /// The number of mutants.
    pub count: usize,
    /// Those that no test notices, in the order in which they were made.
    pub unnoticed: Vec<Mutant>,
}

/// A test as a survey sees it.
struct Candidate {
    /// Its place.
    at: usize,
    reach: Reach,
    requests: u64,
}

/// Tries some tests of a design, by their places, on every mutant of it. The tests pass on the design itself.
pub fn survey(design: &Arc<Design>, tests: &[usize], parameters: &BTreeMap<String, String>) -> Survey {
    let all = mutants(design);
    let candidates = candidates(design, tests, parameters);
    let (next, unnoticed) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(mutant) = all.get(at) else { break };
                    if !is_noticed(mutant, design, &candidates, parameters) {
                        unnoticed.lock().insert(at);
                    }
                }
            });
        }
    });
    let (count, unnoticed) = (all.len(), unnoticed.into_inner());
    let unnoticed = all.into_iter().enumerate().filter(|(at, _)| unnoticed.contains(at));
    Survey { count, unnoticed: unnoticed.map(|(_, mutant)| mutant).collect() }
}

fn candidates(
    design: &Arc<Design>,
    tests: &[usize],
    parameters: &BTreeMap<String, String>,
) -> Vec<Candidate> {
    let program = Program::of(design);
    let Ok(suite) = block_on(Suite::new(Arc::clone(design), parameters.clone())) else { return Vec::new() };
    let mut candidates: Vec<Candidate> = tests
        .iter()
        .filter_map(|at| {
            let requests = block_on(suite.requests(*at))?;
            Some(Candidate { at: *at, reach: Reach::of(&program, *at), requests })
        })
        .collect();
    candidates.sort_by_key(|each| each.requests);
    candidates
}

/// Whether a test fails on a mutant. A mutant that cannot even start is noticed.
fn is_noticed(
    mutant: &Mutant,
    design: &Design,
    candidates: &[Candidate],
    parameters: &BTreeMap<String, String>,
) -> bool {
    let Ok(mut suite) = block_on(Suite::new(Arc::new(mutant.of(design)), parameters.clone())) else {
        return true;
    };
    suite.limits = vec![u64::MAX; suite.tests().len()];
    for each in candidates {
        suite.limits[each.at] = each.requests * PATIENCE.0 + PATIENCE.1;
    }
    let fails = |outcome: Outcome| !outcome.passed();
    let tests = by_reach(candidates, mutant.part);
    tests.iter().any(|each| fails(block_on(suite.run_once(each.at))))
        || tests.iter().filter(|each| each.reach.races).any(|each| fails(block_on(suite.run(each.at))))
}

/// The tests that a part matters to, those first that reach it. A part that no test calls changes nothing for it; an entity may also be
/// touched by a counter, a cascade or a reference.
fn by_reach(candidates: &[Candidate], part: Part) -> Vec<&Candidate> {
    let (near, far): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|each| each.reach.has(part));
    match part {
        Part::Entity(_) => near.into_iter().chain(far).collect(),
        Part::Pattern(_) | Part::Operation(_) => near,
    }
}
