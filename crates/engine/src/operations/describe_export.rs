//! DescribeExport: while it runs, the counts show the progress.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{DescribeExport, DescribeExportInput, DescribeExportOutput};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::jobs::transfers::export::Export;

impl Run for DescribeExport {
    fn run(
        shared: &Arc<Shared>,
        input: DescribeExportInput,
    ) -> Result<Reply<DescribeExportOutput>, ApiError> {
        let export = Export::find(shared, &shared.committer.view(), &input.export_arn)?;
        Ok(Reply::now(DescribeExportOutput { export_description: Some(export.description(shared)) }))
    }
}
