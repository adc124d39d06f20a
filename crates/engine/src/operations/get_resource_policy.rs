//! GetResourcePolicy.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{GetResourcePolicy, GetResourcePolicyInput, GetResourcePolicyOutput};

use super::Run;
use crate::engine::Shared;
use crate::catalog::policy;
use crate::reply::Reply;

impl Run for GetResourcePolicy {
    fn run(shared: &Arc<Shared>, input: GetResourcePolicyInput) -> Result<Reply<GetResourcePolicyOutput>, ApiError> {
        let resource = policy::resource(&input.resource_arn)?;
        let view = shared.committer.view();
        let table = shared.catalog.managed_table(&view, &resource.table)?;
        let policy = policy::current(shared, &view, &table, &resource)?.ok_or_else(|| {
            policy::not_found(&input.resource_arn)
        })?;
        Ok(Reply::now(GetResourcePolicyOutput { policy: Some(policy.document), revision_id: Some(policy.revision) }))
    }
}
