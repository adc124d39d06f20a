//! Inspects every table, and changes nothing unless all of them can be made to fit the design.

use std::time::Duration;

use sortkey_api::ApiError;
use sortkey_design::Design;
use sortkey_diagnostics::Diagnostic;

use super::compare::{Change, Comparison, compare};
use super::tables::{Desired, desired};
use super::{inspect, steps};
use sortkey_api::{Backend, Pending};
use sortkey_core::Failure;
use sortkey_core::Naming;

/// Waits for a time, with the timer of the program that deploys.
pub type Pause<'a> = dyn Fn(Duration) -> Pending<'a, ()> + Send + Sync + 'a;

/// Called with each step while it happens.
pub type Watcher<'a> = dyn FnMut(Progress<'_>) + Send + 'a;

/// A step of a deployment.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The deployed name of the table.
    pub table: &'a str,
    /// The change that is being made.
    pub change: &'a Change,
    /// How far it is.
    pub step: Step,
}

/// How far a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It was asked for.
    Begun,
    /// The table is still busy with it; an index reports how many items it has so far,
    /// a walk how many it has seen.
    Waiting {
        /// Items so far.
        items: Option<i64>,
        /// How many there are, if that is known.
        of: Option<i64>,
    },
    /// It is there.
    Done,
}

/// The result of a deployment.
#[derive(Clone, Debug, Default)]
pub struct Deployment {
    /// Deployed names of all tables of the design, in its order.
    pub tables: Vec<String>,
    /// The changes made, each with its table.
    pub changes: Vec<(String, Change)>,
    /// Parts that stay although the design does not mention them.
    pub remarks: Vec<String>,
    /// How often the items of each table had been rewritten by then.
    pub epochs: Vec<(String, u64)>,
}

/// Why there was no deployment.
#[derive(Clone, Debug)]
pub enum DeployError {
    /// The existing tables cannot be made to fit the design. Nothing was changed.
    Refused(Vec<Diagnostic>),
    /// DynamoDB refused a request.
    Failed {
        /// The deployed name of the table.
        table: String,
        /// The request.
        doing: &'static str,
        /// Its error.
        error: ApiError,
    },
    /// Existing items share a value that the design declares as unique. No item was changed.
    NotUnique(Vec<Diagnostic>),
    /// The guards of a table are incomplete. The next deployment continues.
    Stopped {
        /// The deployed name of the table.
        table: String,
        /// Why.
        failure: Failure,
    },
}

/// Deploys only the tables of a design, which is enough while none has items. [`prepare`](crate::prepare)
/// also takes care of existing items.
pub async fn deploy(
    design: &Design,
    naming: &Naming,
    backend: &dyn Backend,
    pause: &Pause<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Deployment, DeployError> {
    let tables = desired(design, naming).map_err(DeployError::Refused)?;
    let mut plans = Vec::new();
    for table in &tables {
        let there = inspect::table(backend, table.name()).await?;
        plans.push(compare(table, there.as_ref()));
    }
    let refusals: Vec<Diagnostic> = plans.iter().flat_map(|plan| plan.refusals.iter().cloned()).collect();
    if !refusals.is_empty() {
        return Err(DeployError::Refused(refusals));
    }
    let mut deployment = Deployment::default();
    for (table, plan) in tables.iter().zip(plans) {
        deployment.tables.push(table.name().to_owned());
        change(backend, table, plan, pause, watcher, &mut deployment).await?;
    }
    Ok(deployment)
}

async fn change(
    backend: &dyn Backend,
    table: &Desired<'_>,
    plan: Comparison,
    pause: &Pause<'_>,
    watcher: &mut Watcher<'_>,
    deployment: &mut Deployment,
) -> Result<(), DeployError> {
    deployment.remarks.extend(plan.remarks);
    for change in plan.changes {
        let mut tell = |step| watcher(Progress { table: table.name(), change: &change, step });
        tell(Step::Begun);
        let remark = steps::take(backend, table, &change, pause, &mut tell).await?;
        tell(Step::Done);
        match remark {
            Some(remark) => deployment.remarks.push(remark),
            None => deployment.changes.push((table.name().to_owned(), change)),
        }
    }
    Ok(())
}

impl DeployError {
    pub(super) fn failed(table: &str, doing: &'static str) -> impl FnOnce(ApiError) -> DeployError {
        let table = table.to_owned();
        move |error| DeployError::Failed { table, doing, error }
    }
}
