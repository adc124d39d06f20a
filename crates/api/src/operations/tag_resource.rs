//! TagResource: puts tags on a table. The answer has no body.

use crate::shape::{EmptyBody, shape};
use crate::shapes::limits::RESOURCE_ARN;
use crate::shapes::tag::Tag;

shape! {
    /// The tags to put on a table.
    struct TagResourceInput {
        resource_arn: String = "ResourceArn", RESOURCE_ARN;
        tags: Vec<Tag> = "Tags";
    }
}

/// The empty answer.
pub type TagResourceOutput = EmptyBody;
