//! Designs from tables that exist: the answer of DescribeTable, or a CloudFormation or SAM template. How the answer was
//! obtained is not known here.
//!
//! Such sources contain keys, indexes and settings, and nothing about other attributes. The design that comes
//! out compiles; what the source is silent about is a `TODO` comment.

mod cloudformation;
mod describe_table;
mod emit;
mod source;
mod yaml;

use serde_json::Value;

/// Why nothing could be imported.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ImportError {
    /// Neither JSON nor YAML.
    #[error("this is neither JSON nor YAML: {0}")]
    Unreadable(String),
    /// No table in it.
    #[error("there is no DynamoDB table in it")]
    NoTables,
}

/// The design of the tables that a text describes.
pub fn import(name: &str, text: &str) -> Result<String, ImportError> {
    from_value(name, &read(text)?)
}

/// The design of the tables in a document that was read already.
pub fn from_value(name: &str, value: &Value) -> Result<String, ImportError> {
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
