//! `sortkey migrate`: items of the old design carried over to the new one.

mod place;
mod rehearse;
mod say;
mod speed;

use clap::{Args, Subcommand};
use sortkey_deploy::deploy;
use sortkey_diagnostics::counted_with;
use sortkey_migrate::{Copied, Extent, Phase, Rate, Refusal, Runner, Side, State};

use self::place::{Opened, Where};
use super::Run;
use crate::designs;
use crate::failure::Failure;
use crate::pause::pause;
use crate::shutdown;

/// As many differences as are printed.
const LISTED: usize = 20;

/// Carry the items of an old design over to a new one while both are in use
///
/// A design with a `migrate` block names the design before it and says how its items become new ones. `plan` counts what
/// that means for the items that are there. `start` creates the new tables and copies; from then on every write goes to
/// both designs in one transaction. `verify` compares, `switch` lets the new design answer, `back` the old one again, and
/// `finish` ends it. Every step can be cut off and taken again. `sortkey up` of the new design follows the phase.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey migrate plan shop.sk                               # data in .sortkey/shop, no server running on it
  sortkey migrate rehearse shop.sk --torture 100             # on a copy in memory
  sortkey migrate start shop.sk --endpoint http://127.0.0.1:8000
  sortkey migrate status shop.sk --endpoint http://127.0.0.1:8000
  sortkey migrate verify shop.sk --endpoint http://127.0.0.1:8000
  sortkey migrate switch shop.sk --endpoint http://127.0.0.1:8000
  sortkey migrate finish shop.sk --endpoint http://127.0.0.1:8000 --name shop")]
pub(super) struct Migrate {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Count what the migration means for the items that are there; nothing is written
    Plan {
        #[command(flatten)]
        at: Where,
    },
    /// Carry the migration out on a copy in memory; nothing is written to the tables
    Rehearse {
        #[command(flatten)]
        at: Where,
        #[command(flatten)]
        harm: rehearse::Harm,
    },
    /// Create the new tables, write both designs from now on, and copy what is there; goes on where it was cut off
    Start {
        #[command(flatten)]
        at: Where,
        /// Copy at most so much in a second: items, as 500, or write units, as 2000wcu
        #[arg(long)]
        rate: Option<Rate>,
        /// Rest when this old table is copied: `verify` compares what is there, and then `start` goes on
        #[arg(long, value_name = "TABLE")]
        until: Option<String>,
        /// Programs write the old tables past Sortkey: their changes are captured from the streams of the tables, and carried
        /// over until the switch. The command goes on for as long
        #[arg(long)]
        captured: bool,
    },
    /// Show how far it is
    Status {
        #[command(flatten)]
        at: Where,
        /// Show it again every two seconds until the copy is done
        #[arg(long)]
        watch: bool,
    },
    /// Change the most that is copied in a second; 0 for no bound
    Rate {
        /// Items, as 500, or write units, as 2000wcu
        rate: Rate,
        #[command(flatten)]
        at: Where,
    },
    /// Let the copy rest; writes still go to both designs
    Pause {
        #[command(flatten)]
        at: Where,
    },
    /// Go on with the copy
    Resume {
        #[command(flatten)]
        at: Where,
    },
    /// Compare every item of both designs, and the answers of every pattern, while writes go on
    Verify {
        #[command(flatten)]
        at: Where,
        /// Compare all answers of every pattern, not a sample of them
        #[arg(long)]
        full: bool,
    },
    /// Compare some of the answers that people get with those of the new design; the old one answers
    Shadow {
        /// Of a hundred answers, how many: 10%
        #[arg(value_parser = percent)]
        share: u8,
        #[command(flatten)]
        at: Where,
    },
    /// Let the new design answer; both are still written
    Switch {
        #[command(flatten)]
        at: Where,
        /// Only print whether it would happen, and what is missing
        #[arg(long)]
        dry_run: bool,
    },
    /// Let the old design answer again; nothing is lost. Before the switch: end the migration, and remove the new items
    Back {
        #[command(flatten)]
        at: Where,
    },
    /// Write only the new design from now on; there is no way back
    Finish {
        #[command(flatten)]
        at: Where,
        /// The name of the design, to show that it is meant
        #[arg(long)]
        name: String,
    },
}

impl Run for Migrate {
    const NAME: &'static str = "migrate";

    fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Runtime::new().map_err(Failure::new)?;
        runtime.block_on(self.action.run())
    }
}

