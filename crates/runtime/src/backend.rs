//! What a DynamoDB does for us, in the typed inputs and outputs of its own API.
//!
//! Two implementations exist: [`Embedded`](crate::Embedded) in this process, and one behind the AWS SDK in its own crate.

use std::future::Future;
use std::pin::Pin;

use sortkey_api::operations::*;
use sortkey_api::shapes::transaction::TransactWriteItem;
use sortkey_api::{ApiError, TableName};

use crate::testing::Scheduled;

/// An answer that is being waited for.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, ApiError>> + Send + 'a>>;

macro_rules! backend {
    ($($(#[$doc:meta])* $method:ident: $input:ident => $output:ident, $concerns:expr;)+) => {
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

        /// In a race every request waits for its turn.
        impl Backend for Scheduled {
            $(fn $method(&self, input: $input) -> Pending<'_, $output> {
                let concerns: fn(&$input) -> String = $concerns;
                match self.scheduler.request(stringify!($input), &|| concerns(&input)) {
                    None => self.inner.$method(input),
                    Some(turn) => Box::pin(async move {
                        let turn = turn.await;
                        let answer = self.inner.$method(input).await;
                        turn.over();
                        answer
                    }),
                }
            })+
        }
    };
}

/// One table.
fn one(table: &TableName) -> String {
    table.name().to_string()
}

/// The tables of a batch, each once.
fn all<'a>(tables: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = tables.collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// The table of one item of a transaction.
fn written(item: &TransactWriteItem) -> Option<&TableName> {
    let put = item.put.as_ref().map(|each| &each.table_name);
    let update = item.update.as_ref().map(|each| &each.table_name);
    let delete = item.delete.as_ref().map(|each| &each.table_name);
    let check = item.condition_check.as_ref().map(|each| &each.table_name);
    put.or(update).or(delete).or(check)
}

fn nothing<T>(_: &T) -> String {
    String::new()
}

backend! {
    /// Reads an item.
    get_item: GetItemInput => GetItemOutput, |input| one(&input.table_name);
    /// Stores an item.
    put_item: PutItemInput => PutItemOutput, |input| one(&input.table_name);
    /// Changes an item.
    update_item: UpdateItemInput => UpdateItemOutput, |input| one(&input.table_name);
    /// Removes an item.
    delete_item: DeleteItemInput => DeleteItemOutput, |input| one(&input.table_name);
    /// Reads items of one partition.
    query: QueryInput => QueryOutput, |input| one(&input.table_name);
    /// Reads all items.
    scan: ScanInput => ScanOutput, |input| one(&input.table_name);
    /// Reads up to 100 items.
    batch_get_item: BatchGetItemInput => BatchGetItemOutput,
        |input| all(input.request_items.iter().map(|(table, _)| table));
    /// Writes up to 25 items, each for itself.
    batch_write_item: BatchWriteItemInput => BatchWriteItemOutput,
        |input| all(input.request_items.iter().map(|(table, _)| table));
    /// Reads up to 100 items as of one moment.
    transact_get_items: TransactGetItemsInput => TransactGetItemsOutput, nothing;
    /// Writes up to 100 items, all or none.
    transact_write_items: TransactWriteItemsInput => TransactWriteItemsOutput,
        |input| all(input.transact_items.iter().filter_map(written).map(TableName::name));
    /// Creates a table.
    create_table: CreateTableInput => CreateTableOutput, nothing;
    /// Describes a table.
    describe_table: DescribeTableInput => DescribeTableOutput, nothing;
    /// Changes a table.
    update_table: UpdateTableInput => UpdateTableOutput, nothing;
    /// Deletes a table.
    delete_table: DeleteTableInput => DeleteTableOutput, nothing;
    /// Lists the names of tables.
    list_tables: ListTablesInput => ListTablesOutput, nothing;
    /// Says by which attribute items expire.
    update_time_to_live: UpdateTimeToLiveInput => UpdateTimeToLiveOutput, nothing;
    /// Tells by which attribute items expire.
    describe_time_to_live: DescribeTimeToLiveInput => DescribeTimeToLiveOutput, nothing;
    /// Switches continuous backups on or off.
    update_continuous_backups: UpdateContinuousBackupsInput => UpdateContinuousBackupsOutput, nothing;
    /// Tells whether continuous backups are on.
    describe_continuous_backups: DescribeContinuousBackupsInput => DescribeContinuousBackupsOutput, nothing;
    /// Adds tags to a table.
    tag_resource: TagResourceInput => TagResourceOutput, nothing;
    /// Lists the tags of a table.
    list_tags_of_resource: ListTagsOfResourceInput => ListTagsOfResourceOutput, nothing;
}
