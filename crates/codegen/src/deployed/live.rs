//! A table as a running DynamoDB shows it.
//!
//! Not every DynamoDB has expiry, recovery or tags, and not every caller may read them; an unreadable setting is none.
//! `sortkey_deploy` makes the same requests for `up`, but keeps its answers private.

use std::collections::BTreeMap;
use std::fmt;

use sortkey_api::operations::{
    DescribeContinuousBackupsInput, DescribeTableInput, DescribeTimeToLiveInput, ListTagsOfResourceInput,
};
use sortkey_api::shapes::recovery::RecoveryStatus;
use sortkey_api::shapes::time_to_live::TimeToLiveStatus;
use sortkey_api::{ApiError, ErrorKind, encode};
use sortkey_api::{Backend, Requests as _};

use super::{Found, table};

/// Why a table cannot be inspected.
#[derive(Debug)]
pub struct LiveError {
    /// The deployed name of the table.
    pub table: String,
    /// The request that failed.
    pub doing: &'static str,
    /// The error that it returned.
    pub error: ApiError,
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of table {:?}: {}", self.doing, self.table, self.error)
    }
}

/// AWS allows 50 tags on a table and gives ten a page; this is more than enough of them.
const TAG_PAGES: usize = 20;

/// A recovery without a period is one of 35 days.
const RECOVERY_DAYS: u64 = 35;

/// The table of that name, if there is one.
pub async fn inspect(backend: &dyn Backend, name: &str) -> Result<Option<Found>, LiveError> {
    let failed =
        |doing: &'static str| move |error: ApiError| LiveError { table: name.to_owned(), doing, error };
    let description = match backend.describe_table(DescribeTableInput { table_name: name.into() }).await {
        Ok(output) => output.table.unwrap_or_default(),
        Err(error) if error.kind == ErrorKind::ResourceNotFoundException => return Ok(None),
        Err(error) => return Err(failed("DescribeTable")(error)),
    };
    let mut json = Vec::new();
    encode(&description, &mut json);
    let not_a_table = || {
        let why = "the answer describes no table: is this a DynamoDB?";
        failed("DescribeTable")(ApiError::new(ErrorKind::ServiceUnavailableException, why))
    };
    let value = serde_json::from_slice(&json).map_err(|_| not_a_table())?;
    let found = table(&value).ok_or_else(not_a_table)?;
    let arn = description.table_arn;
    Ok(Some(Found {
        ttl: if_known(time_to_live(backend, name).await).map_err(failed("DescribeTimeToLive"))?,
        recovery_days: if_known(recovery_days(backend, name).await)
            .map_err(failed("DescribeContinuousBackups"))?,
        tags: if_known(tags(backend, arn).await).map_err(failed("ListTagsOfResource"))?,
        ..found
    }))
}

fn if_known<T>(answer: Result<T, ApiError>) -> Result<Option<T>, ApiError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error)
            if matches!(
                error.kind,
                ErrorKind::UnknownOperationException | ErrorKind::AccessDeniedException
            ) =>
        {
            Ok(None)
        }
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

async fn tags(backend: &dyn Backend, arn: Option<String>) -> Result<BTreeMap<String, String>, ApiError> {
    let (mut tags, mut next_token) = (BTreeMap::new(), None);
    let Some(arn) = arn else { return Ok(tags) };
    for _ in 0..TAG_PAGES {
        let asked = ListTagsOfResourceInput { resource_arn: arn.clone(), next_token };
        let output = backend.list_tags_of_resource(asked).await?;
        tags.extend(output.tags.unwrap_or_default().into_iter().map(|tag| (tag.key, tag.value)));
        next_token = output.next_token;
        if next_token.is_none() {
            break;
        }
    }
    Ok(tags)
}
