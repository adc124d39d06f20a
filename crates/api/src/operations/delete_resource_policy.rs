//! DeleteResourcePolicy.

use crate::shape::shape;
use crate::shapes::limits::{POLICY_RESOURCE, REVISION_ID};

shape! {
    /// The owner of the policy to delete, and the expected revision.
    struct DeleteResourcePolicyInput {
        resource_arn: String = "ResourceArn", POLICY_RESOURCE;
        expected_revision_id: Option<String> = "ExpectedRevisionId", REVISION_ID;
    }
}

shape! {
    /// The revision of the policy that is gone.
    struct DeleteResourcePolicyOutput {
        revision_id: Option<String> = "RevisionId";
    }
}
