//! The backend of a design whose items are being rewritten: every item is answered in its new form, whichever form it is stored in.
//!
//! A write brings its items to their new form first, so its conditions and expressions mean what they say. A query of an index in
//! which items are about to move also reads what the walk has not come to yet, and merges what belongs to its answer. It
//! reads that part before the index, so that an item on its way is seen at least once. Without a rewriting, requests pass.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::RwLock;
use sortkey_api::operations::*;
use sortkey_api::shapes::returns::Select;
use sortkey_api::{ApiError, Backend, ErrorDetails, Pending, Refused, Request, Requests as _, Response};
use sortkey_core::internals::is_reserved;
use sortkey_core::{Failure, FailureKind};
use sortkey_design::model::Index;
use sortkey_expression::{Condition, ExpressionKind, Placeholders, parse_condition};
use sortkey_value::{Item, Map, key};

use super::entity::Entities;
use super::item::{ATTEMPTS, Rewritten};
use super::turning::{Rest, Turned, Turning, is_whole};

/// A backend that shows the items of tables in turn as the design that is being deployed stores them.
pub struct Interim {
    inner: Arc<dyn Backend>,
    turning: RwLock<Option<Arc<Turning>>>,
}

impl Interim {
    /// Passes every request on.
    pub fn new(inner: Arc<dyn Backend>) -> Interim {
        Interim { inner, turning: RwLock::new(None) }
    }

    /// Shows these tables in their new form from now on, until all of their items have it.
    pub fn follow(&self, turning: Option<Arc<Turning>>) {
        *self.turning.write() = turning;
    }

    /// Whether some items may be in their old form.
    pub fn is_following(&self) -> bool {
        self.turning().is_some()
    }

    fn turning(&self) -> Option<Arc<Turning>> {
        self.turning.read().clone()
    }
}

impl Backend for Interim {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        match self.turning() {
            None => self.inner.send(request),
            Some(turning) => {
                Box::pin(
                    async move { Sight { inner: &*self.inner, turning: &turning }.answer(request).await },
                )
            }
        }
    }

    fn repeats(&self) -> bool {
        self.inner.repeats()
    }

    /// An item that is being rewritten is refused for a moment only.
    fn is_steady(&self) -> bool {
        self.inner.is_steady() && !self.is_following()
    }

    fn loses_answers(&self) -> bool {
        self.inner.loses_answers()
    }
}

/// The tables in turn, and the backend below.
struct Sight<'a> {
    inner: &'a dyn Backend,
    turning: &'a Turning,
}

