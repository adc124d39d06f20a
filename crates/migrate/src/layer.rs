//! The backend of a design whose items are being migrated: reads pass through,
//! writes go to both designs, according to the phase.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use sortkey_api::operations::*;
use sortkey_api::shapes::capacity::ConsumedCapacity;
use sortkey_api::shapes::returns::{ReturnConsumedCapacity, ReturnValue};
use sortkey_api::shapes::transaction::TransactWriteItem;
use sortkey_api::{
    Again, ApiError, Backend, Cause, ErrorDetails, ErrorKind, Pending, Refused, Request, Response,
};
use sortkey_value::Item;

use crate::forward::Manner;
use crate::image::{of_delete, of_put, of_update};
use crate::mapper::Mapper;
use crate::mirror::{Mirror, Written};
use crate::plan::{Plan, Side};
use crate::state::Phase;
use crate::steady::Steady;
use crate::watch::Watch;

/// As many writes of a batch as are carried out in one transaction.
const BATCH: usize = 8;

/// The backend of one of the two designs.
pub struct Layer {
    plan: Arc<Plan>,
    backend: Steady,
    watch: Arc<Watch>,
    side: Side,
    /// Transactions whose outcome is not known, by the tokens of the writers: a writer that asks again gets the answer of the
    /// same transaction.
    unsettled: Mutex<HashMap<String, TransactWriteItemsInput>>,
}

/// How a write of this side is carried out.
enum Way {
    /// As it is.
    Plain,
    /// With the other side; `now` of the mapping.
    Both(i64, Manner),
}

impl Layer {
    /// The backend for calls of one side.
    pub fn new(plan: Arc<Plan>, backend: Steady, watch: Arc<Watch>, side: Side) -> Layer {
        Layer { plan, backend, watch, side, unsettled: Mutex::default() }
    }

    async fn way(&self) -> Result<Way, ApiError> {
        let state = self.watch.state().await?;
        let Some(state) = state else {
            return match self.side {
                Side::Old => Ok(Way::Plain),
                Side::New => Err(wait("the migration has not begun")),
            };
        };
        match (state.phase, self.side) {
            (Phase::Prepared, Side::Old) | (Phase::Finished, Side::New) => Ok(Way::Plain),
            (Phase::Starting, Side::Old) => Ok(Way::Both(state.now_ms, Manner::Remove)),
            (Phase::Prepared | Phase::Starting, Side::New) => Err(wait("the migration has not begun")),
            (Phase::Both, Side::New) => Err(wait("the new tables are being filled")),
            (Phase::Finished, Side::Old) => {
                Err(wait("the migration is finished: the old design is read only"))
            }
            (Phase::Both | Phase::Shadow | Phase::Switched, _) => Ok(Way::Both(state.now_ms, Manner::Write)),
        }
    }

    async fn exchange(&self, request: Request) -> Result<Response, ApiError> {
        if !self.writes(&request) {
            return self.backend.inner().send(request).await;
        }
        let Way::Both(now_ms, manner) = self.way().await? else {
            return self.backend.inner().send(request).await;
        };
        let how = (now_ms, manner);
        match request {
            Request::PutItem(input) => {
                let (returned, values) =
                    (input.return_consumed_capacity.clone(), input.return_values.clone());
                let written = self.single(how, of_put(*input), returned).await?;
                let (before, _) = images(&written);
                let attributes = before.filter(|_| values == Some(ReturnValue::AllOld));
                let consumed_capacity = total(written.consumed);
                Ok(Response::PutItem(Box::new(PutItemOutput {
                    attributes,
                    consumed_capacity,
                    ..PutItemOutput::default()
                })))
            }
            Request::UpdateItem(input) => {
                let (returned, values) =
                    (input.return_consumed_capacity.clone(), input.return_values.clone());
                let written = self.single(how, of_update(*input), returned).await?;
                let (before, after) = images(&written);
                let attributes = match values {
                    Some(ReturnValue::AllNew) => after,
                    Some(ReturnValue::AllOld) => before,
                    _ => None,
                };
                let consumed_capacity = total(written.consumed);
                Ok(Response::UpdateItem(Box::new(UpdateItemOutput {
                    attributes,
                    consumed_capacity,
                    ..UpdateItemOutput::default()
                })))
            }
            Request::DeleteItem(input) => {
                let (returned, values) =
                    (input.return_consumed_capacity.clone(), input.return_values.clone());
                let written = self.single(how, of_delete(*input), returned).await?;
                let (before, _) = images(&written);
                let attributes = before.filter(|_| values == Some(ReturnValue::AllOld));
                let consumed_capacity = total(written.consumed);
                Ok(Response::DeleteItem(Box::new(DeleteItemOutput {
                    attributes,
                    consumed_capacity,
                    ..DeleteItemOutput::default()
                })))
            }
            Request::TransactWriteItems(input) => {
                let token = input.client_request_token.clone();
                let written = match self.settle(token.as_deref()).await? {
                    Some(consumed) => consumed,
                    None => {
                        let returned = input.return_consumed_capacity.clone();
                        self.mirrored(how, &input.transact_items, returned, token.as_deref()).await?.consumed
                    }
                };
                let output = TransactWriteItemsOutput {
                    consumed_capacity: written,
                    ..TransactWriteItemsOutput::default()
                };
                Ok(Response::TransactWriteItems(Box::new(output)))
            }
            Request::BatchWriteItem(input) => self.batch(how, *input).await,
            other => self.backend.inner().send(other).await,
        }
    }

