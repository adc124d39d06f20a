//! The steps of a migration, each of which can be taken again after it was cut off.

use std::sync::Arc;
use std::time::Duration;

use sortkey_api::Backend;
use sortkey_core::Settings;

use crate::pace::Rate;
use crate::plan::{Plan, Side};
use crate::refusal::Refusal;
use crate::segments::together;
use crate::shadow::Spawn;
use crate::state::{Home, Lease, Phase, State};
use crate::steady::Steady;
use crate::watch::Ages;

/// How long a silent runner keeps its lease.
pub(crate) const LEASE: Duration = Duration::from_secs(30);
/// As many differences as are listed.
const LISTED: usize = 10;
/// How often a state is written again because it was changed concurrently.
const ATTEMPTS: usize = 16;
/// In how many parts a table is copied at once, by default.
const SEGMENTS: u32 = 4;
/// DynamoDB takes a million; beyond this the places of the copy cost more than they bring.
const MAX_SEGMENTS: u32 = 64;

/// Carries out a plan.
#[derive(Clone)]
pub struct Runner {
    pub(crate) plan: Arc<Plan>,
    pub(crate) backend: Steady,
    pub(crate) home: Home,
    pub(crate) ages: Ages,
    holder: String,
    segments: u32,
    pub(crate) spawn: Option<Spawn>,
}

/// A lease that this runner has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) fence: u64,
}

impl Runner {
    /// A runner on a bare backend.
    pub fn new(
        plan: Arc<Plan>,
        backend: Arc<dyn Backend>,
        settings: Settings,
        ages: Ages,
    ) -> Result<Runner, Refusal> {
        let backend = Steady::new(backend, settings);
        let home = Home::of(&plan).ok_or_else(|| Refusal::new("the state of the migration has no place"))?;
        let holder = backend.token()?;
        Ok(Runner { plan, backend, home, ages, holder, segments: SEGMENTS, spawn: None })
    }

    /// Copies every table in so many parts at once. A copy that has begun keeps its own number.
    pub fn in_segments(self, segments: u32) -> Runner {
        Runner { segments: segments.clamp(1, MAX_SEGMENTS), ..self }
    }

    /// Copies the parts of a table as tasks of their own, which may use several processors.
    pub fn spawning(self, spawn: Spawn) -> Runner {
        Runner { spawn: Some(spawn), ..self }
    }

