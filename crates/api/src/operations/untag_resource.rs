//! UntagResource: takes tags off a table. The answer has no body.

use crate::shape::{EmptyBody, shape};
use crate::shapes::limits::RESOURCE_ARN;

shape! {
    /// Which tags off which table.
    struct UntagResourceInput {
        resource_arn: String = "ResourceArn", RESOURCE_ARN;
        tag_keys: Vec<String> = "TagKeys", &[EachElement(&[MaxLength(128), MinLength(1)])];
    }
}

/// Nothing.
pub type UntagResourceOutput = EmptyBody;
