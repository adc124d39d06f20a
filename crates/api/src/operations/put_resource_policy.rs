//! PutResourcePolicy.

use crate::shape::shape;
use crate::shapes::limits::{POLICY_RESOURCE, REVISION_ID};

shape! {
    /// The new policy, and its owner.
    struct PutResourcePolicyInput {
        resource_arn: String = "ResourceArn", POLICY_RESOURCE;
        policy: String = "Policy";
        expected_revision_id: Option<String> = "ExpectedRevisionId", REVISION_ID;
        confirm_remove_self_resource_access: Option<bool> = "ConfirmRemoveSelfResourceAccess";
    }
}

shape! {
    /// The revision of the policy.
    struct PutResourcePolicyOutput {
        revision_id: Option<String> = "RevisionId";
    }
}
