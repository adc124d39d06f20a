//! A migration carried out on a copy of the database, with everything that can go wrong.
//!
//! Processes are cut off at chosen requests: the runner that copies and a server with its writers share a backend that
//! passes so many requests and then none. Their successors find the database as they left it. Requests are throttled and
//! meet others, indexes lag, clocks jump. In the end the migration has to be where an undisturbed one is, and no write that
//! was acknowledged may be lost.

mod cut;
mod writer;

use std::sync::Arc;

use futures_util::future::join;
use sortkey_api::Backend;
use sortkey_core::{Runtime, Settings};

use self::cut::Cut;
use self::writer::Writer;
use crate::plan::{Plan, Side};
use crate::refusal::Refusal;
use crate::runner::Runner;
use crate::state::Phase;
use crate::steady::Steady;
use crate::verify::{Extent, Report};
use crate::watch::{Ages, Watch};
use crate::{Dice, Layer};

/// The longest lease, and more.
const AFTER_THE_LEASE_MS: i64 = 60_000;
/// How often a migration is cut off before it is left alone.
const MOST_CUTS: u64 = 12;
/// Requests between two cuts.
const MOST_REQUESTS: u64 = 60;
/// Writes between two cuts.
const MOST_WRITES: u64 = 8;

/// A database that can be copied and disturbed.
pub trait Stage: Sized + Send + Sync {
    /// The database.
    fn backend(&self) -> Arc<dyn Backend>;
    /// Its clock, and a timer that does not wait.
    fn settings(&self) -> Settings;
    /// Another one with the same contents.
    fn fork(&self) -> Self;
    /// Does something to it.
    fn disturb(&self, trouble: Trouble);
    /// The new design on a backend of this database.
    fn design(&self, backend: Arc<dyn Backend>) -> Result<Runtime, Refusal>;
}

/// The disturbances of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The next requests are throttled.
    Throttle(u32),
    /// The next transactions meet others.
    Conflict(u32),
    /// Global indexes lag behind their tables.
    Lag,
    /// The clock goes forward or back.
    Jump(i64),
    /// Ends all disturbances but the clock's offset.
    Calm,
}

/// The result of rehearsals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rehearsed {
    /// Migrations that were carried out.
    pub migrations: u64,
    /// Processes that were cut off.
    pub cuts: u64,
    /// Writes that were acknowledged meanwhile.
    pub writes: u64,
    /// Items that were compared in the end.
    pub items: u64,
}

/// Carries out the whole migration on a fork, undisturbed, and leaves it switched. Returns what was compared, and the number of
/// requests that it took.
pub async fn rehearse<S: Stage>(stage: &S) -> Result<(S, Report, u64), Refusal> {
    let fork = stage.fork();
    let cut = Cut::new(fork.backend(), u64::MAX, false, 0);
    let runner = runner(&fork, cut.clone())?;
    go_on(&runner).await?;
    runner.back().await?;
    runner.switch().await?;
    let report = compared(&runner).await?;
    Ok((fork, report, cut.sent()))
}

/// Cuts everything off at one request of a short migration, `after` it has reached the database or before, and goes on.
/// Returns the database as it is then; none if the migration ends before that request.
pub async fn cut_at<S: Stage>(
    stage: &S,
    at: u64,
    after: bool,
    sum: &mut Rehearsed,
) -> Result<Option<S>, Refusal> {
    let fork = stage.fork();
    let cut = Cut::new(fork.backend(), at, after, 0);
    let mut writer = Writer::new(&fork, at).await?;
    let (runner, way) = (runner(&fork, cut.clone())?, layers(&fork, cut.clone())?);
    let work = async {
        go_on(&runner).await?;
        runner.back().await?;
        runner.switch().await
    };
    // Every request of both is one that may be the last.
    let (_, _) = join(work, writer.write(&way, 3)).await;
    if !cut.is_over() {
        return Ok(None);
    }
    sum.cuts += 1;
    is_sound(&fork).await?;
    end(&fork, writer, sum).await?;
    Ok(Some(fork))
}

/// While both designs are written, every new item is what its old ones make of it, whichever request was the last.
async fn is_sound(fork: &impl Stage) -> Result<(), Refusal> {
    let runner = runner(fork, fork.backend())?;
    match runner.state().await? {
        Some(state) if matches!(state.phase, Phase::Both | Phase::Shadow | Phase::Switched) => {
            let report = runner.compare_new_items(&state).await?;
            if report.differences == 0 { Ok(()) } else { Err(differs(&report)) }
        }
        _ => Ok(()),
    }
}