impl Action {
    async fn run(self) -> Result<(), Failure> {
        let opened = self.at().open().await?;
        let runner = &opened.runner;
        match self {
            Action::Plan { .. } => {
                let survey = runner.survey(&mut |_| ()).await.map_err(refused)?;
                designs::say(&say::survey(&survey, &opened));
                match survey.unfit_count {
                    0 => Ok(()),
                    count => Err(Failure::new(format_args!(
                        "{} not fit the new design",
                        counted_with(count, "item", ("does", "do"))
                    ))
                    .hint("repair them, or say in the mapping what becomes of them")),
                }
            }
            Action::Rehearse { harm, .. } => rehearse::run(&opened, &harm).await,
            Action::Start { rate, until, captured, .. } => {
                start(&opened, rate, until.as_deref(), captured).await
            }
            Action::Status { watch, .. } => status(&opened, watch).await,
            Action::Rate { rate, .. } => show(&opened, runner.rate(bound(rate)).await).await,
            Action::Pause { .. } => show(&opened, runner.pause(true).await).await,
            Action::Resume { .. } => {
                let state = runner.pause(false).await.map_err(refused)?;
                // The process that follows other programs goes on with the copy itself.
                match state.captured && runner.is_another(&state) {
                    true => show(&opened, Ok(state)).await,
                    false => copy(&opened).await,
                }
            }
            Action::Verify { full, .. } => verify(runner, full).await,
            Action::Shadow { share, .. } => {
                waits(runner);
                show(&opened, runner.shadow(share).await).await
            }
            Action::Switch { dry_run: true, .. } => {
                runner.ready().await.map_err(refused)?;
                designs::say(
                    "the copy is whole and was compared without differences: `switch` would happen\n",
                );
                Ok(())
            }
            Action::Switch { .. } => {
                runner.ready().await.map_err(refused)?;
                waits(runner);
                switch(&opened).await
            }
            Action::Back { .. } => {
                waits(runner);
                show(&opened, runner.back().await).await
            }
            Action::Finish { name, .. } => {
                if name != opened.name {
                    return Err(Failure::new(format_args!(
                        "--name {name}: the design is called {}",
                        opened.name
                    )));
                }
                let state = runner.finish(&mut |_| ()).await.map_err(refused)?;
                designs::say(&say::state(&state, &opened));
                let old = runner.plan().tables(Side::Old);
                let kept = old.iter().filter(|table| !runner.plan().tables(Side::New).contains(table));
                let kept: Vec<&str> = kept.map(|table| &**table).collect();
                if !kept.is_empty() {
                    designs::say(&format!(
                        "kept as they were, protected from deletion: {}\n",
                        kept.join(", ")
                    ));
                }
                for (table, arn) in &state.backups {
                    designs::say(&format!("backed up: {table} as {arn}\n"));
                }
                Ok(())
            }
        }
    }

    fn at(&self) -> &Where {
        match self {
            Action::Plan { at }
            | Action::Rehearse { at, .. }
            | Action::Start { at, .. }
            | Action::Status { at, .. }
            | Action::Rate { at, .. }
            | Action::Pause { at }
            | Action::Resume { at }
            | Action::Verify { at, .. }
            | Action::Shadow { at, .. }
            | Action::Switch { at, .. }
            | Action::Back { at }
            | Action::Finish { at, .. } => at,
        }
    }
}

/// Switches, unless that is cancelled while it waits.
async fn switch(opened: &Opened) -> Result<(), Failure> {
    let cancelled = tokio::select! {
        state = opened.runner.switch() => return show(opened, state).await,
        () = shutdown::asked_for() => opened.runner.cancel_switch(),
    };
    designs::say("cancelled: the old design goes on answering, which takes another wait\n");
    show(opened, cancelled.await).await
}

async fn start(
    opened: &Opened,
    rate: Option<Rate>,
    until: Option<&str>,
    captured: bool,
) -> Result<(), Failure> {
    let runner = &opened.runner;
    if runner.state().await.map_err(refused)?.is_none() {
        let naming = opened.runtime.shared().settings.naming();
        let design = opened.runtime.design();
        deploy(design, &naming, opened.runtime.backend(), &pause, &mut |_| ())
            .await
            .map_err(|error| opened.failure(error))?;
    }
    let mut state = runner.prepare().await.map_err(refused)?;
    if let Some(rate) = rate {
        state = runner.rate(bound(rate)).await.map_err(refused)?;
    }
    if captured {
        runner.capture().await.map_err(refused)?;
    }
    if until.is_some() || state.gate.is_some() {
        runner.until(until).await.map_err(refused)?;
    }
    if state.phase < Phase::Both {
        designs::say("waiting until every process writes both designs\n");
        runner.start().await.map_err(refused)?;
    }
    copy(opened).await
}

