//! The one list of operations.
//!
//! All operations of the two services are listed here, the supported ones with their input and output. From this list
//! come [`OperationId`], the marker types, and through [`with_operations!`](crate::with_operations) whatever a
//! dispatcher needs of them. Operations that a compiled design sends are marked `for calls` if its calls do, and `for designs` if only its deployment does;
//! [`Request`](crate::Request) and [`Response`](crate::Response) are made of those.

use crate::shape::{Check, Decode, Encode};

/// An operation that is supported.
pub trait Operation {
    /// The id of the operation.
    const ID: OperationId;
    /// Its name.
    const NAME: &'static str = Self::ID.name();
    /// The question.
    type Input: Decode + Check;
    /// The output.
    type Output: Encode;
}

/// An operation that a design sends: its input is a [`Request`], its output a [`Response`].
pub trait Exchanged: Operation {
    /// The request.
    fn request(input: Self::Input) -> Request;
    /// The output in a response; none if another operation is answered.
    fn output(response: Response) -> Option<Box<Self::Output>>;
}

/// The service of an operation, one of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// DynamoDB itself.
    DynamoDb,
    /// DynamoDB Streams.
    Streams,
}

impl Service {
    /// The part of the `X-Amz-Target` header before the dot.
    pub const fn target_prefix(self) -> &'static str {
        match self {
            Self::DynamoDb => "DynamoDB_20120810",
            Self::Streams => "DynamoDBStreams_20120810",
        }
    }
}

/// Declares all operations. A supported one names its module, input and output.
macro_rules! operations {
    (@target DynamoDb, $name:ident) => {
        concat!("DynamoDB_20120810.", stringify!($name))
    };
    (@target Streams, $name:ident) => {
        concat!("DynamoDBStreams_20120810.", stringify!($name))
    };
    (
        $(supported by $service:ident {
            $($name:ident: $module:ident, $input:ident, $output:ident $(, for $designs:ident)?;)+
        })+
        unsupported by DynamoDb { $($unsupported:ident,)* }
    ) => {
        $($(pub mod $module;)+)+

        /// Every operation of the two services.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum OperationId {
            $($(#[doc = concat!("`", stringify!($name), "`.")] $name,)+)+
            $(#[doc = concat!("`", stringify!($unsupported), "`, which is not supported.")] $unsupported,)*
        }

        impl OperationId {
            /// All of them, the supported ones first.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)+)+ $(Self::$unsupported,)*];
            /// The supported ones.
            pub const SUPPORTED: &'static [Self] = &[$($(Self::$name,)+)+];

            /// The operation's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$name => stringify!($name),)+)+
                    $(Self::$unsupported => stringify!($unsupported),)*
                }
            }

            /// The service it belongs to.
            pub const fn service(self) -> Service {
                match self {
                    $($(Self::$name => Service::$service,)+)+
                    $(Self::$unsupported => Service::DynamoDb,)*
                }
            }

            /// The value of the `X-Amz-Target` header: `DynamoDB_20120810.PutItem`.
            pub const fn target(self) -> &'static str {
                match self {
                    $($(Self::$name => operations!(@target $service, $name),)+)+
                    $(Self::$unsupported => operations!(@target DynamoDb, $unsupported),)*
                }
            }

            /// The operation of this name, in either service.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($(stringify!($name) => Some(Self::$name),)+)+
                    $(stringify!($unsupported) => Some(Self::$unsupported),)*
                    _ => None,
                }
            }
        }

        $($(
            #[doc = concat!("`", stringify!($name), "`; see [`", stringify!($module), "`].")]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Operation for $name {
                const ID: OperationId = OperationId::$name;
                type Input = $module::$input;
                type Output = $module::$output;
            }

            pub use $module::{$input, $output};
        )+)+

        /// Calls a macro with all supported operations and the names of their modules:
        /// `callback! { PutItem: put_item, GetItem: get_item, ... }`.
        ///
        /// With it a dispatcher needs no list of its own.
        #[macro_export]
        macro_rules! with_operations {
            ($callback:ident) => {
                $callback! { $($($name: $module,)+)+ }
            };
        }

        #[cfg(not(target_arch = "wasm32"))]
        for_designs! { all [] $($($name: $module $(, $designs)?;)+)+ }
        #[cfg(target_arch = "wasm32")]
        for_designs! { calls [] $($($name: $module $(, $designs)?;)+)+ }
    };
}

