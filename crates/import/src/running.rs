//! Tables described by a running DynamoDB: AWS, this engine, DynamoDB Local, or any other that is reached as a [`Backend`].

use crate::ImportError;
use serde_json::{Map, Value};
use sortkey_api::operations::{
    DescribeContinuousBackupsInput, DescribeTableInput, DescribeTimeToLiveInput, ListTablesInput,
};
use sortkey_api::shape::Encode;
use sortkey_api::{ApiError, Backend, Requests as _, encode};

/// More tables than AWS allows in a region without asking are a server that repeats itself.
const MAX_TABLES: usize = 10_000;

/// The descriptions of a server's tables, or of those named: a list in the form of DescribeTable's answers.
pub(crate) async fn describe(backend: &dyn Backend, names: &[String]) -> Result<Value, ImportError> {
    let names = if names.is_empty() { list(backend).await? } else { names.to_vec() };
    let mut tables = Vec::new();
    for name in &names {
        tables.push(table(backend, name).await?);
    }
    Ok(Value::Array(tables))
}

async fn list(backend: &dyn Backend) -> Result<Vec<String>, ImportError> {
    let mut names: Vec<String> = Vec::new();
    let mut input = ListTablesInput::default();
    while names.len() < MAX_TABLES {
        let page = backend.list_tables(input).await.map_err(|error| refused("ListTables", &error))?;
        names.extend(page.table_names);
        match page.last_evaluated_table_name {
            Some(last) => {
                input =
                    ListTablesInput { exclusive_start_table_name: Some(last), ..ListTablesInput::default() };
            }
            None => break,
        }
    }
    Ok(names)
}

/// The table, with its expiry and its recovery, which have calls of their own.
async fn table(backend: &dyn Backend, name: &str) -> Result<Value, ImportError> {
    let described = backend.describe_table(DescribeTableInput { table_name: name.into() }).await;
    let mut described = json(&described.map_err(|error| refused("DescribeTable", &error))?);
    // Servers for development lack one or the other; a missing setting becomes a TODO.
    if let Ok(expiry) =
        backend.describe_time_to_live(DescribeTimeToLiveInput { table_name: name.into() }).await
    {
        described.extend(json(&expiry));
    }
    let input = DescribeContinuousBackupsInput { table_name: name.into() };
    if let Ok(backups) = backend.describe_continuous_backups(input).await {
        described.extend(json(&backups));
    }
    Ok(Value::Object(described))
}

/// The members of an answer, under DynamoDB's own names.
fn json<O: Encode>(output: &O) -> Map<String, Value> {
    let mut text = Vec::new();
    encode(output, &mut text);
    serde_json::from_slice(&text).unwrap_or_default()
}

fn refused(operation: &str, error: &ApiError) -> ImportError {
    ImportError::Refused(format!("{operation}: {error}"))
}
