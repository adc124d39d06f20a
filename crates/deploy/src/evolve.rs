//! Replaces one design by another while there are items: compares, surveys, rewrites, records.
//!
//! The tables record the version that their items are stored for. The differences are shown first. Then every item that a difference
//! concerns is looked at: the change is refused, with the keys of the items that are in the way, before anything is written.
//! Only then are items rewritten, in place and under conditions, by a walk that another deployment can go on with. The
//! design serves meanwhile on an [`Interim`], which shows every item in its new form.

mod entity;
mod interim;
mod item;
mod refuse;
mod survey;
#[cfg(test)]
mod tests;
mod turning;
mod walk;

pub use self::interim::Interim;
pub use self::turning::Turning;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use sortkey_change::{Class, Difference, diff};
use sortkey_design::Program;
use sortkey_diagnostics::Diagnostic;

use self::entity::Entities;
use self::survey::Survey;
use self::turning::Turned;
use self::walk::Walk;
use super::apply::{DeployError, Deployment, Pause, Progress, Step, Watcher};
use super::compare::Change;
use super::past;
use super::prepare::Options;
use super::record::{Record, Records, Version};
use super::tables::{Desired, desired};
use sortkey_core::internals::{EntityInfo, hex};
use sortkey_core::{Failure, FailureKind, Runtime};

/// How often a record is written again because another deployment changed it.
const ATTEMPTS: usize = 4;

/// The differences between a design and the one that was deployed last, as its tables record it; none without a record.
pub async fn differences(runtime: &Runtime) -> Result<Option<Vec<Difference>>, DeployError> {
    let evolution = recorded(runtime).await?;
    let is_known = evolution.tables.iter().any(|table| {
        table.old.is_some()
            || table.record.version.as_ref().is_some_and(|name| name.0 == evolution.version.digest)
    });
    Ok(is_known.then(|| evolution.differences()))
}

/// Whether items have been rewritten for another version since a deployment: the design of that deployment would misread
/// them, and must not write any more.
pub async fn is_superseded(runtime: &Runtime, deployment: &Deployment) -> Result<bool, DeployError> {
    for (name, epoch) in &deployment.epochs {
        let first = runtime.shared().entities.iter().find(|info| info.table.name() == name);
        let Some(records) = first.and_then(|first| Records::of(runtime, first)) else { continue };
        if records.read().await?.epoch > *epoch {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Records in every table of a design that its items are stored for this version: a migration has stored them.
pub async fn record_version(runtime: &Runtime) -> Result<(), DeployError> {
    recorded(runtime).await?.remember().await
}

/// Makes processes that serve this design alone notice that they must not write any more, as if items had been rewritten.
pub async fn supersede(runtime: &Runtime) -> Result<(), DeployError> {
    let evolution = recorded(runtime).await?;
    for table in &evolution.tables {
        let session = runtime.session();
        let raised = Record { epoch: table.record.epoch + 1, ..table.record.clone() };
        let written = table.records.write(&session, &table.record, &raised).await;
        if !written.map_err(|failure| table.stopped(failure))? {
            let why = "another deployment is at work on the table: start again when it is done";
            return Err(table.stopped(Failure::new(FailureKind::Conflict, why)));
        }
    }
    Ok(())
}

/// The version that the items of a table are stored for, as it records it.
pub(super) async fn deployed_version(runtime: &Runtime, table: &str) -> Result<Option<String>, DeployError> {
    let first = runtime.shared().entities.iter().find(|info| info.table.name() == table);
    let Some(records) = first.and_then(|first| Records::of(runtime, first)) else { return Ok(None) };
    Ok(records.read().await?.version.map(|(digest, _)| digest))
}

async fn recorded(runtime: &Runtime) -> Result<Evolution<'_>, DeployError> {
    let shared = runtime.shared();
    let tables = desired(&shared.program.design, &shared.settings.naming()).map_err(DeployError::Refused)?;
    let in_table = |table: &Desired<'_>| -> Vec<&EntityInfo> {
        shared.entities.iter().filter(|info| info.table.name() == table.name()).collect()
    };
    Evolution::of(runtime, tables.iter().map(in_table).collect(), Options::default()).await
}

/// A design, and the records of the previous one.
pub(super) struct Evolution<'a> {
    runtime: &'a Runtime,
    version: Version,
    tables: Vec<Table<'a>>,
    keeps_removed: bool,
    fence: Duration,
    /// This deployment, as the records of tables name it.
    holder: String,
}

