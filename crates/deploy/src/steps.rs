//! One change to one table: the request, and the wait until it is in effect.

use std::time::Duration;

use sortkey_api::operations::{
    TagResourceInput, UpdateContinuousBackupsInput, UpdateTableInput, UpdateTimeToLiveInput,
};
use sortkey_api::shapes::index::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, UpdateGlobalSecondaryIndexAction,
};
use sortkey_api::shapes::recovery::PointInTimeRecoverySpecification;
use sortkey_api::shapes::stream::StreamSpecification;
use sortkey_api::shapes::table::{SSESpecification, TableClass, TableDescription, TableStatus};
use sortkey_api::shapes::tag::Tag;
use sortkey_api::shapes::throughput::ProvisionedThroughput;
use sortkey_api::shapes::time_to_live::TimeToLiveSpecification;
use sortkey_api::{ApiError, ErrorKind};

use super::apply::{DeployError, Pause, Step};
use super::compare::{Billing, Change};
use super::inspect::{self, description};
use super::tables::Desired;
use sortkey_api::{Backend, Requests as _};

/// The first pause between two looks at a busy table: short, since an embedded engine takes no time.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How often an existing table is looked for again: DescribeTable may lag behind CreateTable by seconds.
const LOOKS: u32 = 20;

/// How often a setting is tried again that a new table refuses.
const TRIES: u32 = 12;

/// Makes one change. Returns a remark instead if this DynamoDB does not support it.
pub(super) async fn take(
    backend: &dyn Backend,
    table: &Desired<'_>,
    change: &Change,
    pause: &Pause<'_>,
    tell: &mut (dyn FnMut(Step) + Send),
) -> Result<Option<String>, DeployError> {
    let name = table.name();
    let (doing, outcome) = match change {
        Change::Create => ("CreateTable", backend.create_table(table.create.clone()).await.map(drop)),
        Change::AddIndex(index) => ("UpdateTable", add_index(backend, table, index).await),
        Change::Billing(billing) => ("UpdateTable", pay(backend, name, billing).await),
        Change::Encrypt(with) => ("UpdateTable", encrypt(backend, name, with).await),
        Change::Class(class) => ("UpdateTable", store_in(backend, name, class).await),
        Change::Protect => ("UpdateTable", protect(backend, name).await),
        Change::Stream(stream) => ("UpdateTable", start_stream(backend, name, stream).await),
        Change::TimeToLive(attribute) => {
            let set = || expire_by(backend, name, attribute);
            ("UpdateTimeToLive", when_ready(pause, set).await)
        }
        Change::Recovery(days) => {
            let set = || recover(backend, name, *days);
            ("UpdateContinuousBackups", when_ready(pause, set).await)
        }
        Change::Tags(tags) => ("TagResource", tag(backend, name, tags).await),
        // Made by a walk through the table, when all tables are there.
        Change::Guards(_) | Change::Rewrite(_) | Change::Superseded | Change::Compared(_) => return Ok(None),
    };
    match outcome {
        Ok(()) => {}
        Err(error) if is_extra(change) && inspect::is_unable(&error) => {
            return Ok(Some(format!("table \"{name}\": this DynamoDB has no {doing}")));
        }
        Err(error) => return Err(DeployError::failed(name, doing)(error)),
    }
    settle(backend, name, change, pause, tell).await.map_err(DeployError::failed(name, "DescribeTable"))?;
    Ok(None)
}

/// Whether a design works correctly without it.
fn is_extra(change: &Change) -> bool {
    matches!(change, Change::TimeToLive(_) | Change::Recovery(_) | Change::Tags(_))
}

/// Waits until the table and all its indexes are active. A backfill has no time limit;
/// the watcher is called with its progress.
async fn settle(
    backend: &dyn Backend,
    name: &str,
    change: &Change,
    pause: &Pause<'_>,
    tell: &mut (dyn FnMut(Step) + Send),
) -> Result<(), ApiError> {
    let mut wait = FIRST_PAUSE;
    let mut missed = 0;
    loop {
        let table = description(backend, name).await?;
        if table.as_ref().is_some_and(is_active) {
            return Ok(());
        }
        missed = if table.is_none() { missed + 1 } else { 0 };
        if missed > LOOKS {
            return Err(ApiError::table_not_found(name));
        }
        let items = table.and_then(|table| indexed_items(&table, change));
        tell(Step::Waiting { items, of: None });
        pause(wait).await?;
        wait = (wait * 2).min(LONGEST_PAUSE);
    }
}

fn is_active(table: &TableDescription) -> bool {
    let active =
        |status: &Option<TableStatus>| status.as_ref().is_none_or(|each| *each == TableStatus::Active);
    let mut indexes = table.global_secondary_indexes.iter().flatten();
    active(&table.table_status) && indexes.all(|index| active(&index.index_status))
}

fn indexed_items(table: &TableDescription, change: &Change) -> Option<i64> {
    let Change::AddIndex(name) = change else { return None };
    let mut indexes = table.global_secondary_indexes.iter().flatten();
    indexes.find(|index| index.index_name.as_ref() == Some(name)).and_then(|index| index.item_count)
}

