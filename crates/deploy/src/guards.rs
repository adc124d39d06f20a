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

use sortkey_diagnostics::Diagnostic;

use self::clause::{Clause, clauses};
use self::duplicate::Duplicate;
use self::marker::State;
use self::walk::Walk;
use super::apply::{DeployError, Progress, Step, Watcher};
use super::compare::Change;
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

/// Whether entities declare unique values.
pub(super) fn has_clauses(runtime: &Runtime, infos: &[&EntityInfo]) -> bool {
    !clauses(runtime, infos).is_empty()
}

/// A table whose guards are maintained.
pub(super) struct Table<'a> {
    runtime: &'a Runtime,
    name: &'a str,
    /// Any of its entities: all have the table's keys.
    first: &'a EntityInfo,
    clauses: Vec<Clause<'a>>,
}

impl<'a> Table<'a> {
    pub(super) fn of(runtime: &'a Runtime, name: &'a str) -> Option<Table<'a>> {
        let infos: Vec<&EntityInfo> =
            runtime.shared().entities.iter().filter(|info| info.table.name() == name).collect();
        let first = infos.first()?;
        Some(Table { runtime, name, first, clauses: clauses(runtime, &infos) })
    }

    /// Marks all clauses as not covered.
    pub(super) async fn doubt(&self) -> Result<(), DeployError> {
        let session = self.runtime.session();
        let there = self.read(&session).await?;
        if there != State::default() {
            self.write(&session, &there, &State::default()).await?;
        }
        Ok(())
    }

    /// Whether every unique value has its guard.
    pub(super) async fn is_covered(&self) -> Result<bool, DeployError> {
        let there = self.read(&self.runtime.session()).await?;
        Ok(self.clauses.iter().all(|clause| there.covers(clause)))
    }

    /// Covers the remaining clauses. Returns the change if the table had to be walked.
    pub(super) async fn cover(
        &self,
        created: bool,
        watcher: &mut Watcher<'_>,
    ) -> Result<Option<Change>, DeployError> {
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
            tell(Step::Waiting { items: Some(walk.items), of: None });
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
