//! Guards for items that are older than a `unique` clause, or than the present meaning of its values.
//!
//! A table's marker lists the clauses that are covered. A table that was created just now is covered from the start; any
//! other is walked once per new clause, and only then does the design begin to serve. If two items have one value, the
//! design is refused and no item is changed: the guards made so far are hidden from all readers,
//! and the next walk corrects them.

mod claim;
mod clause;
mod duplicate;
mod marker;
#[cfg(test)]
mod tests;
mod walk;

use std::time::Duration;

use sortkey_diagnostics::Diagnostic;

use self::clause::{Clause, clauses};
use self::duplicate::Duplicate;
use self::marker::State;
use self::walk::Walk;
use super::apply::{DeployError, Deployment, Pause, Progress, Step, Watcher, deploy};
use super::compare::Change;
use super::evolve::Evolution;
use super::layout::Layout;
use super::tables::desired;
use sortkey_core::internals::{EntityInfo, Session};
use sortkey_core::{Failure, FailureKind, Runtime};

/// How often a table is looked at again because another deployment changed its marker.
const ATTEMPTS: usize = 4;

/// Whether to trust a table's marker about which unique values have guards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// Trusted: only clauses that are new, or mean something else, are walked for.
    #[default]
    AsMarked,
    /// Not trusted: an older design or a person may have written to the table, so every clause is walked for.
    Doubted,
}

/// How a design is deployed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether to trust the tables' markers about which unique values have guards.
    pub coverage: Coverage,
    /// Whether tables that another program made may be written to.
    pub adopt: bool,
    /// Whether the design may leave out attributes, entities and tables that have items: they stay, and nothing shows them.
    pub keeps_removed: bool,
    /// Whether the items of the previous design have been migrated: old tables with items are no reason to refuse.
    pub migrated: bool,
    /// How long processes of the previous version may take to notice that items are being rewritten; zero if no other
    /// process can have the tables open.
    pub fence: Duration,
}

impl From<Coverage> for Options {
    fn from(coverage: Coverage) -> Options {
        Options { coverage, ..Options::default() }
    }
}

/// Deploys a design to its backend: its tables, and a guard for every unique value of existing items.
pub async fn prepare(
    runtime: &Runtime,
    options: impl Into<Options>,
    pause: &Pause<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Deployment, DeployError> {
    let options: Options = options.into();

    let shared = runtime.shared();
    let naming = shared.settings.naming();
    let in_table = |name: &str| -> Vec<&EntityInfo> {
        shared.entities.iter().filter(|info| info.table.name() == name).collect()
    };
    let mut layouts = Vec::new();
    if let Some(refusal) = super::migrating::refusal(runtime).await? {
        return Err(DeployError::Refused(vec![refusal]));
    }
    let mut refusals = match options.migrated {
        true => Vec::new(),
        false => super::past::left_behind(runtime).await?,
    };
    let tables = desired(&shared.program.design, &naming).map_err(DeployError::Refused)?;
    let infos: Vec<Vec<&EntityInfo>> = tables.iter().map(|table| in_table(table.name())).collect();
    let mut evolution = Evolution::of(runtime, infos.clone(), options).await?;
    let differences = evolution.differences();
    if !differences.is_empty() {
        let change = Change::Compared(differences);
        watcher(Progress { table: "", change: &change, step: Step::Done });
    }
    for (table, infos) in tables.iter().zip(&infos) {
        let layout = Layout::of(runtime, infos).await?;
        if !options.adopt {
            let mut writes = Vec::new();
            writes.extend(layout.as_ref().map(|_| "`unique##layout`"));
            let has_guards = !clauses(runtime, infos).is_empty();
            writes.extend(has_guards.then_some("`unique##covered` and a guard for every unique value"));
            let is_known = layout.as_ref().is_some_and(Layout::is_remembered);
            refusals.extend(super::foreign::refusal(runtime, table, &writes, is_known).await?);
        }
        if let Some(layout) = layout {
            let is_known = infos.first().is_some_and(|first| evolution.knows(first));
            refusals.extend(layout.refusals(is_known).await?);
            layouts.push((layout, is_known));
        }
    }
    if refusals.is_empty() {
        refusals = evolution.refusals().await?;
    }
    if !refusals.is_empty() {
        return Err(DeployError::Refused(refusals));
    }
    let mut deployment = deploy(&shared.program.design, &naming, runtime.backend(), pause, watcher).await?;
    deployment.remarks.extend(evolution.remarks());
    evolution.carry_out(pause, watcher, &mut deployment).await?;
    for (layout, is_known) in layouts {
        deployment.remarks.extend(layout.remember(is_known).await?);
    }
    for name in deployment.tables.clone() {
        let Some(table) = Table::of(runtime, &name) else { continue };
        let is_new = deployment.changes.contains(&(name.clone(), Change::Create));
        if options.coverage == Coverage::Doubted && !is_new {
            table.doubt().await?;
        }
        let walked = table.cover(is_new, watcher).await?;
        deployment.changes.extend(walked.map(|change| (name, change)));
    }
    evolution.remember().await?;
    deployment.epochs = evolution.epochs();
    Ok(deployment)
}

/// A table whose guards are maintained.
struct Table<'a> {
    runtime: &'a Runtime,
    name: &'a str,
    /// Any of its entities: all have the table's keys.
    first: &'a EntityInfo,
    clauses: Vec<Clause<'a>>,
}

