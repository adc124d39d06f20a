//! ListTables: names in order, a hundred a page.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{ListTables, ListTablesInput, ListTablesOutput};

use super::Run;
use crate::catalog;
use crate::engine::Shared;
use crate::reply::Reply;

const DEFAULT_LIMIT: usize = 100;

impl Run for ListTables {
    fn run(shared: &Arc<Shared>, input: ListTablesInput) -> Result<Reply<ListTablesOutput>, ApiError> {
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        let start = input.exclusive_start_table_name.as_deref().unwrap_or_default();
        let view = shared.committer.view();
        let names = catalog::tables_after(&view, start).take(limit + 1).map(|table| Ok(table?.name.to_string()));
        let mut names: Vec<String> = names.collect::<Result<_, ApiError>>()?;
        let more = names.len() > limit;
        names.truncate(limit);
        Ok(Reply::now(ListTablesOutput {
            last_evaluated_table_name: names.last().filter(|_| more).cloned(),
            table_names: names,
        }))
    }
}
