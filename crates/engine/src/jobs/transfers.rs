//! Jobs that move whole tables, in a thread of their own: backups being written, tables being filled, exports and
//! imports.
//!
//! Backups and restores go on where they were after a restart (see `copying.rs`), exports and imports begin anew.

pub(crate) mod bucket;
mod copying;
pub(crate) mod export;
pub(crate) mod import;
mod lines;
pub(crate) mod listing;
mod manifest;
mod objects;
mod reading;
mod rows;
mod writing;
mod zstd;

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sortkey_api::ApiError;
use sortkey_storage::Published;

use crate::catalog::table::{Filling, Table};
use crate::engine::Shared;
use crate::history::backup::Backup;
use crate::{catalog, layout};
use copying::{fill, write_backup};
use export::Export;

/// The number of steps of an export or an import between updates of its visible progress.
const STEPS_PER_REPORT: usize = 16;

/// How far an export or an import is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    InProgress,
    Completed,
    Failed(Failure),
}

/// Why an export or an import failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Failure {
    fn new(code: &str, message: String) -> Failure {
        Failure { code: code.to_owned(), message }
    }

    /// The settings do not allow what they allowed when it began.
    fn unreachable(error: ApiError) -> Failure {
        Failure::new("S3AccessDenied", error.message)
    }

    /// Everything was read, but some of it was no item of the table.
    fn invalid_items() -> Failure {
        let message = "Some of the items failed validation checks and were not imported".to_owned();
        Failure::new("ItemValidationError", message)
    }
}

/// Why an export or an import does not go on: for good, or until the store works again.
enum Stop {
    Files(Failure),
    Store(ApiError),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Files(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Failure::new("S3AccessFailed", error.to_string()).into()
    }
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Stop {
        Stop::Store(error)
    }
}

/// Completes everything that is unfinished.
pub(crate) fn run(shared: &Arc<Shared>) -> Result<(), ApiError> {
    // The view goes at once: what follows can take long, and must not pin it.
    let Unfinished { backups, exports, tables } = Unfinished::find(&shared.committer.view())?;
    for backup in backups {
        write_backup(shared, &backup)?;
    }
    for export in exports {
        writing::run(shared, export)?;
    }
    for table in tables {
        match &table.filling {
            Some(Filling::Backup { source }) => fill(shared, &table, *source, None)?,
            Some(Filling::Table { source, moment, .. }) => fill(shared, &table, *source, Some(*moment))?,
            Some(Filling::Import { label }) => reading::run(shared, &table, label)?,
            None => {}
        }
    }
    Ok(())
}

/// Whether something is unfinished in a database that was just opened.
pub(crate) fn are_due(view: &Published) -> bool {
    Unfinished::find(view).is_ok_and(|Unfinished { backups, exports, tables }| {
        !backups.is_empty() || !exports.is_empty() || !tables.is_empty()
    })
}

/// The unfinished work.
struct Unfinished {
    backups: Vec<Backup>,
    exports: Vec<Export>,
    tables: Vec<Arc<Table>>,
}

impl Unfinished {
    fn find(view: &Published) -> Result<Unfinished, ApiError> {
        let backups = catalog::backups(view).collect::<Result<Vec<_>, _>>()?;
        let exports = catalog::entries::<Export>(view, layout::EXPORTS).collect::<Result<Vec<_>, _>>()?;
        let tables = catalog::tables(view).collect::<Result<Vec<_>, _>>()?;
        Ok(Unfinished {
            backups: backups.into_iter().filter(|backup| !backup.complete).collect(),
            exports: exports.into_iter().filter(|export| export.status == Status::InProgress).collect(),
            tables: tables.into_iter().filter(|table| table.filling.is_some()).collect(),
        })
    }
}