/// A table whose key has room for records.
struct Table<'a> {
    runtime: &'a Runtime,
    records: Records<'a>,
    /// The entities of the design that live in it.
    infos: Vec<&'a EntityInfo>,
    record: Record,
    /// The design that it was deployed with; none if unknown.
    old: Option<Old>,
    /// The attributes in which the old and the new form of some item differ.
    changed: BTreeSet<String>,
    /// How many items there were when they were looked at.
    items: i64,
    /// What is rewritten from now on; none before that, or if nothing is.
    turned: Option<Arc<Turned>>,
}

/// A previously deployed design, and the differences.
#[derive(Clone)]
struct Old {
    runtime: Runtime,
    differences: Arc<Vec<Difference>>,
}

impl<'a> Evolution<'a> {
    /// Reads the records of all tables.
    pub(super) async fn of(
        runtime: &'a Runtime,
        tables: Vec<Vec<&'a EntityInfo>>,
        options: Options,
    ) -> Result<Evolution<'a>, DeployError> {
        let stopped = |error: std::io::Error| DeployError::Stopped {
            table: String::new(),
            failure: Failure::new(
                FailureKind::Internal,
                format!("the design cannot be written down: {error}"),
            ),
        };
        let version = Version::of(runtime.design()).map_err(stopped)?;
        let mut known: HashMap<String, Option<Old>> = HashMap::new();
        let mut found = Vec::new();
        for infos in tables {
            let Some(records) = infos.first().and_then(|first| Records::of(runtime, first)) else { continue };
            let record = records.read().await?;
            let (changed, items, turned) = (BTreeSet::new(), 0, None);
            let mut table = Table { runtime, records, infos, record, old: None, changed, items, turned };
            if let Some(name) = table.record.version.clone().filter(|name| name.0 != version.digest) {
                if !known.contains_key(&name.0) {
                    let session = runtime.session();
                    let design =
                        records.design(&session, &name).await.map_err(|failure| table.stopped(failure))?;
                    known.insert(
                        name.0.clone(),
                        design.and_then(|design| Old::of(runtime, Program::of(&design))),
                    );
                }
                table.old = known.get(&name.0).cloned().flatten();
            }
            found.push(table);
        }
        let Options { keeps_removed, fence, .. } = options;
        let holder = hex(&runtime.shared().settings.ids.bytes::<8>());
        Ok(Evolution { runtime, version, tables: found, keeps_removed, fence, holder })
    }

    /// The differences from the versions that the tables were deployed with, the smallest class first.
    pub(super) fn differences(&self) -> Vec<Difference> {
        let mut all: Vec<Difference> = Vec::new();
        for old in self.tables.iter().filter_map(|table| table.old.as_ref()) {
            let unseen =
                old.differences.iter().filter(|each| !all.contains(each)).cloned().collect::<Vec<_>>();
            all.extend(unseen);
        }
        all.sort_by_key(|each| each.class);
        all
    }

    /// Whether the table of an entity was compared with the version that its items are stored for.
    pub(super) fn knows(&self, info: &EntityInfo) -> bool {
        let is_known = |table: &Table<'a>| {
            table.old.is_some()
                || table.record.version.as_ref().is_some_and(|name| name.0 == self.version.digest)
        };
        self.table(info.table.name()).is_some_and(is_known)
    }

    /// Remarks on what could not be compared.
    pub(super) fn remarks(&self) -> Vec<String> {
        let is_unread = |table: &&Table<'_>| {
            table.old.is_none()
                && table.record.version.as_ref().is_some_and(|name| name.0 != self.version.digest)
        };
        let remark = |table: &Table<'_>| {
            format!(
                "table \"{}\" was deployed with a design that another version of Sortkey wrote down: it was compared by the \
                 forms of its attributes alone",
                table.name()
            )
        };
        self.tables.iter().filter(is_unread).map(remark).collect()
    }

    /// Reasons in the existing items not to deploy the design. Nothing has been written so far.
    pub(super) async fn refusals(&mut self) -> Result<Vec<Diagnostic>, DeployError> {
        let mut refusals = Vec::new();
        for table in &self.tables {
            refusals.extend(self.unfinished(table));
        }
        if !refusals.is_empty() {
            return Ok(refusals);
        }
        for table in &self.tables {
            let Some(old) = &table.old else { continue };
            for refusal in self.abandoned(old).await? {
                if !refusals.contains(&refusal) {
                    refusals.push(refusal);
                }
            }
            refusals.extend(refuse::ambiguous(&old.differences, self.runtime.design()));
        }
        refusals.extend(self.survey().await?);
        Ok(refusals)
    }

    /// Looks at every item that a difference concerns.
    async fn survey(&mut self) -> Result<Vec<Diagnostic>, DeployError> {
        let mut refusals = Vec::new();
        for table in &mut self.tables {
            let Some(old) = table.old.clone() else { continue };
            let Some(entities) = Entities::of(self.runtime, &old, table.name()) else { continue };
            let mut survey = Survey::new(&entities, self.keeps_removed);
            if survey.is_due() {
                survey.walk().await.map_err(|failure| table.stopped(failure))?;
                refusals.extend(survey.refusals());
                (table.changed, table.items) = survey.into_changed();
            }
        }
        Ok(refusals)
    }

    /// Takes the tables whose items are rewritten, and waits until processes of the version before have stopped. What those have
    /// written since the survey is looked at again.
    pub(super) async fn take(
        &mut self,
        pause: &Pause<'_>,
        watcher: &mut Watcher<'_>,
    ) -> Result<(), DeployError> {
        let is_shared = !self.fence.is_zero();
        let mut taken = Vec::new();
        for (at, table) in self.tables.iter_mut().enumerate() {
            let Some(old) = table.old.clone() else { continue };
            let Some(entities) = Entities::of(self.runtime, &old, table.name()) else { continue };
            if entities.subjects().is_empty() && !(is_shared && entities.verifies()) {
                continue;
            }
            let turned = Arc::new(Turned::new(table.name(), old.clone(), BTreeSet::new(), None));
            let walk = table.walk(&entities, &self.version, &self.holder, &turned);
            let record = walk.take(table.record.clone()).await.map_err(|failure| table.stopped(failure))?;
            table.record = record;
            taken.push(at);
        }
        if is_shared && !taken.is_empty() {
            let change = Change::Superseded;
            watcher(Progress { table: "", change: &change, step: Step::Begun });
            pause(self.fence).await.map_err(DeployError::failed("", "waiting"))?;
            watcher(Progress { table: "", change: &change, step: Step::Done });
            let refusals = self.survey().await?;
            if !refusals.is_empty() {
                self.give_up().await?;
                return Err(DeployError::Refused(refusals));
            }
        }
        for at in taken {
            let table = &mut self.tables[at];
            let Some(old) = table.old.clone() else { continue };
            let after = table.record.pending.as_ref().and_then(|pending| pending.after.clone());
            let turned = Turned::new(table.name(), old, std::mem::take(&mut table.changed), after);
            table.turned = Some(Arc::new(turned));
        }
        Ok(())
    }

    /// Forgets what was taken: no item was rewritten.
    async fn give_up(&self) -> Result<(), DeployError> {
        for table in &self.tables {
            let Some(old) = &table.old else { continue };
            let Some(entities) = Entities::of(self.runtime, old, table.name()) else { continue };
            let turned = Turned::new(table.name(), old.clone(), BTreeSet::new(), None);
            let walk = table.walk(&entities, &self.version, &self.holder, &turned);
            walk.give_up(&table.record).await.map_err(|failure| table.stopped(failure))?;
        }
        Ok(())
    }

    /// The tables whose items are being rewritten; none if none are.
    pub(super) fn turning(&self) -> Option<Arc<Turning>> {
        let tables: Vec<Arc<Turned>> = self.tables.iter().filter_map(|table| table.turned.clone()).collect();
        (!tables.is_empty()).then(|| Arc::new(Turning { runtime: self.runtime.clone(), tables }))
    }

    /// Whether the design can tell an item that it wrote itself from one that is still to be rewritten.
    pub(super) fn is_servable(&self) -> bool {
        let tells = |table: &Table<'_>| {
            let old = table.old.as_ref()?;
            Some(Entities::of(self.runtime, old, table.name())?.are_told_apart())
        };
        self.tables.iter().filter(|table| table.turned.is_some()).all(|table| tells(table) == Some(true))
    }

    /// Tables that the design does not have any more, and that have items.
    async fn abandoned(&self, old: &Old) -> Result<Vec<Diagnostic>, DeployError> {
        let shared = self.runtime.shared();
        let mut gone: Vec<&str> =
            old.runtime.shared().entities.iter().map(|info| info.table.name()).collect();
        gone.retain(|name| !shared.entities.iter().any(|info| info.table.name() == *name));
        gone.sort_unstable();
        gone.dedup();
        let mut found = Vec::new();
        for name in gone {
            if !self.keeps_removed && past::has_items(self.runtime, name).await? {
                found.push(refuse::abandoned(name, self.runtime.design().name.span));
            }
        }
        Ok(found)
    }

    /// A rewriting for another version that was begun and not finished.
    fn unfinished(&self, table: &Table<'_>) -> Option<Diagnostic> {
        let pending = table.record.pending.as_ref()?;
        let at = self.runtime.design().table_of(table.infos.first()?.source(self.runtime.design()))?;
        (pending.version != self.version.digest).then(|| refuse::unfinished(table.name(), at.name.span))
    }

    /// Rewrites the items of all tables that a difference concerns.
    pub(super) async fn carry_out(
        &mut self,
        pause: &Pause<'_>,
        watcher: &mut Watcher<'_>,
        deployment: &mut Deployment,
    ) -> Result<(), DeployError> {
        for table in &mut self.tables {
            let (Some(old), Some(turned)) = (table.old.clone(), table.turned.clone()) else { continue };
            let Some(entities) = Entities::of(self.runtime, &old, table.name()) else { continue };
            let change = Change::Rewrite(entities.subjects());
            let name = table.name().to_owned();
            let mut tell = |step| watcher(Progress { table: &name, change: &change, step });
            let walk = table.walk(&entities, &self.version, &self.holder, &turned);
            let walked = walk.run(table.record.clone(), pause, &mut tell).await;
            table.record = walked.map_err(|failure| stopped(&name, failure))?;
            tell(Step::Done);
            if !entities.subjects().is_empty() {
                deployment.changes.push((name.clone(), change));
            }
        }
        Ok(())
    }

    /// Records in every table the version that its items are stored for: the last step of a deployment.
    pub(super) async fn remember(&mut self) -> Result<(), DeployError> {
        for table in &mut self.tables {
            table.remember(&self.version).await?;
        }
        Ok(())
    }

    /// How often the items of each table have been rewritten.
    pub(super) fn epochs(&self) -> Vec<(String, u64)> {
        self.tables.iter().map(|table| (table.name().to_owned(), table.record.epoch)).collect()
    }

    fn table(&self, name: &str) -> Option<&Table<'a>> {
        self.tables.iter().find(|table| table.name() == name)
    }
}

