//! DescribeEndpoints: an engine has no address; a server in front of it answers the one that the client used.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::describe_endpoints::Endpoint;
use sortkey_api::operations::{DescribeEndpoints, DescribeEndpointsInput, DescribeEndpointsOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;

impl Run for DescribeEndpoints {
    fn run(_: &Arc<Shared>, _: DescribeEndpointsInput) -> Result<Reply<DescribeEndpointsOutput>, ApiError> {
        let address = "localhost".to_owned();
        let endpoints = vec![Endpoint { address, cache_period_in_minutes: 1440 }];
        Ok(Reply::now(DescribeEndpointsOutput { endpoints }))
    }
}