    /// How long a change of phase waits for processes that serve.
    pub fn wait(&self) -> Duration {
        self.ages.wait
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The state with how far the copy is; none if nothing was prepared.
    pub async fn state(&self) -> Result<Option<State>, Refusal> {
        let Some(mut state) = self.own_state().await? else { return Ok(None) };
        if state.segments > 0 {
            let walks = self.home.walks(&self.backend, self.plan.fingerprint(), state.segments).await?;
            state.walks = together(self.plan.stages().iter().map(|stage| &*stage.label), &walks);
        }
        Ok(Some(state))
    }

    async fn own_state(&self) -> Result<Option<State>, Refusal> {
        match self.home.read(&self.backend).await? {
            // An earlier migration that is over, or was taken back, is no hindrance.
            Some(state)
                if state.plan != self.plan.fingerprint()
                    && matches!(state.phase, Phase::Prepared | Phase::Finished) =>
            {
                Ok(None)
            }
            Some(state) if state.plan != self.plan.fingerprint() => Err(Refusal::new(format!(
                "a migration with another plan is in phase `{}`: use the designs that it was started with, or take it back \
                 first",
                state.phase
            ))),
            state => Ok(state),
        }
    }

    /// The state of a migration that has begun.
    pub(crate) async fn begun(&self) -> Result<State, Refusal> {
        self.state().await?.ok_or_else(not_begun)
    }

    /// Changes the state, again if it was changed concurrently; `change` may refuse.
    pub(crate) async fn change(
        &self,
        mut change: impl FnMut(&mut State) -> Result<(), Refusal>,
    ) -> Result<State, Refusal> {
        for _ in 0..ATTEMPTS {
            let read = self.own_state().await?.ok_or_else(not_begun)?;
            let mut state = read.clone();
            change(&mut state)?;
            if state == read {
                return Ok(state);
            }
            if let Some(state) = self.home.write(&self.backend, Some(&read), state).await? {
                return Ok(state);
            }
            self.backend.rest().await;
        }
        Err(Refusal::new("the state of the migration keeps changing: try again"))
    }

    /// Writes down the plan. The new tables exist.
    pub async fn prepare(&self) -> Result<State, Refusal> {
        if let Some(state) = self.state().await? {
            return Ok(state);
        }
        self.is_current().await?;
        for info in self.plan.entities(Side::New) {
            let is_shared = self.plan.concerns(Side::Old, info.table.name());
            if !is_shared && self.has_items(info.table.name(), info).await? {
                return Err(Refusal::new(format!(
                    "table \"{}\" has items that no migration made: empty it, or give the new table another name",
                    info.table.name()
                )));
            }
        }
        let earlier = self.home.read(&self.backend).await?;
        // Leases are counted on: a runner of the earlier migration must not be taken for one of this.
        let fence = earlier.as_ref().map_or(0, |state| state.fence);
        let state = State::prepared(&self.plan, self.backend.now_ms(), fence);
        match self.home.write(&self.backend, earlier.as_ref(), state).await? {
            Some(state) => Ok(state),
            None => self.begun().await,
        }
    }

    /// Refuses a plan whose old design is not the one that the tables were deployed with: it would misread items, or leave out
    /// what a later version has added.
    pub(crate) async fn is_current(&self) -> Result<(), Refusal> {
        let migrations = &self.plan.new.program().design.migrations;
        if migrations.first().is_some_and(|migration| !migration.steps.is_empty()) {
            return Err(Refusal::new(
                "the `migrate` block says by `steps` how another tool carries it out: take them out, and it is carried out in the \
                 phases of `sortkey migrate`",
            ));
        }
        let found = sortkey_deploy::differences(&self.plan.old).await;
        let found = found.map_err(|error| Refusal::new(explain(&error)))?.unwrap_or_default();
        let matters = found.into_iter().filter(|each| match each.class.number() {
            3..=5 => true,
            6 => each.concern.entity.is_some(),
            _ => false,
        });
        let listed: Vec<String> =
            matters.map(|each| format!("{}: {}", each.subject, each.change)).take(LISTED).collect();
        if listed.is_empty() {
            return Ok(());
        }
        let from = migrations.first().map_or("", |migration| migration.from.as_str());
        let why = format!(
            "the tables were deployed with another version of the old design than `{from}`: name that version in the `migrate` block, or \
             bring the tables to this one with `sortkey up {from}`. Compared with the deployed version:"
        );
        Err(Refusal::all([why].into_iter().chain(listed)))
    }

    /// Goes to another phase and waits until every process works with it.
    pub(crate) async fn go(&self, from: &[Phase], to: Phase, why: &str) -> Result<State, Refusal> {
        // A runner that was cut off may not have waited for the change before: two changes at once would let processes write
        // that are two phases apart.
        self.settle().await?;
        self.change(|state| {
            if state.phase == to {
                return Ok(());
            }
            if !from.contains(&state.phase) {
                return Err(Refusal::new(format!("the migration is in phase `{}`: {why}", state.phase)));
            }
            state.phase = to;
            state.epoch += 1;
            Ok(())
        })
        .await?;
        self.settle().await
    }

    /// Waits until every process works with the present phase, unless that was done before.
    pub(crate) async fn settle(&self) -> Result<State, Refusal> {
        let state = self.begun().await?;
        if state.settled == state.epoch {
            return Ok(state);
        }
        self.backend.pause(self.ages.wait).await;
        let waited = state.epoch;
        self.change(|state| {
            if state.epoch == waited {
                state.settled = waited;
            }
            Ok(())
        })
        .await?;
        self.begun().await
    }

    /// Writes both designs from now on, if every item fits the new one. Processes that serve the old design by itself stop
    /// writing before anything is copied.
    pub async fn start(&self) -> Result<State, Refusal> {
        if self.begun().await?.phase == Phase::Prepared {
            self.fits().await?;
            sortkey_deploy::supersede(&self.plan.old).await.map_err(|error| Refusal::new(explain(&error)))?;
            self.go(&[Phase::Prepared], Phase::Starting, "it was started before").await?;
        }
        self.go(&[Phase::Starting], Phase::Both, "it was started before").await
    }

    /// Answers from the new design from now on.
    pub async fn switch(&self) -> Result<State, Refusal> {
        let state = self.begun().await?;
        if state.phase != Phase::Switched {
            self.ready().await?;
            if state.captured {
                self.caught_up().await?;
            }
        }
        let switched =
            self.go(&[Phase::Both, Phase::Shadow], Phase::Switched, "there is nothing to switch").await?;
        if !state.captured {
            return Ok(switched);
        }
        let strays = self.strays().await?;
        if strays.is_empty() {
            return self.begun().await;
        }
        self.back().await?;
        let why = "the switch was taken back: other programs wrote old items meanwhile, which the new design would not show. Let \
                   them stop, or write the new tables, and switch again. Among these items:";
        Err(Refusal::all([why.to_owned()].into_iter().chain(strays)))
    }

    /// Takes a switch back that was cancelled while it waited; before anything was switched there is nothing to take back.
    pub async fn cancel_switch(&self) -> Result<State, Refusal> {
        let state = self.begun().await?;
        match state.phase {
            Phase::Switched => self.back().await,
            _ => Ok(state),
        }
    }

    /// Checks that the switch may happen; the refusal lists what is missing.
    pub async fn ready(&self) -> Result<(), Refusal> {
        let state = self.begun().await?;
        if !state.is_copied(&self.plan) {
            return Err(Refusal::new(
                "the copy has not reached its end: run `sortkey migrate start` to go on with it",
            ));
        }
        match &state.verified {
            Some(verified) if verified.gate.is_some() => Err(Refusal::new(
                "only what was copied up to a gate was compared: run `sortkey migrate verify` first",
            )),
            None => Err(Refusal::new("nothing was compared yet: run `sortkey migrate verify` first")),
            Some(verified) if verified.differences > 0 => Err(Refusal::new(format!(
                "the last comparison found {} differences: look at `sortkey migrate verify`, and repair them first",
                verified.differences
            ))),
            Some(_) => Ok(()),
        }
    }

    /// Answers from the old design again. Before the switch, ends the migration: only the old design is written again.
    pub async fn back(&self) -> Result<State, Refusal> {
        let state = self.begun().await?;
        if state.phase <= Phase::Both {
            return self.withdraw().await;
        }
        if state.phase == Phase::Switched {
            let ahead = self.ahead().await?;
            if !ahead.is_empty() {
                let shown: Vec<String> = ahead
                    .iter()
                    .take(10)
                    .map(|(place, names)| format!("{place}: {}", names.join(", ")))
                    .collect();
                return Err(Refusal::all(
                    [format!(
                        "{} items have values that the old design cannot show, so there is no way back:",
                        ahead.len()
                    )]
                    .into_iter()
                    .chain(shown),
                ));
            }
        }
        self.go(&[Phase::Switched, Phase::Shadow], Phase::Both, "there is no switch to take back").await
    }

    /// Lets the copy rest at the end of a stage until what is copied up to there was compared. Without a stage, a gate that the
    /// copy has not come to stays. A gate that it has come to opens only after a comparison without differences.
    pub async fn until(&self, stage: Option<&str>) -> Result<State, Refusal> {
        let labels: Vec<&str> = self.plan.stages().iter().map(|stage| &*stage.label).collect();
        if let Some(unknown) = stage.filter(|stage| !labels.contains(stage)) {
            return Err(Refusal::new(format!(
                "{unknown:?} is not a table that is copied; these are, in this order: {}",
                labels.join(", ")
            )));
        }
        let state = self.begun().await?;
        let gate = match (state.reached(&self.plan), stage) {
            (Some(gate), _) if !state.is_verified(&self.plan) => {
                return Err(Refusal::new(format!(
                    "the copy rests at {gate}: run `sortkey migrate verify`, which has to find no differences, before it goes on"
                )));
            }
            (None, None) => state.gate,
            (_, stage) => stage.map(str::to_owned),
        };
        self.change(|state| {
            state.gate.clone_from(&gate);
            Ok(())
        })
        .await
    }

    /// Lets the copy rest, or go on.
    pub async fn pause(&self, paused: bool) -> Result<State, Refusal> {
        self.change(|state| {
            state.paused = paused;
            Ok(())
        })
        .await
    }

    /// Bounds the copy; none for as fast as it goes.
    pub async fn rate(&self, rate: Option<Rate>) -> Result<State, Refusal> {
        self.change(|state| {
            state.rate = rate;
            Ok(())
        })
        .await
    }

    /// Takes the lease: no other runner copies until it ends.
    pub(crate) async fn lease(&self) -> Result<(Held, State), Refusal> {
        self.lease_unless(true).await
    }

    /// Takes the lease from whoever has it, who is fenced off.
    pub(crate) async fn seize(&self) -> Result<(Held, State), Refusal> {
        self.lease_unless(false).await
    }

    /// Whether another runner has the lease.
    pub fn is_another(&self, state: &State) -> bool {
        let now_ms = self.backend.now_ms();
        state.lease.as_ref().is_some_and(|lease| lease.holder != self.holder && lease.until_ms > now_ms)
    }

    async fn lease_unless(&self, waits: bool) -> Result<(Held, State), Refusal> {
        let now_ms = self.backend.now_ms();
        let state = self
            .change(|state| {
                if let Some(lease) = state.lease.as_ref().filter(|lease| lease.holder != self.holder)
                    && lease.until_ms > now_ms
                    && waits
                {
                    let seconds = (lease.until_ms - now_ms + 999) / 1000;
                    return Err(Refusal::new(format!(
                        "another runner is at work: its lease ends in {seconds} s unless it renews it"
                    )));
                }
                state.fence += 1;
                if state.segments == 0 {
                    state.segments = self.segments;
                }
                state.lease = Some(self.lease_from(now_ms));
                Ok(())
            })
            .await?;
        Ok((Held { fence: state.fence }, state))
    }

    pub(crate) fn lease_from(&self, now_ms: i64) -> Lease {
        let until_ms = now_ms.saturating_add(i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX));
        Lease { holder: self.holder.clone(), until_ms }
    }

