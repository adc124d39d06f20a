//! The state of an existing table: its description, expiry, recovery and tags.
//!
//! Not every DynamoDB has all of these, and not every caller may ask for them; unknown parts are left out, and the
//! comparison does not count them as differences.

use sortkey_api::operations::{
    DescribeContinuousBackupsInput, DescribeTableInput, DescribeTimeToLiveInput, ListTagsOfResourceInput,
};
use sortkey_api::shapes::recovery::RecoveryStatus;
use sortkey_api::shapes::table::TableDescription;
use sortkey_api::shapes::tag::Tag;
use sortkey_api::shapes::time_to_live::TimeToLiveStatus;
use sortkey_api::{ApiError, ErrorKind};

use super::apply::DeployError;
use super::compare::There;
use sortkey_api::{Backend, Requests as _};

/// AWS allows 50 tags on a table and gives ten a page; this is more than enough of them.
const TAG_PAGES: usize = 20;

/// A recovery without a period is one of 35 days.
const RECOVERY_DAYS: u64 = 35;

/// The table of that name, if there is one.
pub(super) async fn table(backend: &dyn Backend, name: &str) -> Result<Option<There>, DeployError> {
    let Some(table) = description(backend, name).await.map_err(DeployError::failed(name, "DescribeTable"))?
    else {
        return Ok(None);
    };
    let failed = |doing| DeployError::failed(name, doing);
    let expiry = time_to_live(backend, name).await;
    let recovery = recovery_days(backend, name).await;
    let tags = tags(backend, table.table_arn.as_deref()).await;
    Ok(Some(There {
        time_to_live: if_known(expiry).map_err(failed("DescribeTimeToLive"))?,
        recovery_days: if_known(recovery).map_err(failed("DescribeContinuousBackups"))?,
        tags: if_known(tags).map_err(failed("ListTagsOfResource"))?,
        table,
    }))
}

/// The result of DescribeTable, or none if there is no such table.
pub(super) async fn description(
    backend: &dyn Backend,
    name: &str,
) -> Result<Option<TableDescription>, ApiError> {
    match backend.describe_table(DescribeTableInput { table_name: name.into() }).await {
        Ok(output) => output.table.map(Some).ok_or_else(|| {
            let why = "the answer describes no table: is this a DynamoDB?";
            ApiError::new(ErrorKind::ServiceUnavailableException, why)
        }),
        Err(error) if error.kind == ErrorKind::ResourceNotFoundException => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an error means that the feature does not exist here, or that this caller may not see it.
pub(super) fn is_unable(error: &ApiError) -> bool {
    matches!(error.kind, ErrorKind::UnknownOperationException | ErrorKind::AccessDeniedException)
}

fn if_known<T>(answer: Result<T, ApiError>) -> Result<Option<T>, ApiError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if is_unable(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn time_to_live(backend: &dyn Backend, name: &str) -> Result<Option<String>, ApiError> {
    let output = backend.describe_time_to_live(DescribeTimeToLiveInput { table_name: name.into() }).await?;
    let on = output.time_to_live_description.filter(|found| {
        matches!(found.time_to_live_status, Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling))
    });
    Ok(on.and_then(|found| found.attribute_name))
}

async fn recovery_days(backend: &dyn Backend, name: &str) -> Result<u64, ApiError> {
    let asked = DescribeContinuousBackupsInput { table_name: name.into() };
    let output = backend.describe_continuous_backups(asked).await?;
    let recovery =
        output.continuous_backups_description.and_then(|found| found.point_in_time_recovery_description);
    let on = recovery.filter(|found| found.point_in_time_recovery_status == Some(RecoveryStatus::Enabled));
    let days = |days: Option<i32>| days.and_then(|days| u64::try_from(days).ok()).unwrap_or(RECOVERY_DAYS);
    Ok(on.map_or(0, |found| days(found.recovery_period_in_days)))
}

async fn tags(backend: &dyn Backend, arn: Option<&str>) -> Result<Vec<Tag>, ApiError> {
    let (mut tags, mut next_token) = (Vec::new(), None);
    let Some(arn) = arn else { return Ok(tags) };
    for _ in 0..TAG_PAGES {
        let asked = ListTagsOfResourceInput { resource_arn: arn.to_owned(), next_token };
        let output = backend.list_tags_of_resource(asked).await?;
        tags.extend(output.tags.unwrap_or_default());
        next_token = output.next_token;
        if next_token.is_none() {
            break;
        }
    }
    Ok(tags)
}

/// Whether a table is not there, or has another key than the design: the comparison of tables reports which.
pub(super) fn is_elsewhere(error: &ApiError) -> bool {
    matches!(error.kind, ErrorKind::ResourceNotFoundException | ErrorKind::ValidationException)
}