    /// Whether a request writes items of a table that the migration concerns.
    fn writes(&self, request: &Request) -> bool {
        let concerns = |table: &str| self.plan.concerns(self.side, table);
        match request {
            Request::PutItem(input) => concerns(input.table_name.name()),
            Request::UpdateItem(input) => concerns(input.table_name.name()),
            Request::DeleteItem(input) => concerns(input.table_name.name()),
            Request::BatchWriteItem(input) => input.request_items.iter().any(|(table, _)| concerns(table)),
            Request::TransactWriteItems(input) => input.transact_items.iter().any(|item| {
                crate::image::Member::of(item).is_some_and(|member| concerns(member.table().name()))
            }),
            _ => false,
        }
    }

    async fn single(
        &self,
        how: (i64, Manner),
        member: TransactWriteItem,
        returned: Option<ReturnConsumedCapacity>,
    ) -> Result<Written, ApiError> {
        self.mirrored(how, &[member], returned, None).await.map_err(|error| {
            // A writer of one item expects the error of one item.
            let reason = error.reasons().and_then(|reasons| reasons.first()).cloned();
            match (error.kind, reason) {
                (ErrorKind::TransactionCanceledException, Some(reason))
                    if reason.cause() == Cause::Condition =>
                {
                    ApiError::conditional_check_failed(reason.item)
                }
                (ErrorKind::TransactionCanceledException, Some(reason)) if reason.is_invalid() => {
                    ApiError::validation(reason.message.unwrap_or_default())
                }
                _ => error,
            }
        })
    }

    async fn mirrored(
        &self,
        (now_ms, manner): (i64, Manner),
        members: &[TransactWriteItem],
        returned: Option<ReturnConsumedCapacity>,
        token: Option<&str>,
    ) -> Result<Written, ApiError> {
        let mapper = Mapper { plan: &self.plan, now_ms };
        let mirror = Mirror { mapper, backend: &self.backend, side: self.side, manner };
        let remember = |input: &TransactWriteItemsInput| {
            if let Some(token) = token {
                self.unsettled.lock().insert(token.to_owned(), input.clone());
            }
        };
        let written = mirror.write(members, returned, remember).await;
        let is_unknown = matches!(&written, Err(error) if error.again() == Again::Unknown);
        if let Some(token) = token.filter(|_| !is_unknown) {
            self.unsettled.lock().remove(token);
        }
        written
    }

    /// The outcome of an earlier transaction of the same writer; none if there was none, or if it did not happen.
    async fn settle(&self, token: Option<&str>) -> Result<Option<Option<Vec<ConsumedCapacity>>>, ApiError> {
        let Some(token) = token else { return Ok(None) };
        let Some(input) = self.unsettled.lock().get(token).cloned() else { return Ok(None) };
        match self.backend.ask::<TransactWriteItems>(input).await {
            Ok(output) => {
                self.unsettled.lock().remove(token);
                Ok(Some(output.consumed_capacity))
            }
            Err(error) if error.again() == Again::Unknown => Err(error),
            Err(_) => {
                self.unsettled.lock().remove(token);
                Ok(None)
            }
        }
    }

    /// A batch has no order and is not atomic: its writes are carried out a few at a time.
    async fn batch(&self, how: (i64, Manner), input: BatchWriteItemInput) -> Result<Response, ApiError> {
        let mut members = Vec::new();
        for (table, writes) in input.request_items {
            for write in writes {
                if let Some(put) = write.put_request {
                    let input = PutItemInput {
                        table_name: table.as_str().into(),
                        item: put.item,
                        ..PutItemInput::default()
                    };
                    members.push(of_put(input));
                }
                if let Some(delete) = write.delete_request {
                    let input = DeleteItemInput {
                        table_name: table.as_str().into(),
                        key: delete.key,
                        ..DeleteItemInput::default()
                    };
                    members.push(of_delete(input));
                }
            }
        }
        let mut consumed: Vec<ConsumedCapacity> = Vec::new();
        for chunk in members.chunks(BATCH) {
            let written = self.mirrored(how, chunk, input.return_consumed_capacity.clone(), None).await?;
            consumed.extend(written.consumed.unwrap_or_default());
        }
        let consumed_capacity = (!consumed.is_empty()).then_some(consumed);
        let output = BatchWriteItemOutput { consumed_capacity, ..BatchWriteItemOutput::default() };
        Ok(Response::BatchWriteItem(Box::new(output)))
    }
}

impl Backend for Layer {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        Box::pin(self.exchange(request))
    }

    fn repeats(&self) -> bool {
        self.backend.inner().repeats()
    }
}

fn images(written: &Written) -> (Option<Item>, Option<Item>) {
    written.images.first().cloned().flatten().unwrap_or_default()
}

/// The consumption of a transaction in the form of a single write's.
fn total(consumed: Option<Vec<ConsumedCapacity>>) -> Option<ConsumedCapacity> {
    let consumed = consumed?;
    let units = consumed.iter().filter_map(|each| each.capacity_units).sum();
    let table_name = consumed.first().and_then(|each| each.table_name.clone());
    Some(ConsumedCapacity { table_name, capacity_units: Some(units), ..ConsumedCapacity::default() })
}

fn wait(why: &str) -> ApiError {
    ApiError::validation(format!("this design cannot write now: {why}"))
        .with_details(ErrorDetails::Refused(Refused::NotNow))
}
