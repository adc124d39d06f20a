//! ListTagsOfResource.

use crate::shape::shape;
use crate::shapes::limits::RESOURCE_ARN;
use crate::shapes::tag::Tag;

shape! {
    /// The table whose tags to list, and the page.
    struct ListTagsOfResourceInput {
        resource_arn: String = "ResourceArn", RESOURCE_ARN;
        next_token: Option<String> = "NextToken";
    }
}

shape! {
    /// A page of tags.
    struct ListTagsOfResourceOutput {
        tags: Option<Vec<Tag>> = "Tags";
        next_token: Option<String> = "NextToken";
    }
}