impl Sight<'_> {
    async fn answer(&self, request: Request) -> Result<Response, ApiError> {
        self.settle(&request).await?;
        match request {
            Request::Query(input) => match self.turning.table(input.table_name.name()) {
                Some(table) => self.query(table, *input).await,
                None => self.inner.send(Request::Query(input)).await,
            },
            Request::Scan(input) => match self.turning.table(input.table_name.name()) {
                Some(table) => self.scan(table, *input).await,
                None => self.inner.send(Request::Scan(input)).await,
            },
            Request::GetItem(input) => {
                let table = input.table_name.name().to_owned();
                let mut output = self.inner.get_item(*input).await?;
                output.item = self.one(&table, output.item)?;
                Ok(Response::GetItem(Box::new(output)))
            }
            Request::BatchGetItem(input) => {
                let mut output = self.inner.batch_get_item(*input).await?;
                if let Some(responses) = output.responses.take() {
                    let shown = |(table, items): (String, Vec<Item>)| {
                        let items = self.all(&table, items)?;
                        Ok::<_, ApiError>((table, items))
                    };
                    output.responses = Some(responses.into_iter().map(shown).collect::<Result<_, _>>()?);
                }
                Ok(Response::BatchGetItem(Box::new(output)))
            }
            Request::TransactGetItems(input) => {
                let named = |get: &sortkey_api::shapes::transaction::TransactGetItem| {
                    get.get.table_name.name().to_owned()
                };
                let tables: Vec<String> = input.transact_items.iter().map(named).collect();
                let mut output = self.inner.transact_get_items(*input).await?;
                for (table, found) in tables.iter().zip(output.responses.iter_mut().flatten()) {
                    found.item = self.one(table, found.item.take())?;
                }
                Ok(Response::TransactGetItems(Box::new(output)))
            }
            other => self.inner.send(other).await,
        }
    }

    fn entities<'t>(&'t self, table: &'t Turned) -> Result<Entities<'t>, ApiError> {
        table.entities(&self.turning.runtime).ok_or_else(ApiError::internal)
    }

    fn one(&self, table: &str, item: Option<Item>) -> Result<Option<Item>, ApiError> {
        Ok(self.all(table, item.into_iter().collect())?.pop())
    }

    /// Items of a table in their new form.
    fn all(&self, table: &str, items: Vec<Item>) -> Result<Vec<Item>, ApiError> {
        let Some(table) = self.turning.table(table) else { return Ok(items) };
        let entities = self.entities(table)?;
        items.iter().map(|item| entities.modern(item).map_err(refused)).collect()
    }

    /// Brings the items that a request writes, or holds its conditions against, to their new form.
    async fn settle(&self, request: &Request) -> Result<(), ApiError> {
        for (table, key) in written(request) {
            let Some(turned) = self.turning.table(table) else { continue };
            let entities = self.entities(turned)?;
            let key = key?;
            let session = self.turning.runtime.session();
            let key = Item::from(entities.first.key_of(&key));
            if is_reserved(&key, &entities.first.partition) {
                continue;
            }
            let mut there = session.get(&entities.first.table, key, true).await.map_err(refused)?;
            for _ in 0..ATTEMPTS {
                let Some(item) = &there else { break };
                match entities.rewrite(&session, item).await.map_err(refused)? {
                    Rewritten::Done => there = None,
                    Rewritten::Changed(now) => there = Some(now),
                }
            }
            if let Some(item) = there {
                return Err(refused(entities.restless(&item)));
            }
        }
        Ok(())
    }

    async fn scan(&self, table: &Turned, input: ScanInput) -> Result<Response, ApiError> {
        let index = input.index_name.as_deref().and_then(|name| self.turning.index(&table.name, name));
        if index.is_some_and(|index| table.moves(index)) {
            let why = "the items of this table are being rewritten, and a scan of this index would miss some: try again later";
            return Err(ApiError::validation(why).with_details(ErrorDetails::Refused(Refused::NotNow)));
        }
        let mut output = self.inner.scan(input).await?;
        let items = output.items.take().unwrap_or_default();
        output.items = Some(self.whole(table, index, items).await?);
        Ok(Response::Scan(Box::new(output)))
    }

    async fn query(&self, table: &Turned, input: QueryInput) -> Result<Response, ApiError> {
        // A filter is meant for the new form, and whoever sends it asks every item again.
        let mut input = input.unfiltered();
        let index = input.index_name.as_deref().and_then(|name| self.turning.index(&table.name, name));
        let Some(index) = index.filter(|index| table.moves(index)) else {
            let mut output = self.inner.query(input).await?;
            if let Some(items) = output.items.take() {
                output.items = Some(self.whole(table, index, items).await?);
            }
            return Ok(Response::Query(Box::new(output)));
        };
        let is_count = input.select.take() == Some(Select::Count);
        let asked = Asked::of(&input, index, &self.entities(table)?)?;
        let late = self.late(table, &asked).await?;
        let mut output = self.inner.query(input).await?;
        let items = self.whole(table, Some(index), output.items.take().unwrap_or_default()).await?;
        let end = output.last_evaluated_key.as_ref().map(|key| asked.place(key));
        let items = asked.merged(items, late, end);
        output.count = i32::try_from(items.len()).unwrap_or(i32::MAX);
        output.scanned_count = output.count;
        output.items = (!is_count).then_some(items);
        Ok(Response::Query(Box::new(output)))
    }

    /// Items that the walk has not come to and that a query finds, in their new form.
    async fn late(&self, table: &Turned, asked: &Asked<'_>) -> Result<Vec<Item>, ApiError> {
        let Rest::Behind(mut after) = table.rest() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        loop {
            let input = ScanInput {
                table_name: table.name.as_str().into(),
                exclusive_start_key: after.map(Into::into),
                consistent_read: Some(true),
                ..ScanInput::default()
            };
            let output = self.inner.scan(input).await?;
            let entities = self.entities(table)?;
            for item in output.items.unwrap_or_default() {
                let modern = entities.modern(&item).map_err(refused)?;
                if asked.finds(&modern) {
                    found.push(modern);
                }
            }
            match output.last_evaluated_key {
                Some(key) => after = Some(key.to_map()),
                None => return Ok(found),
            }
        }
    }

    /// Items of an index, or of the table itself, as whole items in their new form.
    async fn whole(
        &self,
        table: &Turned,
        index: Option<&Index>,
        items: Vec<Item>,
    ) -> Result<Vec<Item>, ApiError> {
        if index.is_none_or(is_whole) {
            return self.all(&table.name, items);
        }
        // The other form needs attributes that the index does not have.
        let entities = self.entities(table)?;
        let keys: Vec<Map> = items.iter().map(|item| entities.first.key_of(item)).collect();
        let mut whole = Vec::new();
        for key in keys {
            let input = GetItemInput {
                table_name: table.name.as_str().into(),
                key: key.into(),
                consistent_read: Some(true),
                ..GetItemInput::default()
            };
            whole.extend(self.inner.get_item(input).await?.item);
        }
        self.all(&table.name, whole)
    }
}

