//! DescribeLimits: the quotas that a new AWS account has.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{DescribeLimits, DescribeLimitsInput, DescribeLimitsOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;

impl Run for DescribeLimits {
    fn run(_: &Arc<Shared>, _: DescribeLimitsInput) -> Result<Reply<DescribeLimitsOutput>, ApiError> {
        Ok(Reply::now(DescribeLimitsOutput {
            account_max_read_capacity_units: Some(80_000),
            account_max_write_capacity_units: Some(80_000),
            table_max_read_capacity_units: Some(40_000),
            table_max_write_capacity_units: Some(40_000),
        }))
    }
}
