//! DeleteResourcePolicy: deleting what is not there succeeds, unless a revision was expected.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{DeleteResourcePolicy, DeleteResourcePolicyInput, DeleteResourcePolicyOutput};

use super::Run;
use crate::engine::Shared;
use crate::catalog::policy;
use crate::reply::Reply;

impl Run for DeleteResourcePolicy {
    fn run(
        shared: &Arc<Shared>,
        input: DeleteResourcePolicyInput,
    ) -> Result<Reply<DeleteResourcePolicyOutput>, ApiError> {
        let resource = policy::resource(&input.resource_arn)?;
        let name = resource.table.clone();
        Ok(shared.update_table(&name, move |shared, view, table| {
            let current = policy::current(shared, view, table, &resource)?;
            policy::check_revision(&table.name, input.expected_revision_id.as_deref(), current.as_ref())?;
            policy::attach(table, &resource, None);
            Ok(DeleteResourcePolicyOutput { revision_id: current.map(|policy| policy.revision) })
        }))
    }
}