/// A query of an index.
struct Asked<'q> {
    condition: Condition,
    index: &'q Index,
    /// The names of the table's key, which an index orders by where its own is equal.
    key: Vec<Arc<str>>,
    is_descending: bool,
    start: Option<Vec<u8>>,
}

impl<'q> Asked<'q> {
    fn of(input: &QueryInput, index: &'q Index, entities: &Entities<'_>) -> Result<Asked<'q>, ApiError> {
        let invalid = |error: String| ApiError::validation(error);
        let values =
            input.expression_attribute_values.as_ref().map(sortkey_api::SuppliedItem::checked).transpose()?;
        let names = input.expression_attribute_names.as_ref();
        let mut placeholders =
            Placeholders::new(names, values).map_err(|error| invalid(error.to_string()))?;
        let kind = ExpressionKind::KeyCondition;
        let text = input.key_condition_expression.as_deref().unwrap_or_default();
        let parsed = parse_condition(text, kind).map_err(|error| invalid(error.to_string()))?;
        let condition = parsed.bind(kind, &mut placeholders).map_err(|error| invalid(error.to_string()))?;
        let key = entities.first.parts().cloned().collect();
        let is_descending = input.scan_index_forward == Some(false);
        let mut asked = Asked { condition, index, key, is_descending, start: None };
        let start = input.exclusive_start_key.as_ref().map(sortkey_api::SuppliedItem::checked).transpose()?;
        asked.start = start.map(|key| asked.place(key));
        Ok(asked)
    }

    /// Whether an item in its new form is one of the index that the query finds behind its start.
    fn finds(&self, item: &Item) -> bool {
        self.index.key.attributes().all(|name| item.get(&name.text).is_some())
            && self.condition.matches(item)
            && self
                .start
                .as_ref()
                .is_none_or(|start| self.order(&self.place(item), start) == Ordering::Greater)
    }

    /// The place of an item among those of one partition: by the sort key of the index, then by the table's key.
    fn place(&self, item: &Item) -> Vec<u8> {
        let sort = self.index.key.sort.iter().map(|name| name.text.as_str());
        components(item, sort.chain(self.key.iter().map(|name| &**name)))
    }

    fn order(&self, one: &[u8], other: &[u8]) -> Ordering {
        let order = one.cmp(other);
        if self.is_descending { order.reverse() } else { order }
    }

    /// What the index answered, without what does not belong there any more, and with the late items up to the end of the page.
    fn merged(&self, items: Vec<Item>, late: Vec<Item>, end: Option<Vec<u8>>) -> Vec<Item> {
        // An index may lag behind its table: what was read from the table is newer.
        let newer: HashSet<Vec<u8>> = late.iter().map(|item| self.own_key(item)).collect();
        let is_before_end = |item: &Item| {
            end.as_ref().is_none_or(|end| self.order(&self.place(item), end) != Ordering::Greater)
        };
        let items = items.into_iter().filter(|item| self.finds(item) && !newer.contains(&self.own_key(item)));
        let mut all: Vec<(Vec<u8>, Item)> = items
            .chain(late.into_iter().filter(is_before_end))
            .map(|item| (self.place(&item), item))
            .collect();
        all.sort_by(|(one, _), (other, _)| self.order(one, other));
        all.into_iter().map(|(_, item)| item).collect()
    }

    /// The item's key in its table.
    fn own_key(&self, item: &Item) -> Vec<u8> {
        components(item, self.key.iter().map(|name| &**name))
    }
}

