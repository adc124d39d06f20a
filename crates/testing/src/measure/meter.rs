//! A backend that records the requests to the engine behind it.
//!
//! Every request is answered before the next one is looked at, even of concurrent calls, so that the requests of one
//! call are adjacent. The images of items are read separately, without being counted.

use parking_lot::Mutex;
use sortkey_api::operations::*;
use sortkey_api::shapes::capacity::ConsumedCapacity;
use sortkey_api::shapes::returns::{ReturnConsumedCapacity, Select};
use sortkey_api::shapes::transaction::TransactWriteItem;
use sortkey_api::{ApiError, Backend, Pending, Request, Requests as _, Response, SuppliedItem, TableName};
use sortkey_plan::Act;
use sortkey_value::{Item, Map};

use super::observed::{Asked, Charge, Kind, Observed, Written};
use sortkey_core::internals::Calls;
use sortkey_embedded::{Embedded, block_on};

/// The engine, with a list of its requests.
pub struct Meter {
    inner: Embedded,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Observed>,
    /// Calls that tests began and that have not ended, with the requests before each.
    open: Vec<(String, usize)>,
    calls: Vec<Observation>,
}

/// A call that a test made.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The pattern or operation.
    pub name: String,
    /// How it failed, if it did.
    pub failed: Option<String>,
    /// Its requests.
    pub requests: Vec<Observed>,
}

impl Meter {
    /// A meter in front of an engine.
    pub fn new(inner: Embedded) -> Meter {
        Meter { inner, seen: Mutex::default() }
    }

    /// The requests since the last call of this.
    pub fn take(&self) -> Vec<Observed> {
        std::mem::take(&mut self.seen.lock().requests)
    }

    /// The calls that tests made.
    pub fn calls(&self) -> Vec<Observation> {
        self.seen.lock().calls.clone()
    }

    fn note(&self, asked: Asked, consumed: Option<Vec<ConsumedCapacity>>) {
        let refused = consumed.is_none();
        let consumed = Charge::reported(consumed.iter().flatten());
        self.seen.lock().requests.push(Observed { asked, refused, consumed });
    }

    fn image(&self, table: &TableName, key: &Map) -> Option<Item> {
        let input = GetItemInput {
            table_name: table.clone(),
            key: key.clone().into(),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        block_on(self.inner.get_item(input)).ok().and_then(|output| output.item)
    }

    /// The part of an item that is its key.
    fn key_of(&self, table: &TableName, item: &SuppliedItem) -> Map {
        let input = DescribeTableInput { table_name: table.clone() };
        let described = block_on(self.inner.describe_table(input)).ok().and_then(|output| output.table);
        let schema = described.and_then(|table| table.key_schema).unwrap_or_default();
        let item = item.unchecked();
        let value = |name: &str| item.get(name).map(|value| value.to_owned());
        schema
            .iter()
            .filter_map(|each| Some((each.attribute_name.clone(), value(&each.attribute_name)?)))
            .collect()
    }

    /// Sends writes and records the images before and after.
    fn writes<T>(
        &self,
        kind: Kind,
        targets: Vec<(TableName, Map, Act)>,
        send: impl FnOnce() -> Result<T, ApiError>,
        consumed: impl Fn(&T) -> Vec<ConsumedCapacity>,
    ) -> Result<T, ApiError> {
        let images = |targets: &[(TableName, Map, Act)]| -> Vec<Option<Item>> {
            targets.iter().map(|(table, key, _)| self.image(table, key)).collect()
        };
        let before = images(&targets);
        let answer = send();
        let after = images(&targets);
        let items = targets.into_iter().zip(before.into_iter().zip(after));
        let items = items.map(|((table, key, act), (before, after))| Written {
            table: table.name().to_owned(),
            key,
            act,
            before,
            after,
        });
        let asked = Asked::Writes { kind, items: items.collect() };
        self.note(asked, answer.as_ref().ok().map(consumed));
        answer
    }
}

const DETAILED: Option<ReturnConsumedCapacity> = Some(ReturnConsumedCapacity::Indexes);

fn bytes(items: &[Item]) -> u64 {
    items.iter().map(|item| item.size_bytes() as u64).sum()
}

fn list(consumed: &Option<ConsumedCapacity>) -> Vec<ConsumedCapacity> {
    consumed.iter().cloned().collect()
}

fn key(key: &SuppliedItem) -> Map {
    key.unchecked().to_map()
}

/// Called for the calls of tests.
impl Calls for Meter {
    fn begun(&self, name: &str) {
        let mut seen = self.seen.lock();
        let from = seen.requests.len();
        seen.open.push((name.to_owned(), from));
    }

