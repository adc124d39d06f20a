//! What a DynamoDB does for us, in the typed inputs and outputs of its own API.
//!
//! Two implementations exist: [`Embedded`](crate::Embedded) in this process, and one behind the AWS SDK in its own crate.

use std::future::Future;
use std::pin::Pin;

use sortkey_api::ApiError;
use sortkey_api::operations::*;

/// An answer that is being waited for.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, ApiError>> + Send + 'a>>;

macro_rules! backend {
    ($($(#[$doc:meta])* $method:ident: $input:ident => $output:ident;)+) => {
        /// A DynamoDB.
        pub trait Backend: Send + Sync + 'static {
            $($(#[$doc])* fn $method(&self, input: $input) -> Pending<'_, $output>;)+

            /// Whether it repeats requests itself where that may help, so that nobody above needs to.
            fn repeats(&self) -> bool {
                false
            }

            /// Hears that a test calls a pattern or an operation, and then whether that failed, and how. Only a backend
            /// that measures has a use for it.
            fn hears(&self, _call: &str, _failed: Option<Option<String>>) {}
        }

        impl Backend for crate::Embedded {
            $(fn $method(&self, input: $input) -> Pending<'_, $output> {
                Box::pin(self.engine().$method(input))
            })+
        }
    };
}

backend! {
    /// Reads an item.
    get_item: GetItemInput => GetItemOutput;
    /// Stores an item.
    put_item: PutItemInput => PutItemOutput;
    /// Changes an item.
    update_item: UpdateItemInput => UpdateItemOutput;
    /// Removes an item.
    delete_item: DeleteItemInput => DeleteItemOutput;
    /// Reads items of one partition.
    query: QueryInput => QueryOutput;
    /// Reads all items.
    scan: ScanInput => ScanOutput;
    /// Reads up to 100 items.
    batch_get_item: BatchGetItemInput => BatchGetItemOutput;
    /// Writes up to 25 items, each for itself.
    batch_write_item: BatchWriteItemInput => BatchWriteItemOutput;
    /// Reads up to 100 items as of one moment.
    transact_get_items: TransactGetItemsInput => TransactGetItemsOutput;
    /// Writes up to 100 items, all or none.
    transact_write_items: TransactWriteItemsInput => TransactWriteItemsOutput;
    /// Creates a table.
    create_table: CreateTableInput => CreateTableOutput;
    /// Describes a table.
    describe_table: DescribeTableInput => DescribeTableOutput;
    /// Changes a table.
    update_table: UpdateTableInput => UpdateTableOutput;
    /// Deletes a table.
    delete_table: DeleteTableInput => DeleteTableOutput;
    /// Lists the names of tables.
    list_tables: ListTablesInput => ListTablesOutput;
    /// Says by which attribute items expire.
    update_time_to_live: UpdateTimeToLiveInput => UpdateTimeToLiveOutput;
    /// Tells by which attribute items expire.
    describe_time_to_live: DescribeTimeToLiveInput => DescribeTimeToLiveOutput;
    /// Switches continuous backups on or off.
    update_continuous_backups: UpdateContinuousBackupsInput => UpdateContinuousBackupsOutput;
    /// Tells whether continuous backups are on.
    describe_continuous_backups: DescribeContinuousBackupsInput => DescribeContinuousBackupsOutput;
    /// Adds tags to a table.
    tag_resource: TagResourceInput => TagResourceOutput;
    /// Lists the tags of a table.
    list_tags_of_resource: ListTagsOfResourceInput => ListTagsOfResourceOutput;
}
