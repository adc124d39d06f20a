//! The remote DynamoDB as a backend: every method is a call.

use sortkey_api::operations::*;
use sortkey_runtime::{Backend, Pending};

use crate::client::Remote;

macro_rules! backend {
    ($($method:ident: $operation:ident;)+) => {
        impl Backend for Remote {
            $(fn $method(
                &self,
                input: <$operation as Operation>::Input,
            ) -> Pending<'_, <$operation as Operation>::Output> {
                Box::pin(self.call::<$operation>(input))
            })+

            fn repeats(&self) -> bool {
                true
            }
        }
    };
}

backend! {
    get_item: GetItem;
    put_item: PutItem;
    update_item: UpdateItem;
    delete_item: DeleteItem;
    query: Query;
    scan: Scan;
    batch_get_item: BatchGetItem;
    batch_write_item: BatchWriteItem;
    transact_get_items: TransactGetItems;
    transact_write_items: TransactWriteItems;
    create_table: CreateTable;
    describe_table: DescribeTable;
    update_table: UpdateTable;
    delete_table: DeleteTable;
    list_tables: ListTables;
    update_time_to_live: UpdateTimeToLive;
    describe_time_to_live: DescribeTimeToLive;
    update_continuous_backups: UpdateContinuousBackups;
    describe_continuous_backups: DescribeContinuousBackups;
    tag_resource: TagResource;
    list_tags_of_resource: ListTagsOfResource;
}
