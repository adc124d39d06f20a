//! What came of a migration under load.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::desk::Tally;

/// The steps during which calls are measured.
pub(crate) const STEPS: [&str; 6] =
    ["before", "both are written, no copy", "copying", "comparing", "shadow", "switched"];
/// The steps that the copy is compared with, and its own.
const BASELINES: [usize; 2] = [0, 1];
const COPYING: usize = 2;

/// How often calls were made in a step, and the times below which half of them stayed, and 99 of 100.
pub(crate) struct Times {
    pub(crate) count: usize,
    pub(crate) half: Duration,
    pub(crate) most: Duration,
}

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Times {
        times.sort_unstable();
        let below = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        Times { count: times.len(), half: below(50), most: below(99) }
    }
}

#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) copied: u64,
    pub(crate) took: Duration,
    /// Calls in a second that the writers were capable of.
    pub(crate) capacity: f64,
    /// How long the changes of phase took.
    pub(crate) changes: Vec<(&'static str, Duration)>,
    /// Calls by step.
    pub(crate) writes: BTreeMap<usize, Times>,
    pub(crate) reads: BTreeMap<usize, Times>,
    /// The longest that a writer waited for its call while the phase changed.
    pub(crate) pause: Duration,
    /// Answers that `verify` compared, and that the phase `shadow` compared.
    pub(crate) verified: u64,
    pub(crate) shadowed: u64,
    pub(crate) tally: Tally,
    /// By new table: items that nobody knows of, below zero those that are missing.
    pub(crate) strays: BTreeMap<&'static str, i64>,
    /// Items of these tables that nobody has made.
    pub(crate) unknown: Vec<String>,
}

impl Outcome {
    pub(crate) fn is_right(&self) -> bool {
        let tally = &self.tally;
        let counts = [tally.lost.len(), tally.differing.len(), tally.resurrected.len(), self.strays.len()];
        counts == [0; 4] && self.shadowed > 0 && self.verified > 0
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.took.as_secs_f64();
        let rate = self.copied as f64 / seconds;
        writeln!(f, "{} items copied in {seconds:.1} s, {rate:.0} in a second", self.copied)?;
        writeln!(f, "writers are capable of {:.0} calls a second, and made half as many", self.capacity)?;
        for (what, all) in [("writes", &self.writes), ("reads", &self.reads)] {
            for (step, Times { count, half, most }) in all {
                writeln!(f, "| {} | {count} {what} | p50 {half:?} | p99 {most:?} |", STEPS[*step])?;
            }
            for (baseline, copying) in
                BASELINES.iter().filter_map(|step| all.get(step).zip(all.get(&COPYING)))
            {
                let ratio = copying.most.as_secs_f64() / baseline.most.as_secs_f64();
                writeln!(
                    f,
                    "{what}: p99 {:?} and while copying {:?}, ratio {ratio:.2}",
                    baseline.most, copying.most
                )?;
            }
        }
        for (name, took) in &self.changes {
            writeln!(f, "{name} took {took:?}")?;
        }
        writeln!(f, "longest call during a change of phase: {:?}", self.pause)?;
        writeln!(f, "0 of {} answers differ in `verify`, 0 of {} in `shadow`", self.verified, self.shadowed)?;
        let tally = &self.tally;
        let lists = [
            ("lost", &tally.lost),
            ("differs", &tally.differing),
            ("resurrected", &tally.resurrected),
            ("unknown", &self.unknown),
        ];
        for (what, all) in lists {
            all.iter().take(10).try_for_each(|each| writeln!(f, "{what}: {each}"))?;
        }
        let doubled: i64 = self.strays.values().filter(|count| **count > 0).sum();
        write!(
            f,
            "{} items of writers: lost {}, differing {}, resurrected {}, duplicate {doubled}; tables with other counts: {:?}",
            tally.items,
            tally.lost.len(),
            tally.differing.len(),
            tally.resurrected.len(),
            self.strays
        )
    }
}