/// Values of an item in their order.
fn components<'n>(item: &Item, names: impl Iterator<Item = &'n str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in names.filter_map(|name| item.get(name)) {
        // Key attributes are strings, numbers or bytes, so this cannot fail.
        let _ = key::put_component(&mut bytes, value);
    }
    bytes
}

/// The places that a request writes or checks: their tables, and items with their keys.
fn written(request: &Request) -> Vec<(&str, Result<Item, ApiError>)> {
    let of = |item: &sortkey_api::SuppliedItem| item.checked().cloned();
    match request {
        Request::PutItem(input) => vec![(input.table_name.name(), of(&input.item))],
        Request::UpdateItem(input) => vec![(input.table_name.name(), of(&input.key))],
        Request::DeleteItem(input) => vec![(input.table_name.name(), of(&input.key))],
        Request::BatchWriteItem(input) => {
            let mut places = Vec::new();
            for (table, writes) in input.request_items.iter() {
                for write in writes {
                    let put = write.put_request.as_ref().map(|put| of(&put.item));
                    let delete = write.delete_request.as_ref().map(|delete| of(&delete.key));
                    places.extend(put.or(delete).map(|key| (table, key)));
                }
            }
            places
        }
        Request::TransactWriteItems(input) => input.transact_items.iter().filter_map(place_of).collect(),
        _ => Vec::new(),
    }
}

fn place_of(
    item: &sortkey_api::shapes::transaction::TransactWriteItem,
) -> Option<(&str, Result<Item, ApiError>)> {
    let of = |item: &sortkey_api::SuppliedItem| item.checked().cloned();
    let check = item.condition_check.as_ref().map(|each| (each.table_name.name(), of(&each.key)));
    let put = || item.put.as_ref().map(|each| (each.table_name.name(), of(&each.item)));
    let delete = || item.delete.as_ref().map(|each| (each.table_name.name(), of(&each.key)));
    let update = || item.update.as_ref().map(|each| (each.table_name.name(), of(&each.key)));
    check.or_else(put).or_else(delete).or_else(update)
}

/// A request that could not bring its items to their new form.
fn refused(failure: Failure) -> ApiError {
    match failure.kind {
        FailureKind::Unavailable => {
            ApiError::validation(failure.message).with_details(ErrorDetails::Refused(Refused::NotNow))
        }
        FailureKind::Conflict => ApiError::transaction_conflict(),
        _ => ApiError::validation(failure.message),
    }
}
