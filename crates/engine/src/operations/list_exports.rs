//! ListExports: the oldest first.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{ListExports, ListExportsInput, ListExportsOutput};

use super::Run;
use crate::engine::Shared;
use crate::layout;
use crate::reply::Reply;
use crate::jobs::transfers::export::Export;
use crate::jobs::transfers::listing::{Listing, page};

impl Run for ListExports {
    fn run(shared: &Arc<Shared>, input: ListExportsInput) -> Result<Reply<ListExportsOutput>, ApiError> {
        let ListExportsInput { table_arn, max_results, next_token } = input;
        let listing =
            Listing { space: layout::EXPORTS, table: table_arn, limit: max_results, token: next_token };
        let (exports, next_token) = page::<Export>(&shared.committer.view(), &listing)?;
        let summaries = exports.iter().map(|export| export.summary(shared)).collect();
        Ok(Reply::now(ListExportsOutput { export_summaries: Some(summaries), next_token }))
    }
}
