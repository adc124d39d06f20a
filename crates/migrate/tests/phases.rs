//! The phases of a migration as a model, checked exhaustively: two processes that serve, two runners, crashes anywhere.
//!
//! One item represents all. Processes work with copies of the state that may be old; a change of phase is relied upon only when
//! no older copy is left, which is what the wait is for. Writes read first and are stored on condition, as the layer does it.

use stateright::{Checker, Model, Property};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Phase {
    Prepared,
    Starting,
    Both,
    Switched,
    Finished,
}

/// The value of an item; none if there is none.
type Value = Option<u8>;

/// The state of a process that serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Core {
    /// Its copy of the phase, with its epoch; none if it is too old.
    copy: Option<(Phase, u8)>,
    /// A write on its way.
    write: Option<Write>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Write {
    phase: Phase,
    epoch: u8,
    value: Value,
    old: Value,
    new: Value,
}

/// A runner with its lease and what it read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Runner {
    fence: Option<u8>,
    read: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    phase: Phase,
    epoch: u8,
    settled: u8,
    fence: u8,
    copied: bool,
    verified: bool,
    /// Whether new items were removed since nobody makes any.
    emptied: bool,
    old: Value,
    new: Value,
    /// The value after the last acknowledged write.
    acknowledged: Value,
    writes: u8,
    cores: [Core; 2],
    runners: [Runner; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Refresh(usize),
    Expire(usize),
    BeginWrite(usize, bool),
    Commit(usize),
    CrashCore(usize),
    Go(Phase),
    Settle,
    Lease(usize),
    Read(usize),
    Store(usize),
    CrashRunner(usize),
    Verify,
    /// The copy is forgotten, and new items are only removed from now on.
    Withdraw,
    Empty,
}

/// The migration, or one with a part left out, which must be found to lose something.
struct Migration {
    /// Whether there is a phase in which new items are only removed.
    starts: bool,
    /// Whether a change of phase waits for the one before.
    waits: bool,
    /// Whether the copy checks its lease.
    fences: bool,
}

const MOST_WRITES: u8 = 2;
const MOST_EPOCHS: u8 = 5;
const MOST_LEASES: u8 = 2;

impl World {
    /// Whether no process works with an older phase any more.
    fn is_quiet(&self) -> bool {
        self.cores.iter().all(|core| {
            core.copy.is_none_or(|(_, epoch)| epoch == self.epoch)
                && core.write.is_none_or(|write| write.epoch == self.epoch)
        })
    }

    fn answer(&self) -> Value {
        match self.phase {
            Phase::Prepared | Phase::Starting | Phase::Both => self.old,
            Phase::Switched | Phase::Finished => self.new,
        }
    }
}

