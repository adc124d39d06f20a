//! PutResourcePolicy: on a table or on one of its streams.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{PutResourcePolicy, PutResourcePolicyInput, PutResourcePolicyOutput};

use super::Run;
use crate::engine::Shared;
use crate::catalog::policy;
use crate::reply::Reply;

impl Run for PutResourcePolicy {
    fn run(shared: &Arc<Shared>, input: PutResourcePolicyInput) -> Result<Reply<PutResourcePolicyOutput>, ApiError> {
        let resource = policy::resource(&input.resource_arn)?;
        policy::check(&input.policy)?;
        let name = resource.table.clone();
        Ok(shared.update_table(&name, move |shared, view, table| {
            let current = policy::current(shared, view, table, &resource)?;
            policy::check_revision(&table.name, input.expected_revision_id.as_deref(), current.as_ref())?;
            let revision_id = match current {
                // An unchanged document keeps its revision.
                Some(current) if policy::is_same(&current.document, &input.policy) => current.revision,
                current => {
                    let policy = policy::new(shared, &input.policy, current.as_ref())?;
                    let revision = policy.revision.clone();
                    policy::attach(table, &resource, Some(policy));
                    revision
                }
            };
            Ok(PutResourcePolicyOutput { revision_id: Some(revision_id) })
        }))
    }
}
