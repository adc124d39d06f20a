//! The operations: one file each, of one shape, registered by one line in [`operations!`] below. From that list
//! come the dispatcher and the typed methods of [`Engine`].

use std::sync::Arc;

use sortkey_api::{ApiError, Operation, OperationId, TableName};

use crate::engine::{Engine, Shared};
use crate::reply::{Reply, is_reopening};

/// An operation that the engine can run. Its input has passed the constraints of its shape.
pub(crate) trait Run: Operation {
    fn run(shared: &Arc<Shared>, input: Self::Input) -> Result<Reply<Self::Output>, ApiError>;

    /// The one table that the request concerns, if there is one; metrics are kept by it.
    fn table(_: &Self::Input) -> Option<&TableName> {
        None
    }
}

/// The answer to a request as JSON.
#[derive(Debug)]
pub struct JsonReply {
    /// The JSON of the output, or the error.
    pub result: Result<Vec<u8>, ApiError>,
    /// The table that the request concerned, if it concerned exactly one that exists. It becomes a label of metrics,
    /// so a name that a client made up does not belong here.
    pub table: Option<Arc<str>>,
}

macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident => $module:ident;)*) => {
        $(mod $module;)*

        impl Engine {
            /// Runs an operation on its JSON body and answers JSON.
            pub async fn call(&self, operation: OperationId, body: &[u8]) -> JsonReply {
                match operation {
                    $(OperationId::$operation => self.answer::<sortkey_api::operations::$operation>(body).await,)*
                    _ => JsonReply { result: Err(crate::text::unsupported(operation)), table: None },
                }
            }

            /// Whether the engine can run an operation.
            pub fn supports(operation: OperationId) -> bool {
                matches!(operation, $(OperationId::$operation)|*)
            }

            $(
                $(#[$doc])*
                pub fn $module(
                    &self,
                    input: <sortkey_api::operations::$operation as Operation>::Input,
                ) -> Reply<<sortkey_api::operations::$operation as Operation>::Output> {
                    let run = || {
                        sortkey_api::check(&input)?;
                        sortkey_api::operations::$operation::run(&self.shared, input)
                    };
                    Reply::from(run())
                }
            )*
        }
    };
}

impl Engine {
    async fn answer<O: Run>(&self, body: &[u8]) -> JsonReply
    where
        O::Output: Unpin,
    {
        let input = match sortkey_api::decode::<O::Input>(body) {
            Ok(input) => input,
            Err(error) => return JsonReply { result: Err(error), table: None },
        };
        let table = O::table(&input).and_then(|name| self.shared.existing_table(name.name()));
        let mut epoch = self.shared.committer.epoch();
        let mut result = async { O::run(&self.shared, input)?.await }.await;
        // Nothing has changed for a request that met a store which is being opened anew: it starts over.
        while result.as_ref().is_err_and(is_reopening) && self.shared.committer.reopened_since(epoch).await {
            epoch = self.shared.committer.epoch();
            let input = match sortkey_api::decode::<O::Input>(body) {
                Ok(input) => input,
                Err(error) => return JsonReply { result: Err(error), table },
            };
            result = async { O::run(&self.shared, input)?.await }.await;
        }
        let result = result.map(|output| {
            let mut json = Vec::with_capacity(256);
            sortkey_api::encode(&output, &mut json);
            json
        });
        JsonReply { result, table }
    }
}

operations! {
    /// Creates a table.
    CreateTable => create_table;
    /// Describes a table.
    DescribeTable => describe_table;
    /// Lists the names of tables.
    ListTables => list_tables;
    /// Changes a table's settings and indexes.
    UpdateTable => update_table;
    /// Deletes a table.
    DeleteTable => delete_table;
    /// Stores an item.
    PutItem => put_item;
    /// Reads an item.
    GetItem => get_item;
    /// Changes an item.
    UpdateItem => update_item;
    /// Deletes an item.
    DeleteItem => delete_item;
    /// Reads items of one partition.
    Query => query;
    /// Reads all items.
    Scan => scan;
    /// Reads up to 100 items.
    BatchGetItem => batch_get_item;
    /// Writes up to 25 items, each for itself.
    BatchWriteItem => batch_write_item;
    /// Reads up to 100 items as of one moment.
    TransactGetItems => transact_get_items;
    /// Writes up to 100 items, all or none.
    TransactWriteItems => transact_write_items;
    /// Runs a PartiQL statement.
    ExecuteStatement => execute_statement;
    /// Runs up to 25 PartiQL statements, each for itself.
    BatchExecuteStatement => batch_execute_statement;
    /// Runs up to 100 PartiQL statements, all or none.
    ExecuteTransaction => execute_transaction;
    /// Sets the attribute by which items expire, or switches expiry off.
    UpdateTimeToLive => update_time_to_live;
    /// Describes the attribute by which items expire.
    DescribeTimeToLive => describe_time_to_live;
    /// Adds tags to a table.
    TagResource => tag_resource;
    /// Removes tags from a table.
    UntagResource => untag_resource;
    /// Lists the tags of a table.
    ListTagsOfResource => list_tags_of_resource;
    /// Describes the account's quotas.
    DescribeLimits => describe_limits;
    /// Describes the endpoints for requests.
    DescribeEndpoints => describe_endpoints;
    /// Lists streams.
    ListStreams => list_streams;
    /// Describes a stream and its shards.
    DescribeStream => describe_stream;
    /// Gives a place in a shard to read from.
    GetShardIterator => get_shard_iterator;
    /// Reads records of a shard.
    GetRecords => get_records;
    /// Switches continuous backups on or off.
    UpdateContinuousBackups => update_continuous_backups;
    /// Describes whether continuous backups are on.
    DescribeContinuousBackups => describe_continuous_backups;
    /// Backs a table up.
    CreateBackup => create_backup;
    /// Describes a backup.
    DescribeBackup => describe_backup;
    /// Lists backups.
    ListBackups => list_backups;
    /// Deletes a backup.
    DeleteBackup => delete_backup;
    /// Makes a table of a backup.
    RestoreTableFromBackup => restore_table_from_backup;
    /// Makes a table of another as it was at a time.
    RestoreTableToPointInTime => restore_table_to_point_in_time;
    /// Writes a table as it was into files.
    ExportTableToPointInTime => export_table_to_point_in_time;
    /// Describes an export.
    DescribeExport => describe_export;
    /// Lists exports.
    ListExports => list_exports;
    /// Makes a table of files.
    ImportTable => import_table;
    /// Describes an import.
    DescribeImport => describe_import;
    /// Lists imports.
    ListImports => list_imports;
    /// Reads a resource policy.
    GetResourcePolicy => get_resource_policy;
    /// Attaches a resource policy.
    PutResourcePolicy => put_resource_policy;
    /// Removes a resource policy.
    DeleteResourcePolicy => delete_resource_policy;
}
