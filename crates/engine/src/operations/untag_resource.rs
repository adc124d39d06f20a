//! UntagResource: keys that are not there are no error.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{UntagResource, UntagResourceInput, UntagResourceOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::resource;

impl Run for UntagResource {
    fn run(shared: &Arc<Shared>, input: UntagResourceInput) -> Result<Reply<UntagResourceOutput>, ApiError> {
        let resource = resource::tagged_resource(&input.resource_arn)?;
        Ok(shared.update_table(&resource.table, move |shared, view, table| {
            resource::tagged_table(shared, view, &input.resource_arn)?;
            table.tags.retain(|key, _| !input.tag_keys.contains(key));
            Ok(UntagResourceOutput::default())
        }))
    }
}
