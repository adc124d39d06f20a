//! DescribeContinuousBackups.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{
    DescribeContinuousBackups, DescribeContinuousBackupsInput, DescribeContinuousBackupsOutput,
};

use super::Run;
use crate::engine::Shared;
use crate::history::recovery;
use crate::reply::Reply;

impl Run for DescribeContinuousBackups {
    fn run(
        shared: &Arc<Shared>,
        input: DescribeContinuousBackupsInput,
    ) -> Result<Reply<DescribeContinuousBackupsOutput>, ApiError> {
        let view = shared.committer.view();
        let name = input.table_name.name();
        let table = shared.catalog.find(&view, name)?.ok_or_else(|| recovery::table_not_found(name))?;
        let description = recovery::describe(shared, &table);
        Ok(Reply::now(DescribeContinuousBackupsOutput { continuous_backups_description: Some(description) }))
    }
}
