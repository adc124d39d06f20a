//! CreateTable, UpdateTable, DeleteTable, UpdateTimeToLive, DescribeTable.

use sortkey_api::ErrorKind;
use sortkey_api::operations::*;
use sortkey_api::shapes::index::{DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate};
use sortkey_api::shapes::stream::StreamSpecification;
use sortkey_api::shapes::table::{TableDescription, TableStatus};
use sortkey_api::shapes::time_to_live::{TimeToLiveSpecification, TimeToLiveStatus};
use sortkey_value::Map;

use crate::model::failure::Failure;
use crate::model::size;
use crate::model::stream::Stream;
use crate::model::table::Table;
use crate::session::Session;
use crate::shape::{IndexShape, TableShape};

const NAMES: &[&str] = &["alpha", "beta", "gamma"];
const VIEW_TYPES: &[&str] = &["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"];
const MOST_GLOBALS: usize = 4;

pub(super) fn create(session: &mut Session) {
    let name = *session.dice.pick(NAMES);
    let shape = TableShape::random(&mut session.dice, name);
    let view_type = session.dice.chance(50).then(|| *session.dice.pick(VIEW_TYPES));
    let mut input = shape.creation();
    input.stream_specification = view_type.map(specification);
    let actual = session.ask::<CreateTable>(input);
    if session.model.tables.contains_key(name) {
        let failure = Failure::Kind(ErrorKind::ResourceInUseException);
        return session.check(&actual.map(drop), &Err(failure));
    }
    let status = actual.map(|output| output.table_description.and_then(|table| table.table_status));
    session.check(&status, &Ok(Some(TableStatus::Creating)));
    session.model.tables.insert(name.to_owned(), Table::new(shape));
    if let Some(view_type) = view_type {
        note_stream(session, name, view_type);
    }
}

pub(super) fn delete(session: &mut Session) {
    let name = *session.dice.pick(NAMES);
    let actual = session.ask::<DeleteTable>(DeleteTableInput { table_name: name.into() }).map(drop);
    match session.model.tables.remove(name) {
        Some(table) => {
            session.check(&actual, &Ok(()));
            close_stream(session, &table);
        }
        None => session.check(&actual, &Err(Failure::Kind(ErrorKind::ResourceNotFoundException))),
    }
}

/// Adds or removes a global index.
pub(super) fn change_indexes(session: &mut Session) {
    let Some(name) = session.any_table() else { return };
    let shape = session.table(&name).shape.clone();
    let globals: Vec<&IndexShape> = shape.globals().collect();
    // Only one index at a time can be created.
    if globals.iter().any(|index| !index.active) {
        return settle(session, &name);
    }
    if globals.len() >= MOST_GLOBALS || (!globals.is_empty() && session.dice.chance(40)) {
        let index = session.dice.pick(&globals).name.clone();
        let delete = DeleteGlobalSecondaryIndexAction { index_name: index.clone() };
        let update = GlobalSecondaryIndexUpdate { delete: Some(delete), ..Default::default() };
        update_indexes(session, &name, None, update);
        let table = session.model.tables.get_mut(&name).unwrap();
        return table.shape.indexes.retain(|known| known.name != index);
    }
    let mut index = IndexShape::random_global(&mut session.dice, format!("late{}", session.requests), &shape);
    index.active = false;
    let update = GlobalSecondaryIndexUpdate { create: Some(index.creation()), ..Default::default() };
    update_indexes(session, &name, Some(&index), update);
    session.model.tables.get_mut(&name).unwrap().shape.indexes.push(index);
    // Otherwise other steps go on while the index is filled.
    if session.dice.chance(50) {
        settle(session, &name);
    }
}

fn update_indexes(
    session: &mut Session,
    table: &str,
    new: Option<&IndexShape>,
    update: GlobalSecondaryIndexUpdate,
) {
    let definitions = new.map(|index| session.table(table).shape.definitions(&[&index.key]));
    let actual = session.ask::<UpdateTable>(UpdateTableInput {
        table_name: table.into(),
        attribute_definitions: definitions,
        global_secondary_index_updates: Some(vec![update]),
        ..Default::default()
    });
    session.check(&actual.map(drop), &Ok(()));
}

/// Waits until all indexes of a table can be read.
fn settle(session: &mut Session, name: &str) {
    session.ask_until::<DescribeTable>(DescribeTableInput { table_name: name.into() }, |described| {
        let indexes = described.table.as_ref().and_then(|table| table.global_secondary_indexes.as_ref());
        indexes.into_iter().flatten().all(|index| index.index_status == Some(TableStatus::Active))
    });
    let table = session.model.tables.get_mut(name).unwrap();
    table.shape.indexes.iter_mut().for_each(|index| index.active = true);
}

