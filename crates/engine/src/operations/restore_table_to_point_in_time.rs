//! RestoreTableToPointInTime: a new table with the items as they were, exact to the write. Its settings are those that the
//! source has now, as on AWS.

use std::sync::Arc;

use sortkey_api::operations::{
    RestoreTableToPointInTime, RestoreTableToPointInTimeInput, RestoreTableToPointInTimeOutput,
};
use sortkey_api::{ApiError, ErrorKind, TableName};
use sortkey_storage::{Batch, Lock};

use super::Run;
use crate::engine::Shared;
use crate::history::past::Moment;
use crate::reply::Reply;
use crate::history::restore::{self, Overrides};
use crate::catalog::table::{Filling, Hold, Restored, Table};
use crate::history::recovery;
use crate::layout;

impl Run for RestoreTableToPointInTime {
    fn run(
        shared: &Arc<Shared>,
        input: RestoreTableToPointInTimeInput,
    ) -> Result<Reply<RestoreTableToPointInTimeOutput>, ApiError> {
        let wish = Wish::read(&input)?;
        let overrides = Overrides::from(&input);
        overrides.check()?;
        let source = source_name(&input)?.to_owned();
        let target = input.target_table_name;
        let mut locks = restore::locks(&target);
        locks.push(Lock::exclusive(layout::table(&source)));
        Ok(shared.write_then(locks, Shared::wake_transfers, move |shared, view| {
            let table =
                shared.catalog.find(view, &source)?.ok_or_else(|| recovery::table_not_found(&source))?;
            restore::check_free(shared, view, &target)?;
            let time_ms = wish.time_ms(shared, &table)?;
            let moment = Moment { time_ms, version: view.stamp.version };
            let mut table = Table::clone(&table);
            table.holds.push(Hold { by: shared.table_arn(&target), since_ms: time_ms });
            let mut batch = Batch::new();
            batch.put(layout::table(&source), table.to_value());
            let restored = Restored { backup_arn: None, table_arn: shared.table_arn(&source), time_ms };
            let filling = Filling::Table { name: Arc::clone(&table.name), source: table.id, moment };
            let origin = (filling, restored);
            let description = restore::begin(shared, view, &table, &target, &overrides, origin, &mut batch)?;
            Ok((batch, RestoreTableToPointInTimeOutput { table_description: Some(description) }))
        }))
    }
}

/// To when a table is to be restored.
enum Wish {
    Latest,
    Time(i64),
}

impl Wish {
    fn read(input: &RestoreTableToPointInTimeInput) -> Result<Wish, ApiError> {
        match (input.use_latest_restorable_time == Some(true), input.restore_date_time) {
            (true, None) => Ok(Wish::Latest),
            (false, Some(time)) => Ok(Wish::Time(time.millis)),
            (true, Some(_)) => Err(ApiError::validation(
                "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both",
            )),
            (false, None) => Err(ApiError::validation(
                "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both",
            )),
        }
    }

    fn time_ms(&self, shared: &Shared, table: &Table) -> Result<u64, ApiError> {
        let recovery = table.recovery.as_ref().ok_or_else(|| recovery::unavailable(&table.name))?;
        let window = recovery.window_ms(shared.now_ms());
        match self {
            Wish::Latest => Ok(*window.end()),
            Wish::Time(time) => {
                u64::try_from(*time).ok().filter(|time| window.contains(time)).ok_or_else(|| {
                    ApiError::new(
                        ErrorKind::InvalidRestoreTimeException,
                        "An invalid restore time was specified. RestoreDateTime must be between \
                     EarliestRestorableDateTime and LatestRestorableDateTime.",
                    )
                })
            }
        }
    }
}

fn source_name(input: &RestoreTableToPointInTimeInput) -> Result<&str, ApiError> {
    let arn = input.source_table_arn.as_ref().map(TableName::name);
    match (input.source_table_name.as_deref(), arn) {
        (Some(name), None) | (None, Some(name)) => Ok(name),
        _ => Err(ApiError::validation("Must provide exactly one of: sourceTableArn, sourceTableName")),
    }
}