impl Old {
    /// A previously deployed design, able to read its items; none if it cannot run any more.
    fn of(runtime: &Runtime, program: Program) -> Option<Old> {
        let shared = runtime.shared();
        let differences = Arc::new(diff(&program, &shared.program));
        let mut settings = shared.settings.clone();
        settings.parameters.retain(|name, _| program.settings.iter().any(|each| **each == **name));
        let old = runtime.beside(Arc::new(program), settings).ok()?;
        Some(Old { runtime: old, differences })
    }
}

impl<'a> Table<'a> {
    /// The deployed name.
    fn name(&self) -> &'a str {
        self.records.first.table.name()
    }

    fn walk<'w>(
        &self,
        entities: &'w Entities<'w>,
        version: &'w Version,
        holder: &'w str,
        turned: &'w Turned,
    ) -> Walk<'w>
    where
        'a: 'w,
    {
        Walk { entities, records: self.records, version, holder, items: self.items, turned }
    }

    async fn remember(&mut self, version: &Version) -> Result<(), DeployError> {
        let session = self.runtime.session();
        let name = version.name();
        for _ in 0..ATTEMPTS {
            let there = self.records.read().await?;
            if there.version.as_ref() == Some(&name) && there.pending.is_none() {
                return Ok(());
            }
            if there.pending.as_ref().is_some_and(|pending| pending.version != name.0) {
                break;
            }
            let whole = Record { version: Some(name.clone()), epoch: there.epoch, pending: None };
            let outcome = async {
                self.records.keep(&session, version).await?;
                if !self.records.write(&session, &there, &whole).await? {
                    return Ok(false);
                }
                if let Some(before) = there.version.as_ref().filter(|before| before.0 != name.0) {
                    self.records.forget(&session, before).await?;
                }
                Ok(true)
            };
            if outcome.await.map_err(|failure| self.stopped(failure))? {
                self.record = whole;
                return Ok(());
            }
        }
        let why = "another deployment is at work on the table: start again when it is done";
        Err(self.stopped(Failure::new(FailureKind::Conflict, why)))
    }

    fn stopped(&self, failure: Failure) -> DeployError {
        stopped(self.name(), failure)
    }
}

fn stopped(table: &str, failure: Failure) -> DeployError {
    DeployError::Stopped { table: table.to_owned(), failure }
}

/// Whether a difference drops something that items may have.
fn is_loss(difference: &Difference) -> bool {
    difference.class == Class::Remove && difference.concern.entity.is_some()
}