/// Switches the stream on or off.
pub(super) fn change_stream(session: &mut Session) {
    let Some(name) = session.any_table() else { return };
    let view_type = *session.dice.pick(VIEW_TYPES);
    let is_open = session.table(&name).stream.is_some();
    let asked = match is_open {
        true => StreamSpecification { stream_enabled: false, stream_view_type: None },
        false => specification(view_type),
    };
    let actual = session.ask::<UpdateTable>(UpdateTableInput {
        table_name: name.as_str().into(),
        stream_specification: Some(asked),
        ..Default::default()
    });
    session.check(&actual.map(drop), &Ok(()));
    match is_open {
        true => {
            let table = session.model.tables.remove(&name).unwrap();
            close_stream(session, &table);
            session.model.tables.insert(name, Table { stream: None, ..table });
        }
        false => note_stream(session, &name, view_type),
    }
}

fn specification(view_type: &str) -> StreamSpecification {
    StreamSpecification { stream_enabled: true, stream_view_type: Some(view_type.into()) }
}

fn note_stream(session: &mut Session, table: &str, view_type: &str) {
    let arn = describe_table(session, table).latest_stream_arn.unwrap_or_default();
    let known = session.model.streams.iter().any(|stream| stream.arn == arn);
    session.check_equal(&(known, &arn), &(false, &arn));
    session.model.streams.push(Stream::new(arn, view_type));
    session.model.tables.get_mut(table).unwrap().stream = Some(session.model.streams.len() - 1);
}

fn close_stream(session: &mut Session, table: &Table) {
    let now_ms = session.model.now_ms;
    if let Some(stream) = table.stream.and_then(|id| session.model.streams.get_mut(id)) {
        stream.is_open = false;
        stream.closed_ms = now_ms;
    }
}

/// Switches expiry on or off.
pub(super) fn change_expiry(session: &mut Session) {
    let Some(name) = session.any_table() else { return };
    let current = session.table(&name).expiry.clone();
    let attribute_name = current.clone().unwrap_or_else(|| (*session.dice.pick(&["ttl", "v"])).to_owned());
    let enabled = current.is_none();
    let specification = TimeToLiveSpecification { enabled, attribute_name: attribute_name.clone() };
    let actual = session.ask::<UpdateTimeToLive>(UpdateTimeToLiveInput {
        table_name: name.as_str().into(),
        time_to_live_specification: specification.clone(),
    });
    let expected = UpdateTimeToLiveOutput { time_to_live_specification: Some(specification) };
    session.check(&actual, &Ok(expected));
    session.model.tables.get_mut(&name).unwrap().expiry = enabled.then_some(attribute_name);
}

pub(super) fn describe(session: &mut Session) {
    if let Some(name) = session.any_table() {
        check(session, &name);
    }
    let listed = session.ask::<ListTables>(ListTablesInput::default());
    let names: Vec<String> = session.model.tables.keys().cloned().collect();
    session.check(&listed.map(|listed| listed.table_names), &Ok(names));
}

/// Compares the answer of DescribeTable with the model.
pub(super) fn check(session: &mut Session, name: &str) {
    settle(session, name);
    let described = describe_table(session, name);
    let table = session.table(name);
    let totals = |entries: Vec<Map>| {
        (Some(entries.len() as i64), Some(entries.iter().map(size::of_item).sum::<usize>() as i64))
    };
    session.check_equal(&(described.item_count, described.table_size_bytes), &totals(table.entries(None)));
    let locals = described.local_secondary_indexes.unwrap_or_default();
    let globals = described.global_secondary_indexes.unwrap_or_default();
    let told = locals
        .iter()
        .map(|index| (index.index_name.clone(), (index.item_count, index.index_size_bytes)))
        .chain(
            globals
                .iter()
                .map(|index| (index.index_name.clone(), (index.item_count, index.index_size_bytes))),
        );
    let expected = table.shape.indexes.iter();
    let expected = expected.map(|index| (Some(index.name.clone()), totals(table.entries(Some(index)))));
    session.check_equal(&told.collect::<Vec<_>>(), &expected.collect());
    let expiry = table.expiry.clone();
    let told = session.ask::<DescribeTimeToLive>(DescribeTimeToLiveInput { table_name: name.into() });
    let told = told.map(|told| told.time_to_live_description.unwrap_or_default());
    let status = if expiry.is_some() { TimeToLiveStatus::Enabled } else { TimeToLiveStatus::Disabled };
    session.check(
        &told.map(|told| (told.time_to_live_status, told.attribute_name)),
        &Ok((Some(status), expiry)),
    );
}

fn describe_table(session: &mut Session, name: &str) -> TableDescription {
    let described = session.ask::<DescribeTable>(DescribeTableInput { table_name: name.into() });
    match described.map(|described| described.table) {
        Ok(Some(table)) => table,
        other => session.differ(&other, &"a table"),
    }
}
