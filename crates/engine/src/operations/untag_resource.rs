//! UntagResource: keys that are not there are no error.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{UntagResource, UntagResourceInput, UntagResourceOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::{resource, tags};

impl Run for UntagResource {
    fn run(shared: &Arc<Shared>, input: UntagResourceInput) -> Result<Reply<UntagResourceOutput>, ApiError> {
        let resource = resource::tagged_resource(&input.resource_arn)?;
        tags::check_some(&input.tag_keys, "Tag Key")?;
        if shared.catalog.find(&shared.committer.view(), &resource.table)?.is_none() {
            return Err(ApiError::resource_not_found());
        }
        Ok(shared.update_table(&resource.table, move |_, _, table| {
            table.tags.retain(|key, _| !input.tag_keys.contains(key));
            Ok(UntagResourceOutput::default())
        }))
    }
}
