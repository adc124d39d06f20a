//! The tables of a design, for tests: where nothing else creates them.

use sortkey_api::OperationId;
use sortkey_embedded::block_on;

use crate::{ApiError, Database};

/// A table of a generated client.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The body of `CreateTable`.
    pub create: &'static str,
    /// The attribute that holds an item's expiry.
    pub time_to_live: Option<&'static str>,
}

impl Database {
    /// Creates the tables of a generated client: for tests, which fork the database afterwards.
    ///
    /// ```ignore
    /// let template = Database::memory();
    /// template.create_tables(links::TABLES)?;
    /// let links = links::Links::open(Options::database(&template.fork()?))?;
    /// ```
    pub fn create_tables(&self, tables: &[Table]) -> Result<(), ApiError> {
        for table in tables {
            self.asked("CreateTable", table.create.as_bytes())?;
            if let Some(attribute) = table.time_to_live {
                let body = serde_json::json!({
                    "TableName": table.name,
                    "TimeToLiveSpecification": { "AttributeName": attribute, "Enabled": true },
                });
                self.asked("UpdateTimeToLive", body.to_string().as_bytes())?;
            }
        }
        Ok(())
    }

    fn asked(&self, operation: &str, body: &[u8]) -> Result<(), ApiError> {
        let operation = OperationId::from_name(operation).ok_or_else(ApiError::internal)?;
        block_on(self.engine().call(operation, body)).result.map(drop)
    }
}
