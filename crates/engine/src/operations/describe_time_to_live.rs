//! DescribeTimeToLive.

use std::sync::Arc;

use sortkey_api::{ApiError, TableName};
use sortkey_api::operations::{DescribeTimeToLive, DescribeTimeToLiveInput, DescribeTimeToLiveOutput};
use sortkey_api::shapes::time_to_live::{TimeToLiveDescription, TimeToLiveStatus};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;

impl Run for DescribeTimeToLive {
    fn run(
        shared: &Arc<Shared>,
        input: DescribeTimeToLiveInput,
    ) -> Result<Reply<DescribeTimeToLiveOutput>, ApiError> {
        let view = shared.committer.view();
        let table = shared.catalog.managed_table(&view, input.table_name.name())?;
        let status = if table.expiry.is_some() { TimeToLiveStatus::Enabled } else { TimeToLiveStatus::Disabled };
        let description = TimeToLiveDescription {
            time_to_live_status: Some(status),
            attribute_name: table.expiry.as_ref().map(|expiry| expiry.attribute.clone()),
        };
        Ok(Reply::now(DescribeTimeToLiveOutput { time_to_live_description: Some(description) }))
    }

    fn table(input: &DescribeTimeToLiveInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
