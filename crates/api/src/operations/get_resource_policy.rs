//! GetResourcePolicy.

use crate::shape::shape;
use crate::shapes::limits::POLICY_RESOURCE;

shape! {
    /// The table or stream whose policy to read.
    struct GetResourcePolicyInput {
        resource_arn: String = "ResourceArn", POLICY_RESOURCE;
    }
}

shape! {
    /// The policy as it is.
    struct GetResourcePolicyOutput {
        policy: Option<String> = "Policy";
        revision_id: Option<String> = "RevisionId";
    }
}