/// Cuts everything off again and again, at random requests, and disturbs the database meanwhile. Returns the database as it is
/// in the end.
pub async fn torture<S: Stage>(stage: &S, seed: u64, sum: &mut Rehearsed) -> Result<S, Refusal> {
    let fork = stage.fork();
    let mut dice = Dice::new(seed);
    let mut writer = Writer::new(&fork, seed).await?;
    for _ in 0..=dice.roll(MOST_CUTS) {
        fork.disturb(match dice.roll(6) {
            0 => Trouble::Throttle(dice.roll(8) as u32),
            1 => Trouble::Conflict(dice.roll(5) as u32),
            2 => Trouble::Lag,
            3 => Trouble::Jump(dice.roll(120_000) as i64 - 20_000),
            _ => Trouble::Calm,
        });
        let cut = Cut::new(fork.backend(), dice.roll(MOST_REQUESTS), dice.roll(2) == 0, dice.roll(u64::MAX));
        let (runner, way) = (runner(&fork, cut.clone())?, layers(&fork, cut.clone())?);
        let (ended, _) = join(go_on(&runner), writer.write(&way, dice.roll(MOST_WRITES))).await;
        sum.cuts += u64::from(cut.is_over());
        if ended.is_ok() && !cut.is_over() && dice.roll(2) == 0 {
            // There is a way back at any time.
            drop(runner.back().await);
        }
        fork.disturb(Trouble::Jump(AFTER_THE_LEASE_MS));
    }
    end(&fork, writer, sum).await?;
    Ok(fork)
}

/// Leaves the migration alone until it is switched, and compares.
async fn end(fork: &impl Stage, writer: Writer, sum: &mut Rehearsed) -> Result<(), Refusal> {
    fork.disturb(Trouble::Calm);
    fork.disturb(Trouble::Jump(AFTER_THE_LEASE_MS));
    let runner = runner(fork, fork.backend())?;
    go_on(&runner).await?;
    let report = compared(&runner).await?;
    sum.items += report.items;
    sum.writes += writer.acknowledged();
    sum.migrations += 1;
    writer.check(&runner).await
}

/// Continues the migration from its phase until the new design answers.
async fn go_on(runner: &Runner) -> Result<(), Refusal> {
    let state = runner.prepare().await?;
    if state.phase < Phase::Both {
        runner.start().await?;
    }
    if state.phase < Phase::Switched {
        runner.copy(&mut |_| ()).await?;
        let report = runner.verify(&mut |_| ()).await?;
        if report.differences > 0 {
            return Err(differs(&report));
        }
        runner.switch().await?;
    }
    Ok(())
}

async fn compared(runner: &Runner) -> Result<Report, Refusal> {
    let report = runner.verify_to(Extent::Full, &mut |_| ()).await?;
    match report.differences {
        0 => Ok(report),
        _ => Err(differs(&report)),
    }
}

fn differs(report: &Report) -> Refusal {
    let listed = report.listed.iter().map(|each| format!("{}: {}", each.place, each.what));
    Refusal::all([format!("{} differences:", report.differences)].into_iter().chain(listed))
}

fn plan(stage: &impl Stage, backend: Arc<dyn Backend>) -> Result<Arc<Plan>, Refusal> {
    Ok(Arc::new(Plan::new(stage.design(backend)?)?))
}

fn runner(stage: &impl Stage, backend: Arc<dyn Backend>) -> Result<Runner, Refusal> {
    let plan = plan(stage, Arc::clone(&backend))?;
    Ok(Runner::new(plan, backend, stage.settings(), Ages::ALONE)?.in_segments(2))
}

/// Both designs on the layer of the migration, as a server has them.
fn layers(stage: &impl Stage, backend: Arc<dyn Backend>) -> Result<[Layer; 2], Refusal> {
    let plan = plan(stage, Arc::clone(&backend))?;
    let steady = Steady::new(backend, stage.settings());
    let watch = Watch::new(&plan, steady.clone(), Ages::ALONE)
        .ok_or_else(|| Refusal::new("the state of the migration has no place"))?;
    let watch = Arc::new(watch);
    Ok([Side::Old, Side::New]
        .map(|side| Layer::new(Arc::clone(&plan), steady.clone(), Arc::clone(&watch), side)))
}
