//! DescribeTable: always up to date, sizes included.

use std::sync::Arc;

use sortkey_api::{ApiError, TableName};
use sortkey_api::operations::{DescribeTable, DescribeTableInput, DescribeTableOutput};
use sortkey_api::shapes::table::TableStatus;

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;

impl Run for DescribeTable {
    fn run(shared: &Arc<Shared>, input: DescribeTableInput) -> Result<Reply<DescribeTableOutput>, ApiError> {
        let view = shared.committer.view();
        let table = shared.catalog.managed_table(&view, input.table_name.name())?;
        let description = shared.describe(&view, &table, TableStatus::Active)?;
        Ok(Reply::now(DescribeTableOutput { table: Some(description) }))
    }

    fn table(input: &DescribeTableInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
