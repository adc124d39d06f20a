//! DescribeEndpoints: the endpoint that the region has on AWS, for clients that ask out of habit.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::describe_endpoints::Endpoint;
use sortkey_api::operations::{DescribeEndpoints, DescribeEndpointsInput, DescribeEndpointsOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;

impl Run for DescribeEndpoints {
    fn run(shared: &Arc<Shared>, _: DescribeEndpointsInput) -> Result<Reply<DescribeEndpointsOutput>, ApiError> {
        let address = format!("dynamodb.{}.amazonaws.com", shared.settings.region);
        let endpoints = vec![Endpoint { address, cache_period_in_minutes: 1440 }];
        Ok(Reply::now(DescribeEndpointsOutput { endpoints }))
    }
}