    fn ended(&self, failed: Option<&str>) {
        let mut seen = self.seen.lock();
        // A nested call belongs to the outer one.
        if let (Some((name, from)), true) = (seen.open.pop(), seen.open.is_empty()) {
            let requests = seen.requests.split_off(from);
            seen.calls.push(Observation { name, failed: failed.map(str::to_owned), requests });
        }
    }
}

impl Backend for Meter {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let answer = match request {
            Request::GetItem(input) => self.get_item(*input).map(|it| Response::GetItem(Box::new(it))),
            Request::PutItem(input) => self.put_item(*input).map(|it| Response::PutItem(Box::new(it))),
            Request::UpdateItem(input) => {
                self.update_item(*input).map(|it| Response::UpdateItem(Box::new(it)))
            }
            Request::DeleteItem(input) => {
                self.delete_item(*input).map(|it| Response::DeleteItem(Box::new(it)))
            }
            Request::Query(input) => self.query(*input).map(|it| Response::Query(Box::new(it))),
            Request::Scan(input) => self.scan(*input).map(|it| Response::Scan(Box::new(it))),
            Request::BatchGetItem(input) => {
                self.batch_get_item(*input).map(|it| Response::BatchGetItem(Box::new(it)))
            }
            Request::BatchWriteItem(input) => {
                self.batch_write_item(*input).map(|it| Response::BatchWriteItem(Box::new(it)))
            }
            Request::TransactWriteItems(input) => {
                self.transact_write_items(*input).map(|it| Response::TransactWriteItems(Box::new(it)))
            }
            other => return self.inner.send(other),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl Meter {
    fn get_item(&self, mut input: GetItemInput) -> Result<GetItemOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let (table, strong) = (input.table_name.name().to_owned(), input.consistent_read == Some(true));
        let answer = block_on(self.inner.get_item(input));
        let found = answer.as_ref().ok().and_then(|output| output.item.as_ref());
        let bytes = vec![found.map_or(0, |item| item.size_bytes() as u64)];
        let asked = Asked::Items { table, strong, batch: false, bytes };
        self.note(asked, answer.as_ref().ok().map(|output| list(&output.consumed_capacity)));
        answer
    }

    fn put_item(&self, mut input: PutItemInput) -> Result<PutItemOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let table = input.table_name.clone();
        let targets = vec![(table.clone(), self.key_of(&table, &input.item), Act::Put)];
        let send = || block_on(self.inner.put_item(input));
        self.writes(Kind::Alone, targets, send, |output| list(&output.consumed_capacity))
    }

    fn update_item(&self, mut input: UpdateItemInput) -> Result<UpdateItemOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let targets = vec![(input.table_name.clone(), key(&input.key), Act::Update)];
        let send = || block_on(self.inner.update_item(input));
        self.writes(Kind::Alone, targets, send, |output| list(&output.consumed_capacity))
    }

