//! Designs from tables that exist: the answer of DescribeTable, from a file or a running server, or a CloudFormation or
//! SAM template.
//!
//! Such sources contain keys, indexes and settings, and nothing about other attributes. The design that comes
//! out compiles; what the source is silent about is a `TODO` comment.

mod cloudformation;
mod describe_table;
mod emit;
mod running;
mod source;
mod yaml;

use serde_json::Value;
use sortkey_api::Backend;

/// Why nothing could be imported.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ImportError {
    /// Neither JSON nor YAML.
    #[error("this is neither JSON nor YAML: {0}")]
    Unreadable(String),
    /// No table in it.
    #[error("there is no DynamoDB table in it")]
    NoTables,
    /// A DynamoDB that refused to describe its tables.
    #[error("{0}")]
    Refused(String),
}

/// The design of the tables that a text describes.
pub fn import(name: &str, text: &str) -> Result<String, ImportError> {
    from_value(name, &read(text)?)
}

/// The design of the tables of a running DynamoDB: all of them, or those named.
pub async fn import_tables(
    name: &str,
    backend: &dyn Backend,
    tables: &[String],
) -> Result<String, ImportError> {
    from_value(name, &running::describe(backend, tables).await?)
}

fn from_value(name: &str, value: &Value) -> Result<String, ImportError> {
    let mut tables = describe_table::tables(value);
    if tables.is_empty() {
        tables = cloudformation::tables(value);
    }
    if tables.is_empty() {
        return Err(ImportError::NoTables);
    }
    Ok(emit::design(name, &tables))
}

/// The document that a text holds, JSON or YAML.
pub fn read(text: &str) -> Result<Value, ImportError> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(json) if text.trim_start().starts_with(['{', '[']) => {
            Err(ImportError::Unreadable(json.to_string()))
        }
        Err(_) => yaml::parse(text).map_err(ImportError::Unreadable),
    }
}