impl Model for Migration {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![World {
            phase: Phase::Prepared,
            epoch: 1,
            settled: 1,
            fence: 0,
            copied: false,
            verified: false,
            emptied: false,
            old: Some(0),
            new: None,
            acknowledged: Some(0),
            writes: 0,
            cores: [Core { copy: Some((Phase::Prepared, 1)), write: None }; 2],
            runners: [Runner::default(); 2],
        }]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        for (at, core) in world.cores.iter().enumerate() {
            if core.copy != Some((world.phase, world.epoch)) {
                steps.push(Step::Refresh(at));
            }
            if core.copy.is_some_and(|(_, epoch)| epoch < world.epoch) {
                steps.push(Step::Expire(at));
            }
            match core.write {
                None if core.copy.is_some() && world.writes < MOST_WRITES => {
                    steps.extend([Step::BeginWrite(at, true), Step::BeginWrite(at, false)]);
                }
                None => {}
                Some(_) => steps.extend([Step::Commit(at), Step::CrashCore(at)]),
            }
        }
        let is_settled = world.settled == world.epoch || !self.waits;
        if world.epoch < MOST_EPOCHS && is_settled {
            match world.phase {
                Phase::Prepared if self.starts => steps.push(Step::Go(Phase::Starting)),
                Phase::Prepared => steps.push(Step::Go(Phase::Both)),
                Phase::Starting if world.emptied => {
                    steps.extend([Step::Go(Phase::Both), Step::Go(Phase::Prepared)]);
                }
                Phase::Starting => steps.push(Step::Go(Phase::Both)),
                Phase::Both => {
                    if world.verified {
                        steps.push(Step::Go(Phase::Switched));
                    }
                    if self.starts {
                        steps.push(Step::Withdraw);
                    }
                }
                Phase::Switched => steps.extend([Step::Go(Phase::Both), Step::Go(Phase::Finished)]),
                Phase::Finished => {}
            }
        }
        if world.settled < world.epoch && (world.is_quiet() || !self.waits) {
            steps.push(Step::Settle);
        }
        if world.copied && !world.verified {
            steps.push(Step::Verify);
        }
        if world.phase == Phase::Starting && world.settled == world.epoch && !world.emptied {
            steps.push(Step::Empty);
        }
        for (at, runner) in world.runners.iter().enumerate() {
            match (runner.fence, runner.read) {
                (None, _) => {
                    let may = world.phase == Phase::Both && !world.copied && world.settled == world.epoch;
                    if may && world.fence < MOST_LEASES {
                        steps.push(Step::Lease(at));
                    }
                }
                (Some(_), None) => steps.extend([Step::Read(at), Step::CrashRunner(at)]),
                (Some(_), Some(_)) => steps.extend([Step::Store(at), Step::CrashRunner(at)]),
            }
        }
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        let mut next = world.clone();
        match step {
            Step::Refresh(at) => next.cores[at].copy = Some((world.phase, world.epoch)),
            Step::Expire(at) => next.cores[at].copy = None,
            Step::BeginWrite(at, removes) => {
                let (phase, epoch) = world.cores[at].copy?;
                next.writes += 1;
                let value = (!removes).then_some(next.writes);
                next.cores[at].write = Some(Write { phase, epoch, value, old: world.old, new: world.new });
            }
            Step::Commit(at) => {
                let write = next.cores[at].write.take()?;
                let is_unchanged = match write.phase {
                    // One design alone, as before and after the migration.
                    Phase::Prepared => {
                        next.old = write.value;
                        true
                    }
                    Phase::Finished => {
                        next.new = write.value;
                        true
                    }
                    // Both in one transaction, on condition that what was read is unchanged.
                    Phase::Starting | Phase::Both => world.old == write.old,
                    Phase::Switched => world.old == write.old && world.new == write.new,
                };
                if matches!(write.phase, Phase::Both | Phase::Switched) && is_unchanged {
                    (next.old, next.new) = (write.value, write.value);
                }
                if write.phase == Phase::Starting && is_unchanged {
                    (next.old, next.new) = (write.value, None);
                }
                if is_unchanged {
                    next.acknowledged = write.value;
                }
            }
            Step::CrashCore(at) => next.cores[at] = Core::default(),
            Step::Go(phase) => {
                next.phase = phase;
                next.epoch += 1;
                next.emptied = false;
            }
            Step::Withdraw => {
                // The copying process has lost its lease.
                next.fence += 1;
                (next.copied, next.verified) = (false, false);
                next.phase = Phase::Starting;
                next.epoch += 1;
            }
            Step::Empty => (next.new, next.emptied) = (None, true),
            Step::Settle => next.settled = world.epoch,
            Step::Lease(at) => {
                next.fence += 1;
                next.runners[at] = Runner { fence: Some(next.fence), read: None };
            }
            Step::Read(at) => next.runners[at].read = Some(world.old),
            Step::Store(at) => {
                let Runner { fence, read } = world.runners[at];
                let read = read?;
                next.runners[at].read = None;
                if self.fences && fence != Some(world.fence) {
                    next.runners[at] = Runner::default();
                } else if !self.fences || world.old == read {
                    // An item that a writer has carried over stays.
                    if world.new.is_none() {
                        next.new = read;
                    }
                    next.copied = true;
                    next.runners[at] = Runner::default();
                }
            }
            Step::CrashRunner(at) => next.runners[at] = Runner::default(),
            Step::Verify => next.verified = world.old == world.new,
        }
        (next != *world).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Migration>> {
        vec![
            Property::always("no acknowledged write is lost", |_, world: &World| {
                world.answer() == world.acknowledged
            }),
            Property::always("once copied, both sides hold the same until the end", |_, world: &World| {
                let is_both = matches!(world.phase, Phase::Both | Phase::Switched);
                !(world.copied && is_both) || world.old == world.new
            }),
            Property::always("what was taken back left nothing", |_, world: &World| {
                world.phase != Phase::Prepared || world.new.is_none()
            }),
            Property::sometimes("it is taken back", |_, world: &World| {
                world.phase == Phase::Prepared && world.epoch > 1 && world.writes > 0
            }),
            Property::sometimes("it comes to its end with a write on the way", |_, world: &World| {
                world.phase == Phase::Finished && world.writes > 0
            }),
            Property::sometimes("it goes back", |_, world: &World| {
                world.phase == Phase::Both && world.epoch == MOST_EPOCHS
            }),
        ]
    }
}

#[test]
fn every_order_of_events_keeps_what_was_acknowledged() {
    let checker =
        Migration { starts: true, waits: true, fences: true }.checker().threads(2).spawn_bfs().join();
    assert!(checker.unique_state_count() > 10_000, "{} states", checker.unique_state_count());
    checker.assert_properties();
}

#[test]
fn without_the_phase_in_between_a_new_item_is_out_of_date() {
    let checker =
        Migration { starts: false, waits: true, fences: true }.checker().threads(2).spawn_bfs().join();
    assert!(checker.discovery("once copied, both sides hold the same until the end").is_some());
}

#[test]
fn without_the_wait_a_write_is_lost() {
    let checker =
        Migration { starts: true, waits: false, fences: true }.checker().threads(2).spawn_bfs().join();
    assert!(checker.discovery("no acknowledged write is lost").is_some());
}

#[test]
fn without_the_checks_of_the_copy_the_sides_differ() {
    let checker =
        Migration { starts: true, waits: true, fences: false }.checker().threads(2).spawn_bfs().join();
    assert!(checker.discovery("once copied, both sides hold the same until the end").is_some());
}
