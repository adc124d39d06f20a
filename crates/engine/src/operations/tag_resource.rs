//! TagResource.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{TagResource, TagResourceInput, TagResourceOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::{resource, tags};

impl Run for TagResource {
    fn run(shared: &Arc<Shared>, input: TagResourceInput) -> Result<Reply<TagResourceOutput>, ApiError> {
        let resource = resource::tagged_resource(&input.resource_arn)?;
        tags::check_some(&input.tags, "Tag")?;
        if shared.catalog.find(&shared.committer.view(), &resource.table)?.is_none() {
            return Err(resource::tagged_not_found(&input.resource_arn));
        }
        Ok(shared.update_table(&resource.table, move |_, _, table| {
            table.tags = tags::add(&table.tags, &input.tags)?;
            Ok(TagResourceOutput::default())
        }))
    }
}
