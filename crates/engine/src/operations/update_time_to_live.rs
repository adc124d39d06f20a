//! UpdateTimeToLive: items from before are added to the expiry index in the background.

use std::sync::Arc;

use sortkey_api::{ApiError, TableName};
use sortkey_api::operations::{UpdateTimeToLive, UpdateTimeToLiveInput, UpdateTimeToLiveOutput};
use sortkey_storage::{Batch, Lock};

use super::Run;
use crate::engine::Shared;
use crate::layout;
use crate::reply::Reply;
use crate::catalog::table::{Expiry, Table};

impl Run for UpdateTimeToLive {
    fn run(shared: &Arc<Shared>, input: UpdateTimeToLiveInput) -> Result<Reply<UpdateTimeToLiveOutput>, ApiError> {
        let name = input.table_name.name().to_owned();
        let locks = vec![Lock::exclusive(layout::table(&name))];
        Ok(shared.write_then(locks, Shared::wake_background, move |shared, view| {
            let mut table = Table::clone(&*shared.catalog.changeable_table(view, &name)?);
            let asked = &input.time_to_live_specification;
            let current = table.expiry.as_ref().map(|expiry| expiry.attribute.as_str());
            table.expiry = match (asked.enabled, current) {
                (true, Some(attribute)) if attribute == asked.attribute_name => return Err(ApiError::validation("TimeToLive is already enabled")),
                (false, None) => return Err(ApiError::validation("TimeToLive is already disabled")),
                (_, Some(attribute)) if attribute != asked.attribute_name => {
                    return Err(ApiError::validation(format!(
                        "TimeToLive is active on a different AttributeName: current AttributeName is {attribute}"
                    )));
                }
                (true, None) => Some(Expiry {
                    attribute: asked.attribute_name.clone(),
                    since_version: view.stamp.version,
                    complete: false,
                }),
                (_, Some(_)) => None,
            };
            let mut batch = Batch::new();
            batch.put(layout::table(&name), table.to_value());
            batch.changes_schema();
            let time_to_live_specification = Some(input.time_to_live_specification);
            Ok((batch, UpdateTimeToLiveOutput { time_to_live_specification }))
        }))
    }

    fn table(input: &UpdateTimeToLiveInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