/// Says what a change of phase waits for.
fn waits(runner: &Runner) {
    let seconds = runner.wait().as_secs();
    if seconds > 0 {
        designs::say(&format!(
            "waiting {seconds} s for every process that serves one of the designs, also those that cannot be seen from here; \
             calls are answered meanwhile\n"
        ));
    }
}

/// `10%` or `10`.
fn percent(text: &str) -> Result<u8, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    number.filter(|percent| (1..=100).contains(percent)).ok_or_else(|| "between 1% and 100%".to_owned())
}

/// The bound of a rate; a rate of 0 means none.
fn bound(rate: Rate) -> Option<Rate> {
    (!matches!(rate, Rate::Items(0) | Rate::Units(0))).then_some(rate)
}

/// Copies, and then follows other programs where that is asked for.
async fn copy(opened: &Opened) -> Result<(), Failure> {
    let runner = &opened.runner;
    loop {
        copy_once(opened).await?;
        let state = runner.state().await.map_err(refused)?;
        let follows = |state: &State| state.captured && !runner.wait().is_zero();
        if !state.as_ref().is_some_and(|state| follows(state) && state.phase < Phase::Switched) {
            return Ok(());
        }
        designs::say("following what other programs write; after Ctrl-C, `start` goes on with it\n");
        let state = runner.follow(&mut |_, unfit| say::unfit(unfit)).await.map_err(refused)?;
        if !matches!(state.phase, Phase::Both | Phase::Shadow) {
            return show(opened, Ok(state)).await;
        }
    }
}

async fn copy_once(opened: &Opened) -> Result<(), Failure> {
    let runner = &opened.runner;
    let bar = crate::progress::entries("copied");
    let watched = bar.clone();
    let outcome = runner
        .copy(&mut |state| watched.set_position(state.walks.values().map(|walk| walk.copied).sum()))
        .await;
    bar.finish_and_clear();
    let copied = outcome.map_err(refused)?;
    let state = runner.state().await;
    match copied {
        Copied::Paused => designs::say("the copy rests: `sortkey migrate resume` goes on with it\n"),
        Copied::AtGate => designs::say("the copy rests at its gate until what is copied was compared\n"),
        Copied::Done => {}
    }
    match state {
        Ok(Some(state)) => show(opened, Ok(state)).await,
        Ok(None) => Ok(()),
        Err(refusal) => Err(refused(refusal)),
    }
}

async fn status(opened: &Opened, watch: bool) -> Result<(), Failure> {
    let runner = &opened.runner;
    loop {
        let Some(mut state) = runner.state().await.map_err(refused)? else {
            designs::say(&format!("no migration has begun\nnext: sortkey migrate plan {}\n", opened.shown));
            return Ok(());
        };
        let speed = speed::of(opened, &mut state).await?;
        designs::say(&say::look(&state, &speed, opened));
        if let Some(captured) = runner.captured().await.map_err(refused)? {
            designs::say(&say::captured(&captured));
        }
        if state.phase == Phase::Shadow {
            designs::say(&say::answers(&runner.shadowed().await.map_err(refused)?));
        }
        if !watch || state.phase != Phase::Both || state.is_copied(runner.plan()) {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    }
}

async fn verify(runner: &Runner, full: bool) -> Result<(), Failure> {
    let report = match full {
        true => runner.verify_to(Extent::Full, &mut |_| ()).await,
        false => runner.verify(&mut |_| ()).await,
    };
    let report = report.map_err(refused)?;
    designs::say(&say::answers(&report.patterns));
    if !report.without.is_empty() {
        let names: Vec<&str> = report.without.iter().map(|name| &**name).collect();
        designs::say(&format!("without a successor in the new design: {}\n", names.join(", ")));
    }
    for difference in report.listed.iter().take(LISTED) {
        designs::say(&format!("{}: {}\n", difference.place, difference.what));
    }
    if report.differences > LISTED as u64 {
        designs::say(&format!("and {} more\n", report.differences - LISTED as u64));
    }
    designs::say(&format!("{} items compared, {} differences\n", report.items, report.differences));
    match report.differences {
        0 => Ok(()),
        count => Err(Failure::new(format_args!("{count} differences between the old and the new items"))),
    }
}

/// Prints what a change came to, with how far the copy is.
async fn show(opened: &Opened, changed: Result<State, Refusal>) -> Result<(), Failure> {
    let changed = changed.map_err(refused)?;
    let state = opened.runner.state().await.map_err(refused)?.unwrap_or(changed);
    designs::say(&say::state(&state, opened));
    Ok(())
}

fn refused(refusal: Refusal) -> Failure {
    Failure::new(refusal)
}