/// Picks the operations that are marked `for designs` or `for calls`, and declares what is made of them. Calls of a design
/// change no tables; a core on WebAssembly has nothing else to send, and leaves the shapes of tables out.
macro_rules! for_designs {
    ($which:ident [$($picked:tt)*]) => {
        crate::exchange::exchange! { $($picked)* }

        /// Calls a macro with the operations that a design sends, and the names of their modules:
        /// `callback! { PutItem: put_item, GetItem: get_item, ... }`.
        #[macro_export]
        macro_rules! with_design_operations {
            ($callback:ident) => {
                $callback! { $($picked)* }
            };
        }
        pub(crate) use with_design_operations;
    };
    ($which:ident [$($picked:tt)*] $name:ident: $module:ident, calls; $($rest:tt)*) => {
        for_designs! { $which [$($picked)* $name: $module,] $($rest)* }
    };
    (all [$($picked:tt)*] $name:ident: $module:ident, designs; $($rest:tt)*) => {
        for_designs! { all [$($picked)* $name: $module,] $($rest)* }
    };
    (calls [$($picked:tt)*] $name:ident: $module:ident, designs; $($rest:tt)*) => {
        for_designs! { calls [$($picked)*] $($rest)* }
    };
    ($which:ident [$($picked:tt)*] $name:ident: $module:ident; $($rest:tt)*) => {
        for_designs! { $which [$($picked)*] $($rest)* }
    };
}

