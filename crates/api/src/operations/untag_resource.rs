//! UntagResource: takes tags off a table. The answer has no body.

use crate::shape::{EmptyBody, shape};
use crate::shapes::limits::RESOURCE_ARN;

shape! {
    /// The tags to remove from a table.
    struct UntagResourceInput {
        resource_arn: String = "ResourceArn", RESOURCE_ARN;
        tag_keys: Vec<String> = "TagKeys", &[EachElement(&[MaxLength(128), MinLength(1)])];
    }
}

/// The empty answer.
pub type UntagResourceOutput = EmptyBody;
