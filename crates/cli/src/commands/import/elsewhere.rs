//! The tables of a running DynamoDB, as AWS's own tools would print them.

use serde_json::Value;
use sortkey_api::ApiError;
use sortkey_api::operations::{
    DescribeContinuousBackups, DescribeContinuousBackupsInput, DescribeTable, DescribeTableInput,
    DescribeTimeToLive, DescribeTimeToLiveInput, ListTables, ListTablesInput, Operation,
};
use sortkey_api::shape::{Decode, Encode};
use sortkey_remote::{Remote, Settings};

use crate::failure::Failure;

/// More tables than AWS allows in a region without asking are a server that repeats itself.
const MAX_TABLES: usize = 10_000;

/// The descriptions of the tables at an address, or of those named: a list in the form of DescribeTable's answers.
pub(super) fn describe(settings: Settings, names: &[String]) -> Result<Value, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let described = runtime.block_on(async {
        let remote = Remote::new(settings).await;
        let names = if names.is_empty() { list(&remote).await? } else { names.to_vec() };
        let mut tables = Vec::with_capacity(names.len());
        for name in names {
            tables.push(table(&remote, &name).await?);
        }
        Ok(Value::Array(tables))
    });
    described.map_err(|error: ApiError| Failure::new(format_args!("cannot import: {}", error.message)))
}

async fn list(remote: &Remote) -> Result<Vec<String>, ApiError> {
    let mut names: Vec<String> = Vec::new();
    let mut input = ListTablesInput::default();
    while names.len() < MAX_TABLES {
        let page = remote.call::<ListTables>(input).await?;
        names.extend(page.table_names);
        match page.last_evaluated_table_name {
            Some(last) => input = ListTablesInput { exclusive_start_table_name: Some(last), limit: None },
            None => break,
        }
    }
    Ok(names)
}

/// A table, with its expiry and its recovery, which have calls of their own.
async fn table(remote: &Remote, name: &str) -> Result<Value, ApiError> {
    let mut described = ask::<DescribeTable>(remote, DescribeTableInput { table_name: name.into() }).await?;
    // Servers for development lack one or the other; a missing setting becomes a TODO.
    let expiry = ask::<DescribeTimeToLive>(remote, DescribeTimeToLiveInput { table_name: name.into() }).await;
    let recovery = DescribeContinuousBackupsInput { table_name: name.into() };
    let recovery = ask::<DescribeContinuousBackups>(remote, recovery).await;
    for more in [expiry, recovery] {
        if let (Ok(Value::Object(more)), Some(all)) = (more, described.as_object_mut()) {
            all.extend(more);
        }
    }
    Ok(described)
}

/// The answer of an operation as JSON.
async fn ask<O: Operation>(remote: &Remote, input: O::Input) -> Result<Value, ApiError>
where
    O::Input: Encode,
    O::Output: Decode,
{
    let output = remote.call::<O>(input).await?;
    let mut text = Vec::new();
    sortkey_api::encode(&output, &mut text);
    serde_json::from_slice(&text).map_err(|_| ApiError::internal())
}
