//! The result of a call, as its receipt remembers it.
//!
//! An item is remembered as it is stored, unless it is large: then by its key, and a repeat returns it as it is by then. Any
//! other result is remembered as the JSON that clients see. Secrets that are shown once are remembered nowhere.
//!
//! Counted values are computed by the database. One more write after the transaction adds them to the receipt. If a call is
//! interrupted before that, its receipt names the items that it has bound, and a repeat goes on with these.

use std::sync::Arc;

use serde_json::Value as Json;
use sortkey_api::ErrorKind;
use sortkey_api::operations::UpdateItemInput;
use sortkey_design::program::{LocalId, Operation};
use sortkey_plan::{ReceiptCourse, bound_before_the_end};
use sortkey_value::{AttributeValue, Item, Map, ValueRef};

use crate::Failure;
use crate::answer::{public, to_public_json};
use crate::catalog::EntityInfo;
use crate::condition::Placeholders;
use crate::evaluate::Scope;
use crate::read::add_virtual;
use crate::session::Session;
use crate::values::{Fields, Val, from_json};
use crate::write::stored;

const ENTITY: &str = "entity";
const KEY: &str = "key";
const ITEM: &str = "item";
const RESULT: &str = "result";
const BOUND: &str = "bound";

/// A larger item is remembered by its key, so that a receipt costs one write unit.
const LARGEST_ITEM_BYTES: usize = 640;

/// The receipt of an earlier call with the same key.
pub(in crate::operate) enum Earlier {
    /// Its result.
    Result(Val),
    /// The items that the call had bound to names when it was interrupted after its last write.
    Interrupted(Vec<(LocalId, Val)>),
}

/// A receipt that was written, with its content.
pub(in crate::operate) struct Noted {
    table: sortkey_api::TableName,
    key: Map,
    /// The attribute of the receipt's key, which shows that it is still there.
    partition: Arc<str>,
    /// The result, if the receipt has all of it.
    result: Option<Val>,
    attributes: Map,
}

impl Noted {
    /// The content of a receipt for a result; an inexact one is not all that will be stored.
    pub(super) fn of(
        scope: &Scope<'_>,
        receipt: &EntityInfo,
        key: Map,
        result: Val,
        is_exact: bool,
    ) -> Result<Noted, Failure> {
        let attributes = attributes(scope, receipt, &result, is_exact)?;
        Ok(Noted {
            table: receipt.table.clone(),
            key,
            partition: receipt.partition.clone(),
            result: is_exact.then_some(result),
            attributes,
        })
    }

    /// The content of the receipt of a call whose result is not known yet: the items that it needs for it.
    pub(super) fn interrupted(
        scope: &Scope<'_>,
        receipt: &EntityInfo,
        key: Map,
        operation: &Operation,
        course: ReceiptCourse,
        unsure: &[LocalId],
    ) -> Result<Noted, Failure> {
        let mut bound = Map::new();
        for (local, name) in bound_before_the_end(operation, course) {
            if let Some(value @ (Val::Item(_) | Val::Absent)) = scope.get(local) {
                let known = attributes(scope, receipt, value, !unsure.contains(&local))?;
                bound.insert(name.to_owned(), AttributeValue::M(known));
            }
        }
        let attributes = [(receipt.aside(BOUND), AttributeValue::M(bound))].into_iter().collect();
        Ok(Noted::open(receipt, key, attributes))
    }

    /// A receipt as a call that was interrupted has left it.
    pub(in crate::operate) fn left(receipt: &EntityInfo, key: Map) -> Noted {
        let attributes = [(receipt.aside(BOUND), AttributeValue::M(Map::new()))].into_iter().collect();
        Noted::open(receipt, key, attributes)
    }

    fn open(receipt: &EntityInfo, key: Map, attributes: Map) -> Noted {
        let (table, partition) = (receipt.table.clone(), receipt.partition.clone());
        Noted { table, key, partition, result: None, attributes }
    }

    pub(super) fn stored(&self) -> Map {
        self.attributes.clone()
    }

    pub(super) fn key(&self) -> &Map {
        &self.key
    }

