//! DeleteTable: the name is free at once; what the table contained is cleared away in the background, unless continuous
//! backups were on: then it stays as a backup for 35 days.

use std::sync::Arc;

use sortkey_api::{ApiError, TableName};
use sortkey_api::operations::{DeleteTable, DeleteTableInput, DeleteTableOutput};
use sortkey_api::shapes::table::TableStatus;
use sortkey_storage::{Batch, Key, Lock};

use super::Run;
use crate::history::backup::Backup;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::table::Table;
use crate::stream::streaming;
use crate::layout;

impl Run for DeleteTable {
    fn run(shared: &Arc<Shared>, input: DeleteTableInput) -> Result<Reply<DeleteTableOutput>, ApiError> {
        let name = input.table_name.name().to_owned();
        let locks = vec![Lock::exclusive(layout::table(&name))];
        Ok(shared.write_then(locks, Shared::wake_background, move |shared, view| {
            let mut table = Table::clone(&*shared.catalog.changeable_table(view, &name)?);
            if table.deletion_protection {
                return Err(ApiError::validation(
                    "Resource cannot be deleted as it is currently protected against deletion. Disable deletion \
                     protection first.",
                ));
            }
            if let Some(hold) = table.holds.first() {
                return Err(ApiError::resource_in_use(format!(
                    "Attempt to change a resource which is still in use: {} is being made of table {name}",
                    hold.by
                )));
            }
            let mut description = shared.describe(view, &table, TableStatus::Deleting)?;
            // AWS shows no more of a table that goes than what identifies it.
            description.attribute_definitions = None;
            description.key_schema = None;
            description.global_secondary_indexes = None;
            description.local_secondary_indexes = None;
            description.creation_date_time = None;
            description.warm_throughput = None;
            let mut batch = Batch::new();
            if table.recovery.is_some() {
                let backup = Backup::of_deleted(shared, view, &table, &mut batch)?;
                batch.put(layout::backup(&backup.label), backup.to_value());
            } else {
                batch.put(layout::dropped(table.id), Key::from([]));
            }
            streaming::close(shared, view, &mut table, &mut batch)?;
            batch.delete(layout::table(&name));
            batch.changes_schema();
            Ok((batch, DeleteTableOutput { table_description: Some(description) }))
        }))
    }

    fn table(input: &DeleteTableInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
