//! ListImports: the oldest first.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{ListImports, ListImportsInput, ListImportsOutput};

use super::Run;
use crate::engine::Shared;
use crate::layout;
use crate::reply::Reply;
use crate::jobs::transfers::import::Import;
use crate::jobs::transfers::listing::{Listing, page};

impl Run for ListImports {
    fn run(shared: &Arc<Shared>, input: ListImportsInput) -> Result<Reply<ListImportsOutput>, ApiError> {
        let ListImportsInput { table_arn, page_size, next_token } = input;
        let listing =
            Listing { space: layout::IMPORTS, table: table_arn, limit: page_size, token: next_token };
        let (imports, next_token) = page::<Import>(&shared.committer.view(), &listing)?;
        let summaries = imports.iter().map(|import| import.summary(shared)).collect();
        Ok(Reply::now(ListImportsOutput { import_summary_list: Some(summaries), next_token }))
    }
}