    /// Completes the receipt, if the call returns something else. A call whose result could not be remembered fails, so that
    /// its sender asks again: no two answers to one call differ.
    pub(in crate::operate) async fn complete(
        self,
        session: &Session<'_>,
        scope: &Scope<'_>,
        receipt: &EntityInfo,
        value: &Val,
    ) -> Result<(), Failure> {
        if self.result.as_ref().is_some_and(|noted| is_same(noted, value)) {
            return Ok(());
        }
        let now = attributes(scope, receipt, value, true)?;
        if now == self.attributes {
            return Ok(());
        }
        let mut into = Placeholders::default();
        let set: Vec<String> = now
            .iter()
            .map(|(name, value)| format!("{} = {}", into.name(name), into.value(value.clone())))
            .collect();
        let gone = self.attributes.keys().filter(|name| !now.contains_key(*name));
        let gone: Vec<String> = gone.map(|name| into.name(name)).collect();
        let clauses = [("SET", set), ("REMOVE", gone)];
        let clauses = clauses.iter().filter(|(_, parts)| !parts.is_empty());
        let text: Vec<String> = clauses.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect();
        let condition = format!("attribute_exists({})", into.name(&self.partition));
        let (expression_attribute_names, expression_attribute_values) = into.into_parts();
        let update = UpdateItemInput {
            table_name: self.table,
            key: self.key.into(),
            update_expression: Some(text.join(" ")),
            condition_expression: Some(condition),
            expression_attribute_names,
            expression_attribute_values,
            ..UpdateItemInput::default()
        };
        match session.update(update).await {
            // The time of the receipt has passed, and it is gone.
            Err(error) if error.kind != ErrorKind::ConditionalCheckFailedException => {
                Err(crate::session::failure(error))
            }
            _ => Ok(()),
        }
    }
}

/// Whether two results are one. Secrets that are shown once make no difference.
fn is_same(one: &Val, other: &Val) -> bool {
    match (one, other) {
        (Val::Item(one), Val::Item(other)) => one.entity == other.entity && one.fields == other.fields,
        (one, other) => one == other,
    }
}

/// A result as attributes of a receipt.
fn attributes(scope: &Scope<'_>, receipt: &EntityInfo, result: &Val, is_exact: bool) -> Result<Map, Failure> {
    let mut map = Map::new();
    match result {
        Val::Absent => {}
        Val::Item(record) => {
            let info = &scope.shared.entities[record.entity];
            let Some(key) = crate::read::key_of(scope, info, &record.fields) else { return Ok(map) };
            map.insert(receipt.aside(ENTITY), AttributeValue::S(info.name.to_string()));
            map.insert(receipt.aside(KEY), AttributeValue::M(key));
            let item = stored(scope, info, &record.fields)?;
            if is_exact && item.as_bytes().len() <= LARGEST_ITEM_BYTES {
                map.insert(receipt.aside(ITEM), AttributeValue::M(item.to_map()));
            }
        }
        other => {
            let shown = public(scope, unmade(other.clone()), None)?;
            let json = to_public_json(scope, &shown).to_string();
            map.insert(receipt.aside(RESULT), AttributeValue::S(json));
        }
    }
    Ok(map)
}

/// A value whose items show no secret that was made just now. Results nest no deeper than expressions do.
fn unmade(value: Val) -> Val {
    let within = |fields: Fields| fields.into_iter().map(|(name, each)| (name, unmade(each))).collect();
    match value {
        Val::Item(mut record) => {
            record.shown = Vec::new();
            Val::Item(record)
        }
        Val::List(members) => Val::List(members.into_iter().map(unmade).collect()),
        Val::Map(fields) => Val::Map(within(fields)),
        other => other,
    }
}

/// Reads the receipt of an earlier call with the same key.
pub(super) async fn earlier(
    session: &Session<'_>,
    scope: &Scope<'_>,
    info: &EntityInfo,
    receipt: &Item,
    bound: &[(LocalId, &str)],
) -> Result<Earlier, Failure> {
    let Some(ValueRef::M(left)) = receipt.get(&info.aside(BOUND)) else {
        return recalled(session, scope, info, receipt).await.map(Earlier::Result);
    };
    let mut found = Vec::new();
    for (local, name) in bound {
        if let Some(ValueRef::M(known)) = left.get(name) {
            found.push((*local, recalled(session, scope, info, &Item::from(owned(known))).await?));
        }
    }
    Ok(Earlier::Interrupted(found))
}

fn owned(map: sortkey_value::MapRef<'_>) -> Map {
    map.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The result that a receipt remembers.
async fn recalled(
    session: &Session<'_>,
    scope: &Scope<'_>,
    info: &EntityInfo,
    receipt: &Item,
) -> Result<Val, Failure> {
    if let Some(ValueRef::S(json)) = receipt.get(&info.aside(RESULT)) {
        let json: Option<Json> = serde_json::from_slice(json.as_bytes()).ok();
        return Ok(json.and_then(from_json).unwrap_or_default());
    }
    let kept = (receipt.get(&info.aside(ENTITY)), receipt.get(&info.aside(KEY)));
    let (Some(ValueRef::S(entity)), Some(ValueRef::M(key))) = kept else { return Ok(Val::Absent) };
    let info_of_item = scope.shared.entity_called(entity)?;
    let item = match receipt.get(&info.aside(ITEM)) {
        Some(ValueRef::M(item)) => Some(Item::from(owned(item))),
        _ => session.get(&info_of_item.table, owned(key), true).await?,
    };
    let Some(item) = item else { return Ok(Val::Absent) };
    let mut fields = info_of_item.decode_leniently(scope, &item);
    add_virtual(scope, info_of_item, &mut fields)?;
    Ok(Val::item(info_of_item.at, fields))
}
