//! A backend that writes down what the runtime sends, so that the very same requests can be sent without it.

use std::sync::Mutex;

use sortkey_api::operations::*;
use sortkey_core::{Backend, Pending};
use sortkey_embedded::Embedded;

/// The engine, with a record of the requests that are measured.
pub struct Recorder {
    embedded: Embedded,
    requests: Mutex<Vec<Request>>,
}

/// A request as the runtime sent it.
#[derive(Clone, Debug)]
pub enum Request {
    /// GetItem.
    Get(Box<GetItemInput>),
    /// PutItem.
    Put(Box<PutItemInput>),
    /// Query.
    Query(Box<QueryInput>),
}

impl Recorder {
    /// An empty record.
    pub fn new(embedded: Embedded) -> Recorder {
        Recorder { embedded, requests: Mutex::default() }
    }

    /// What was sent since it was asked last.
    pub fn take(&self) -> Vec<Request> {
        self.requests.lock().map(|mut requests| std::mem::take(&mut *requests)).unwrap_or_default()
    }

    fn note(&self, request: Request) {
        if let Ok(mut requests) = self.requests.lock() {
            requests.push(request);
        }
    }
}

macro_rules! pass_on {
    ($($method:ident: $input:ident => $output:ident;)+) => {
        $(fn $method(&self, input: $input) -> Pending<'_, $output> {
            self.embedded.$method(input)
        })+
    };
}

impl Backend for Recorder {
    fn get_item(&self, input: GetItemInput) -> Pending<'_, GetItemOutput> {
        self.note(Request::Get(Box::new(input.clone())));
        self.embedded.get_item(input)
    }

    fn query(&self, input: QueryInput) -> Pending<'_, QueryOutput> {
        self.note(Request::Query(Box::new(input.clone())));
        self.embedded.query(input)
    }

    /// Puts are not carried out: they will be, when they are measured, on condition that there is no such item.
    fn put_item(&self, input: PutItemInput) -> Pending<'_, PutItemOutput> {
        self.note(Request::Put(Box::new(input)));
        Box::pin(async { Ok(PutItemOutput::default()) })
    }

    pass_on! {
        update_item: UpdateItemInput => UpdateItemOutput;
        delete_item: DeleteItemInput => DeleteItemOutput;
        scan: ScanInput => ScanOutput;
        batch_get_item: BatchGetItemInput => BatchGetItemOutput;
        batch_write_item: BatchWriteItemInput => BatchWriteItemOutput;
        transact_get_items: TransactGetItemsInput => TransactGetItemsOutput;
        transact_write_items: TransactWriteItemsInput => TransactWriteItemsOutput;
        create_table: CreateTableInput => CreateTableOutput;
        describe_table: DescribeTableInput => DescribeTableOutput;
        update_table: UpdateTableInput => UpdateTableOutput;
        delete_table: DeleteTableInput => DeleteTableOutput;
        list_tables: ListTablesInput => ListTablesOutput;
        update_time_to_live: UpdateTimeToLiveInput => UpdateTimeToLiveOutput;
        describe_time_to_live: DescribeTimeToLiveInput => DescribeTimeToLiveOutput;
        update_continuous_backups: UpdateContinuousBackupsInput => UpdateContinuousBackupsOutput;
        describe_continuous_backups: DescribeContinuousBackupsInput => DescribeContinuousBackupsOutput;
        tag_resource: TagResourceInput => TagResourceOutput;
        list_tags_of_resource: ListTagsOfResourceInput => ListTagsOfResourceOutput;
    }
}
