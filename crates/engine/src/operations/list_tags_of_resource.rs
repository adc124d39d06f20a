//! ListTagsOfResource: all tags at once; fifty fit on a page.

use std::sync::Arc;

use sortkey_api::operations::{ListTagsOfResource, ListTagsOfResourceInput, ListTagsOfResourceOutput};
use sortkey_api::shapes::tag::Tag;
use sortkey_api::{ApiError, ErrorKind};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::resource;
use crate::jobs::transfers::listing::invalid_token;

impl Run for ListTagsOfResource {
    fn run(
        shared: &Arc<Shared>,
        input: ListTagsOfResourceInput,
    ) -> Result<Reply<ListTagsOfResourceOutput>, ApiError> {
        let arn = &input.resource_arn;
        let resource = resource::tagged_resource(arn)?;
        let view = shared.committer.view();
        // Unlike the operations that write tags, AWS answers this one as if the caller were a stranger.
        let table = shared.catalog.find(&view, &resource.table)?.ok_or_else(|| {
            let message = format!(
                "User: arn:aws:iam::{}:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: {arn}",
                shared.settings.account
            );
            ApiError::new(ErrorKind::AccessDeniedException, message)
        })?;
        // No page ends with a token.
        if let Some(token) = &input.next_token {
            return Err(invalid_token(token));
        }
        let tag = |(key, value): (&String, &String)| Tag { key: key.clone(), value: value.clone() };
        let tags = table.tags.iter().map(tag).collect();
        Ok(Reply::now(ListTagsOfResourceOutput { tags: Some(tags), next_token: None }))
    }
}
