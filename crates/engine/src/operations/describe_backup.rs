//! DescribeBackup: while it is being written, its size shows the progress.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{DescribeBackup, DescribeBackupInput, DescribeBackupOutput};

use super::Run;
use crate::history::backup::Backup;
use crate::engine::Shared;
use crate::reply::Reply;

impl Run for DescribeBackup {
    fn run(
        shared: &Arc<Shared>,
        input: DescribeBackupInput,
    ) -> Result<Reply<DescribeBackupOutput>, ApiError> {
        let view = shared.committer.view();
        let backup = Backup::find(shared, &view, &input.backup_arn)?;
        let description = backup.description(shared, &view)?;
        Ok(Reply::now(DescribeBackupOutput { backup_description: Some(description) }))
    }
}
