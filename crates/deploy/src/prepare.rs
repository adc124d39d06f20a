//! A deployment from its beginning to its end, in two halves.
//!
//! [`begin`] compares, refuses, changes tables, and keeps processes of the version before from writing. From then on the design may
//! serve on an [`Interim`](crate::Interim), which shows every item in its new form. [`Begun::finish`] rewrites the items
//! meanwhile, and records that they are stored for this version.

use std::sync::Arc;
use std::time::Duration;

use sortkey_core::Runtime;
use sortkey_core::internals::EntityInfo;

use super::apply::{DeployError, Deployment, Pause, Progress, Step, Watcher, deploy};
use super::compare::Change;
use super::evolve::{Evolution, Turning};
use super::guards::{Coverage, Table, has_clauses};
use super::layout::Layout;
use super::tables::desired;

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

/// Deploys a design to its backend: its tables, its items in their new form, and a guard for every unique value.
pub async fn prepare(
    runtime: &Runtime,
    options: impl Into<Options>,
    pause: &Pause<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Deployment, DeployError> {
    begin(runtime, options, pause, watcher).await?.finish(pause, watcher).await
}

/// A deployment whose tables are as the design declares them.
pub struct Begun<'a> {
    runtime: &'a Runtime,
    options: Options,
    evolution: Evolution<'a>,
    layouts: Vec<(Layout<'a>, bool)>,
    deployment: Deployment,
    may_serve: bool,
}

/// Begins a deployment: everything that may refuse it, and the tables.
pub async fn begin<'a>(
    runtime: &'a Runtime,
    options: impl Into<Options>,
    pause: &Pause<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Begun<'a>, DeployError> {
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
            let has_guards = has_clauses(runtime, infos);
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
    evolution.take(pause, watcher).await?;
    deployment.epochs = evolution.epochs();
    let mut begun = Begun { runtime, options, evolution, layouts, deployment, may_serve: false };
    begun.may_serve = begun.is_servable(watcher).await?;
    Ok(begun)
}

impl Begun<'_> {
    /// The tables whose items are in two forms, for the backend that the design serves on until [`Begun::finish`] comes back. None
    /// if nothing is rewritten, or if the design has to wait for the end: a unique value without a guard could be given
    /// to a second item.
    pub fn turning(&self) -> Option<Arc<Turning>> {
        self.may_serve.then(|| self.evolution.turning()).flatten()
    }

    /// The deployment so far.
    pub fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    async fn is_servable(&self, watcher: &mut Watcher<'_>) -> Result<bool, DeployError> {
        if self.options.coverage == Coverage::Doubted || !self.evolution.is_servable() {
            return Ok(false);
        }
        let tables: Vec<Table<'_>> =
            self.deployment.tables.iter().filter_map(|name| Table::of(self.runtime, name)).collect();
        for table in &tables {
            if !table.is_covered().await? {
                return Ok(false);
            }
        }
        // Clauses that the design has dropped are removed from the markers before any write without them.
        for table in &tables {
            table.cover(false, watcher).await?;
        }
        Ok(true)
    }

    /// Rewrites the items, makes the guards, and records the version: the rest of the deployment.
    pub async fn finish(
        mut self,
        pause: &Pause<'_>,
        watcher: &mut Watcher<'_>,
    ) -> Result<Deployment, DeployError> {
        self.evolution.carry_out(pause, watcher, &mut self.deployment).await?;
        for (layout, is_known) in self.layouts {
            self.deployment.remarks.extend(layout.remember(is_known).await?);
        }
        for name in self.deployment.tables.clone() {
            let Some(table) = Table::of(self.runtime, &name) else { continue };
            let is_new = self.deployment.changes.contains(&(name.clone(), Change::Create));
            if self.options.coverage == Coverage::Doubted && !is_new {
                table.doubt().await?;
            }
            let walked = table.cover(is_new, watcher).await?;
            self.deployment.changes.extend(walked.map(|change| (name, change)));
        }
        self.evolution.remember().await?;
        self.deployment.epochs = self.evolution.epochs();
        Ok(self.deployment)
    }
}