    /// Gives the lease back, however the work under it ended: the next runner need not wait until the lease is over.
    pub(crate) async fn end_lease<T>(&self, held: Held, ended: Result<T, Refusal>) -> Result<T, Refusal> {
        let released = self.release(held).await;
        // Why the work stopped matters more than a lease that ends by itself.
        let value = ended?;
        released.map(|()| value)
    }

    async fn release(&self, held: Held) -> Result<(), Refusal> {
        self.change(|state| {
            if state.fence == held.fence {
                state.lease = None;
            }
            Ok(())
        })
        .await
        .map(drop)
    }
}

/// The cause of a failed deployment, as one sentence.
pub(crate) fn explain(error: &sortkey_deploy::DeployError) -> String {
    use sortkey_deploy::DeployError::{Failed, NotUnique, Refused, Stopped};
    match error {
        Refused(all) | NotUnique(all) => {
            all.iter().map(|each| each.title.clone()).collect::<Vec<_>>().join("; ")
        }
        Failed { table, doing, error } => format!("{doing} of table {table:?}: {error}"),
        Stopped { table, failure } => format!("table {table:?}: {failure}"),
    }
}

fn not_begun() -> Refusal {
    Refusal::new("no migration has begun: run `sortkey migrate start` first")
}

/// The refusal of a runner whose lease has gone to another.
pub(crate) fn fenced() -> Refusal {
    Refusal::new("another runner has taken over: this one stops, and nothing of it is lost")
}