impl<'a> Table<'a> {
    fn of(runtime: &'a Runtime, name: &'a str) -> Option<Table<'a>> {
        let infos: Vec<&EntityInfo> =
            runtime.shared().entities.iter().filter(|info| info.table.name() == name).collect();
        let first = infos.first()?;
        Some(Table { runtime, name, first, clauses: clauses(runtime, &infos) })
    }

    /// Marks all clauses as not covered.
    async fn doubt(&self) -> Result<(), DeployError> {
        let session = self.runtime.session();
        let there = self.read(&session).await?;
        if there != State::default() {
            self.write(&session, &there, &State::default()).await?;
        }
        Ok(())
    }

    /// Covers the remaining clauses. Returns the change if the table had to be walked.
    async fn cover(&self, created: bool, watcher: &mut Watcher<'_>) -> Result<Option<Change>, DeployError> {
        let session = self.runtime.session();
        let wanted = marker::covering(&self.clauses);
        let mut there = match created {
            true => State::default(),
            false => self.read(&session).await?,
        };
        for _ in 0..ATTEMPTS {
            let whole = State { covered: wanted.clone(), ..State::default() };
            if there == whole {
                return Ok(None);
            }
            let is_missing = |clause: &&Clause<'_>| !there.covers(clause);
            let missing: Vec<&Clause<'_>> = self.clauses.iter().filter(is_missing).collect();
            // Clauses that the design has dropped are removed from the marker before any write without them.
            if missing.is_empty() || created && there == State::default() {
                if self.write(&session, &there, &whole).await? {
                    return Ok(None);
                }
            } else if let Some(change) = self.walked(&session, &there, &missing, &whole, watcher).await? {
                return Ok(Some(change));
            }
            there = self.read(&session).await?;
        }
        let why = "another deployment is at work on the table: start again when it is done";
        Err(self.stopped(Failure::new(FailureKind::Conflict, why)))
    }

    /// Walks the table from the place where a walk for the same clauses stopped; none if another deployment interfered.
    async fn walked(
        &self,
        session: &Session<'_>,
        there: &State,
        missing: &[&Clause<'_>],
        whole: &State,
        watcher: &mut Watcher<'_>,
    ) -> Result<Option<Change>, DeployError> {
        let change = Change::Guards(missing.iter().map(ToString::to_string).collect());
        let mut tell = |step| watcher(Progress { table: self.name, change: &change, step });
        let mut state = there.walking(missing, &self.clauses);
        if !self.write(session, there, &state).await? {
            return Ok(None);
        }
        tell(Step::Begun);
        let mut walk = Walk::new(self.runtime, session, self.first, missing);
        loop {
            let next = walk.page(state.after.clone()).await.map_err(|failure| self.stopped(failure))?;
            tell(Step::Waiting { items: Some(walk.items) });
            let Some(next) = next else { break };
            // A walk that found something has to find it again, so its place is not kept.
            if walk.duplicates.is_empty() {
                let further = State { after: Some(next.clone()), ..state.clone() };
                if !self.write(session, &state, &further).await? {
                    return Ok(None);
                }
            }
            state.after = Some(next);
        }
        let refusals: Vec<Diagnostic> = walk.duplicates.iter().map(Duplicate::explained).collect();
        if !refusals.is_empty() {
            let given_up = State { covered: state.covered.clone(), ..State::default() };
            self.write(session, &state, &given_up).await?;
            return Err(DeployError::NotUnique(refusals));
        }
        let done = self.write(session, &state, whole).await?;
        tell(Step::Done);
        Ok(done.then(|| change.clone()))
    }

    async fn read(&self, session: &Session<'_>) -> Result<State, DeployError> {
        let scope = self.runtime.scope(None);
        marker::read(session, &scope, self.first).await.map_err(|failure| self.stopped(failure))
    }

    /// Replaces the marker; false if it was changed concurrently.
    async fn write(&self, session: &Session<'_>, old: &State, new: &State) -> Result<bool, DeployError> {
        let scope = self.runtime.scope(None);
        marker::write(session, &scope, self.first, old, new).await.map_err(|failure| self.stopped(failure))
    }

    fn stopped(&self, failure: Failure) -> DeployError {
        DeployError::Stopped { table: self.name.to_owned(), failure }
    }
}