/// Repeats a setting while the table is too new or too busy for it.
async fn when_ready<F, Fut>(pause: &Pause<'_>, mut set: F) -> Result<(), ApiError>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<(), ApiError>>,
{
    let mut wait = FIRST_PAUSE;
    for _ in 1..TRIES {
        match set().await {
            Err(error) if is_too_soon(&error) => {
                pause(wait).await?;
                wait = (wait * 2).min(LONGEST_PAUSE);
            }
            outcome => return outcome,
        }
    }
    set().await
}

fn is_too_soon(error: &ApiError) -> bool {
    use ErrorKind::*;
    matches!(
        error.kind,
        ResourceInUseException | ContinuousBackupsUnavailableException | LimitExceededException
    )
}

async fn add_index(backend: &dyn Backend, table: &Desired<'_>, index: &str) -> Result<(), ApiError> {
    let indexes = table.create.global_secondary_indexes.iter().flatten();
    let Some(index) = indexes.into_iter().find(|each| each.index_name == index) else { return Ok(()) };
    let create = CreateGlobalSecondaryIndexAction {
        index_name: index.index_name.clone(),
        key_schema: index.key_schema.clone(),
        projection: index.projection.clone(),
        provisioned_throughput: index.provisioned_throughput.clone(),
        ..CreateGlobalSecondaryIndexAction::default()
    };
    let update = GlobalSecondaryIndexUpdate { create: Some(create), ..GlobalSecondaryIndexUpdate::default() };
    let change = UpdateTableInput {
        attribute_definitions: Some(table.create.attribute_definitions.clone()),
        global_secondary_index_updates: Some(vec![update]),
        ..to(table.name())
    };
    backend.update_table(change).await.map(drop)
}

async fn pay(backend: &dyn Backend, name: &str, billing: &Billing) -> Result<(), ApiError> {
    let index = |(index_name, capacity): &(String, ProvisionedThroughput)| GlobalSecondaryIndexUpdate {
        update: Some(UpdateGlobalSecondaryIndexAction {
            index_name: index_name.clone(),
            provisioned_throughput: Some(capacity.clone()),
            ..UpdateGlobalSecondaryIndexAction::default()
        }),
        ..GlobalSecondaryIndexUpdate::default()
    };
    let indexes: Vec<GlobalSecondaryIndexUpdate> = billing.indexes.iter().map(index).collect();
    let change = UpdateTableInput {
        billing_mode: billing.mode.clone(),
        provisioned_throughput: billing.table.clone(),
        global_secondary_index_updates: (!indexes.is_empty()).then_some(indexes),
        ..to(name)
    };
    backend.update_table(change).await.map(drop)
}

async fn protect(backend: &dyn Backend, name: &str) -> Result<(), ApiError> {
    let change = UpdateTableInput { deletion_protection_enabled: Some(true), ..to(name) };
    backend.update_table(change).await.map(drop)
}

async fn encrypt(backend: &dyn Backend, name: &str, with: &SSESpecification) -> Result<(), ApiError> {
    let change = UpdateTableInput { sse_specification: Some(with.clone()), ..to(name) };
    backend.update_table(change).await.map(drop)
}

async fn store_in(backend: &dyn Backend, name: &str, class: &TableClass) -> Result<(), ApiError> {
    let change = UpdateTableInput { table_class: Some(class.clone()), ..to(name) };
    backend.update_table(change).await.map(drop)
}

async fn start_stream(
    backend: &dyn Backend,
    name: &str,
    stream: &StreamSpecification,
) -> Result<(), ApiError> {
    let change = UpdateTableInput { stream_specification: Some(stream.clone()), ..to(name) };
    backend.update_table(change).await.map(drop)
}

fn to(name: &str) -> UpdateTableInput {
    UpdateTableInput { table_name: name.into(), ..UpdateTableInput::default() }
}

async fn expire_by(backend: &dyn Backend, name: &str, attribute: &str) -> Result<(), ApiError> {
    let setting = TimeToLiveSpecification { enabled: true, attribute_name: attribute.to_owned() };
    let asked = UpdateTimeToLiveInput { table_name: name.into(), time_to_live_specification: setting };
    backend.update_time_to_live(asked).await.map(drop)
}

async fn recover(backend: &dyn Backend, name: &str, days: u64) -> Result<(), ApiError> {
    let setting = PointInTimeRecoverySpecification {
        point_in_time_recovery_enabled: true,
        recovery_period_in_days: i32::try_from(days).ok(),
    };
    let asked = UpdateContinuousBackupsInput {
        table_name: name.into(),
        point_in_time_recovery_specification: setting,
    };
    backend.update_continuous_backups(asked).await.map(drop)
}

async fn tag(backend: &dyn Backend, name: &str, tags: &[Tag]) -> Result<(), ApiError> {
    let arn = description(backend, name).await?.and_then(|table| table.table_arn);
    let Some(resource_arn) = arn else { return Ok(()) };
    backend.tag_resource(TagResourceInput { resource_arn, tags: tags.to_vec() }).await.map(drop)
}
