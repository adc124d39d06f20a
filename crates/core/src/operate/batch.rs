//! Writes without conditions, sent by twenty-five; what DynamoDB leaves out is sent again.

use std::collections::BTreeMap;

use sortkey_api::operations::BatchWriteItemInput;
use sortkey_api::shapes::batch::{DeleteRequest, PutRequest, WriteRequest};
use sortkey_api::{StringMap, TableName};
use sortkey_design::program::{Action, LocalId};
use sortkey_value::{Item, Map};

use super::Runner;
use crate::evaluate::Scope;
use crate::values::Val;
use crate::write::{self, Act};
use crate::{Failure, FailureKind};

/// DynamoDB's bound on a batch of writes.
const BATCH: usize = 25;
/// How often writes that a batch left out are sent again.
const ROUNDS: usize = 8;

/// The deletion of an item, whatever it is.
pub(super) fn delete(key: Map) -> WriteRequest {
    WriteRequest { delete_request: Some(DeleteRequest { key: key.into() }), put_request: None }
}

fn put(item: Item) -> WriteRequest {
    WriteRequest { delete_request: None, put_request: Some(PutRequest { item: item.into() }) }
}

impl<'a> Runner<'_, 'a> {
    /// Puts one item for each element; the failures are those of elements that make no item.
    pub(super) async fn put_all(
        &self,
        scope: &Scope<'a>,
        local: LocalId,
        elements: &[Val],
        action: &Action,
    ) -> Result<Vec<Failure>, Failure> {
        let table = &scope.shared.entities[action.entity].table;
        // A batch takes a key once; of two puts the later one counts.
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        let mut failures = Vec::new();
        for element in elements {
            let mut inner = scope.clone();
            inner.set(local, element.clone());
            match write::prepare(self.session, &mut inner, action).await {
                Ok(prepared) => {
                    for write in prepared.writes {
                        if let Act::Put(item) = write.act {
                            items.insert(format!("{:?}", write.key), item);
                        }
                    }
                }
                Err(failure) => failures.push(failure),
            }
        }
        self.batch(table, items.into_values().map(put).collect()).await?;
        Ok(failures)
    }

    pub(super) async fn batch(&self, table: &TableName, writes: Vec<WriteRequest>) -> Result<(), Failure> {
        for chunk in writes.chunks(BATCH) {
            let mut requests = chunk.to_vec();
            for round in 0.. {
                let request_items: StringMap<Vec<WriteRequest>> =
                    [(table.name(), requests)].into_iter().collect();
                let input = BatchWriteItemInput { request_items, ..BatchWriteItemInput::default() };
                let output = self.session.batch_write(input).await?;
                self.session.wrote_something();
                requests =
                    output.unprocessed_items.into_iter().flatten().flat_map(|(_, left)| left).collect();
                if requests.is_empty() {
                    break;
                }
                if round >= ROUNDS {
                    let message = "not everything was written; repeat the call";
                    return Err(Failure::new(FailureKind::Throttled, message));
                }
            }
        }
        Ok(())
    }
}
