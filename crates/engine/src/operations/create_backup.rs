//! CreateBackup: what the table is at this moment is the backup; copying it comes later.

use std::sync::Arc;

use sortkey_api::operations::{CreateBackup, CreateBackupInput, CreateBackupOutput};
use sortkey_api::{ApiError, ErrorKind, TableName};
use sortkey_storage::{Batch, Lock};

use super::Run;
use crate::history::backup::Backup;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::table::Table;
use crate::history::recovery;
use crate::layout;

impl Run for CreateBackup {
    fn run(shared: &Arc<Shared>, input: CreateBackupInput) -> Result<Reply<CreateBackupOutput>, ApiError> {
        let CreateBackupInput { table_name, backup_name } = input;
        let name = table_name.name().to_owned();
        let locks = vec![Lock::exclusive(layout::table(&name)), Shared::ids_lock("table")];
        Ok(shared.write_then(locks, Shared::wake_transfers, move |shared, view| {
            let table = shared.catalog.find(view, &name)?.ok_or_else(|| recovery::table_not_found(&name))?;
            if table.filling.is_some() {
                let message = format!("Table is being created: {name}");
                return Err(ApiError::new(ErrorKind::TableInUseException, message));
            }
            let (mut table, mut batch) = (Table::clone(&table), Batch::new());
            let id = Shared::take_id(view, "table", &mut batch)?;
            let backup = Backup::begin(shared, view, &mut table, id, backup_name)?;
            batch.put(layout::backup(&backup.label), backup.to_value());
            batch.put(layout::table(&name), table.to_value());
            batch.changes_schema();
            Ok((batch, CreateBackupOutput { backup_details: Some(backup.details(shared, view)?) }))
        }))
    }

    fn table(input: &CreateBackupInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
