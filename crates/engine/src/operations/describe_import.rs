//! DescribeImport: while it runs, the counts show the progress.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{DescribeImport, DescribeImportInput, DescribeImportOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::jobs::transfers::import::Import;

impl Run for DescribeImport {
    fn run(
        shared: &Arc<Shared>,
        input: DescribeImportInput,
    ) -> Result<Reply<DescribeImportOutput>, ApiError> {
        let import = Import::find(shared, &shared.committer.view(), &input.import_arn)?;
        Ok(Reply::now(DescribeImportOutput { import_table_description: import.description(shared) }))
    }
}