    fn delete_item(&self, mut input: DeleteItemInput) -> Result<DeleteItemOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let targets = vec![(input.table_name.clone(), key(&input.key), Act::Delete)];
        let send = || block_on(self.inner.delete_item(input));
        self.writes(Kind::Alone, targets, send, |output| list(&output.consumed_capacity))
    }

    fn query(&self, mut input: QueryInput) -> Result<QueryOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let (table, index) = (input.table_name.name().to_owned(), input.index_name.clone());
        let (strong, continues) = (input.consistent_read == Some(true), input.exclusive_start_key.is_some());
        // A count and a filter leave out items that were read; asking for all of them reveals their size.
        let leaves_out = input.select == Some(Select::Count) || input.filter_expression.is_some();
        let all = leaves_out.then(|| QueryInput { select: None, ..input.clone() }.unfiltered());
        let answer = block_on(self.inner.query(input));
        let items = all.map(|all| block_on(self.inner.query(all)));
        let sized = items.as_ref().unwrap_or(&answer).as_ref().ok();
        let bytes = sized.and_then(|output| output.items.as_deref()).map_or(0, bytes);
        let found = answer.as_ref().ok();
        let more = found.is_some_and(|output| output.last_evaluated_key.is_some());
        let asked = Asked::Query { table, index, strong, scan: false, continues, more, bytes };
        self.note(asked, found.map(|output| list(&output.consumed_capacity)));
        answer
    }

    fn scan(&self, mut input: ScanInput) -> Result<ScanOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let (table, index) = (input.table_name.name().to_owned(), input.index_name.clone());
        let (strong, continues) = (input.consistent_read == Some(true), input.exclusive_start_key.is_some());
        let answer = block_on(self.inner.scan(input));
        let found = answer.as_ref().ok();
        let bytes = found.and_then(|output| output.items.as_deref()).map_or(0, bytes);
        let more = found.is_some_and(|output| output.last_evaluated_key.is_some());
        let asked = Asked::Query { table, index, strong, scan: true, continues, more, bytes };
        self.note(asked, found.map(|output| list(&output.consumed_capacity)));
        answer
    }

    fn batch_get_item(&self, mut input: BatchGetItemInput) -> Result<BatchGetItemOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let (mut table, mut strong, mut bytes) = (String::new(), false, Vec::new());
        for (name, wanted) in input.request_items.iter() {
            table = name.to_owned();
            strong = wanted.consistent_read == Some(true);
            for wanted in &wanted.keys {
                let found = self.image(&name.into(), &key(wanted));
                bytes.push(found.map_or(0, |item| item.size_bytes() as u64));
            }
        }
        let answer = block_on(self.inner.batch_get_item(input));
        let asked = Asked::Items { table, strong, batch: true, bytes };
        self.note(
            asked,
            answer.as_ref().ok().map(|output| output.consumed_capacity.clone().unwrap_or_default()),
        );
        answer
    }

    fn batch_write_item(&self, mut input: BatchWriteItemInput) -> Result<BatchWriteItemOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let mut targets = Vec::new();
        for (name, requests) in input.request_items.iter() {
            let table = TableName::from(name);
            for request in requests {
                let deleted = request.delete_request.iter().map(|each| (key(&each.key), Act::Delete));
                let put = request.put_request.iter().map(|each| (self.key_of(&table, &each.item), Act::Put));
                targets.extend(deleted.chain(put).map(|(key, act)| (table.clone(), key, act)));
            }
        }
        let send = || block_on(self.inner.batch_write_item(input));
        let consumed = |output: &BatchWriteItemOutput| output.consumed_capacity.clone().unwrap_or_default();
        self.writes(Kind::Batch, targets, send, consumed)
    }

    fn transact_write_items(
        &self,
        mut input: TransactWriteItemsInput,
    ) -> Result<TransactWriteItemsOutput, ApiError> {
        input.return_consumed_capacity = DETAILED;
        let targets = input.transact_items.iter().filter_map(|item| self.target(item)).collect();
        let send = || block_on(self.inner.transact_write_items(input));
        let consumed =
            |output: &TransactWriteItemsOutput| output.consumed_capacity.clone().unwrap_or_default();
        self.writes(Kind::Together, targets, send, consumed)
    }
}

impl Meter {
    fn target(&self, item: &TransactWriteItem) -> Option<(TableName, Map, Act)> {
        if let Some(put) = &item.put {
            return Some((put.table_name.clone(), self.key_of(&put.table_name, &put.item), Act::Put));
        }
        let update = item.update.as_ref().map(|each| (&each.table_name, &each.key, Act::Update));
        let delete = item.delete.as_ref().map(|each| (&each.table_name, &each.key, Act::Delete));
        let check = item.condition_check.as_ref().map(|each| (&each.table_name, &each.key, Act::Check));
        let (table, of, act) = update.or(delete).or(check)?;
        Some((table.clone(), key(of), act))
    }
}