operations! {
    supported by DynamoDb {
        BatchExecuteStatement: batch_execute_statement, BatchExecuteStatementInput, BatchExecuteStatementOutput;
        BatchGetItem: batch_get_item, BatchGetItemInput, BatchGetItemOutput, for calls;
        BatchWriteItem: batch_write_item, BatchWriteItemInput, BatchWriteItemOutput, for calls;
        CreateBackup: create_backup, CreateBackupInput, CreateBackupOutput, for designs;
        CreateTable: create_table, CreateTableInput, CreateTableOutput, for designs;
        DeleteBackup: delete_backup, DeleteBackupInput, DeleteBackupOutput;
        DeleteItem: delete_item, DeleteItemInput, DeleteItemOutput, for calls;
        DeleteResourcePolicy: delete_resource_policy, DeleteResourcePolicyInput, DeleteResourcePolicyOutput;
        DeleteTable: delete_table, DeleteTableInput, DeleteTableOutput, for designs;
        DescribeBackup: describe_backup, DescribeBackupInput, DescribeBackupOutput;
        DescribeContinuousBackups: describe_continuous_backups, DescribeContinuousBackupsInput, DescribeContinuousBackupsOutput, for designs;
        DescribeEndpoints: describe_endpoints, DescribeEndpointsInput, DescribeEndpointsOutput;
        DescribeExport: describe_export, DescribeExportInput, DescribeExportOutput;
        DescribeImport: describe_import, DescribeImportInput, DescribeImportOutput;
        DescribeLimits: describe_limits, DescribeLimitsInput, DescribeLimitsOutput;
        DescribeTable: describe_table, DescribeTableInput, DescribeTableOutput, for designs;
        DescribeTimeToLive: describe_time_to_live, DescribeTimeToLiveInput, DescribeTimeToLiveOutput, for designs;
        ExecuteStatement: execute_statement, ExecuteStatementInput, ExecuteStatementOutput;
        ExecuteTransaction: execute_transaction, ExecuteTransactionInput, ExecuteTransactionOutput;
        ExportTableToPointInTime: export_table_to_point_in_time, ExportTableToPointInTimeInput, ExportTableToPointInTimeOutput;
        GetItem: get_item, GetItemInput, GetItemOutput, for calls;
        GetResourcePolicy: get_resource_policy, GetResourcePolicyInput, GetResourcePolicyOutput;
        ImportTable: import_table, ImportTableInput, ImportTableOutput;
        ListBackups: list_backups, ListBackupsInput, ListBackupsOutput;
        ListExports: list_exports, ListExportsInput, ListExportsOutput;
        ListImports: list_imports, ListImportsInput, ListImportsOutput;
        ListTables: list_tables, ListTablesInput, ListTablesOutput, for designs;
        ListTagsOfResource: list_tags_of_resource, ListTagsOfResourceInput, ListTagsOfResourceOutput, for designs;
        PutItem: put_item, PutItemInput, PutItemOutput, for calls;
        PutResourcePolicy: put_resource_policy, PutResourcePolicyInput, PutResourcePolicyOutput;
        Query: query, QueryInput, QueryOutput, for calls;
        RestoreTableFromBackup: restore_table_from_backup, RestoreTableFromBackupInput, RestoreTableFromBackupOutput;
        RestoreTableToPointInTime: restore_table_to_point_in_time, RestoreTableToPointInTimeInput, RestoreTableToPointInTimeOutput;
        Scan: scan, ScanInput, ScanOutput, for calls;
        TagResource: tag_resource, TagResourceInput, TagResourceOutput, for designs;
        TransactGetItems: transact_get_items, TransactGetItemsInput, TransactGetItemsOutput, for calls;
        TransactWriteItems: transact_write_items, TransactWriteItemsInput, TransactWriteItemsOutput, for calls;
        UntagResource: untag_resource, UntagResourceInput, UntagResourceOutput;
        UpdateContinuousBackups: update_continuous_backups, UpdateContinuousBackupsInput, UpdateContinuousBackupsOutput, for designs;
        UpdateItem: update_item, UpdateItemInput, UpdateItemOutput, for calls;
        UpdateTable: update_table, UpdateTableInput, UpdateTableOutput, for designs;
        UpdateTimeToLive: update_time_to_live, UpdateTimeToLiveInput, UpdateTimeToLiveOutput, for designs;
    }
    supported by Streams {
        DescribeStream: describe_stream, DescribeStreamInput, DescribeStreamOutput, for designs;
        GetRecords: get_records, GetRecordsInput, GetRecordsOutput, for designs;
        GetShardIterator: get_shard_iterator, GetShardIteratorInput, GetShardIteratorOutput, for designs;
        ListStreams: list_streams, ListStreamsInput, ListStreamsOutput;
    }
    unsupported by DynamoDb {
        CancelBulkOperation,
        CreateGlobalTable,
        DescribeBulkOperation,
        DescribeContributorInsights,
        DescribeGlobalTable,
        DescribeGlobalTableSettings,
        DescribeKinesisStreamingDestination,
        DescribeTableReplicaAutoScaling,
        DisableKinesisStreamingDestination,
        EnableKinesisStreamingDestination,
        ListBulkOperations,
        ListContributorInsights,
        ListGlobalTables,
        SearchVectors,
        StartBulkPutItems,
        UpdateContributorInsights,
        UpdateGlobalTable,
        UpdateGlobalTableSettings,
        UpdateKinesisStreamingDestination,
        UpdateTableReplicaAutoScaling,
    }
}

impl OperationId {
    /// The operation that an `X-Amz-Target` header names: `DynamoDB_20120810.PutItem`.
    pub fn from_target(target: &str) -> Option<Self> {
        let (prefix, name) = target.split_once('.')?;
        Self::from_name(name).filter(|operation| operation.service().target_prefix() == prefix)
    }

    /// Whether it has an input and an output here.
    pub fn is_supported(self) -> bool {
        Self::SUPPORTED.contains(&self)
    }
}
