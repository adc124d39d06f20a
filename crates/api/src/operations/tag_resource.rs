//! TagResource: puts tags on a table. The answer has no body.

use crate::shape::{EmptyBody, shape};
use crate::shapes::limits::RESOURCE_ARN;
use crate::shapes::tag::Tag;

shape! {
    /// Which tags on which table.
    struct TagResourceInput {
        resource_arn: String = "ResourceArn", RESOURCE_ARN;
        tags: Vec<Tag> = "Tags";
    }
}

/// Nothing.
pub type TagResourceOutput = EmptyBody;
