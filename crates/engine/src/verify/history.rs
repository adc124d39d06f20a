//! A table's history against its log, and against the stream where there are both.

use std::collections::BTreeMap;

use sortkey_storage::{Counts, Key};

use super::stream::decode;
use super::{Verifier, table};
use crate::catalog::table::Table;
use crate::history::{Change, Logged, rest_of_change, stored};
use crate::layout;
use crate::stream::{Event, Position, Stream, StreamRecord};

pub(super) fn verify(verifier: &mut Verifier<'_>, table: &Table) {
    let logged = log(verifier, table);
    let found = changes(verifier, table);
    if found.items != logged {
        let what = format!("{} changes in the history, but {logged} in its log", found.items);
        verifier.report.add(Some(&table.name), &layout::history(table.id), what);
    }
    table::check_totals(verifier, table, layout::HISTORY_TOTALS, "changes", found);
    if let Some(report) = verifier.report.tables.last_mut() {
        report.changes = found.items.unsigned_abs();
    }
    let stream = table.stream.as_ref();
    let stream = stream.and_then(|stream| verifier.get(Some(&table.name), &layout::stream(stream.id)));
    // A descriptor that cannot be read is reported where streams are verified.
    if let Some(stream) = stream.and_then(|value| Stream::from_value(&value).ok()) {
        compare(verifier, table, &stream);
    }
}

/// Every change of the log is in the history, at the same time. Together with the count this leaves no room for others.
fn log(verifier: &mut Verifier<'_>, table: &Table) -> i64 {
    let (mut count, mut last_ms) = (0, 0);
    let name = Some(&*table.name);
    verifier.each(name, layout::starting_with(&layout::history_log(table.id)), |verifier, key, value| {
        count += 1;
        let Some(logged) = Logged::read(table.id, &key, &value) else {
            return verifier.report.add(name, &key, "a change in the log cannot be read");
        };
        let version = Position::from_key(&key).map_or(0, |position| position.version);
        if version > verifier.view.stamp.version || logged.time_ms < last_ms {
            verifier.report.add(name, &key, "a change in the log comes from the future");
        }
        last_ms = logged.time_ms;
        let change = verifier.get(name, &logged.history_key);
        let change = change.and_then(|value| Change::read(&value));
        if change.is_none_or(|change| change.time_ms != logged.time_ms) {
            verifier.report.add(name, &key, "a change in the log is not in the history");
        }
    });
    count
}

fn changes(verifier: &mut Verifier<'_>, table: &Table) -> Counts {
    let mut found = Counts::default();
    let name = Some(&*table.name);
    verifier.each(name, layout::starting_with(&layout::history(table.id)), |verifier, key, value| {
        let (Some(rest), Some(change)) = (rest_of_change(&key), Change::read(&value)) else {
            return verifier.report.add(name, &key, "a change in the history cannot be read");
        };
        let before = change.before.as_ref().map_or(0, |item| item.as_bytes().len());
        found += stored(rest.len(), before);
        let is_in_place = change.before.is_none_or(|item| {
            table.item_key(&item).is_some_and(|key| key[layout::ITEM_PREFIX_BYTES..] == *rest)
        });
        if !is_in_place {
            verifier.report.add(name, &key, "a change in the history is of another item");
        }
    });
    found
}

/// If a table has both, every change is in both. Each of them loses its oldest entries, so only changes from the first
/// that is left on are compared.
fn compare(verifier: &mut Verifier<'_>, table: &Table, stream: &Stream) {
    let Some(recovery) = &table.recovery else { return };
    let first = first_position(verifier, layout::history_log(table.id));
    let since = first.max(Some(Position::before(recovery.since_version + 1)));
    let mut first_records = BTreeMap::new();
    for shard in stream.shards().map(|shard| shard.number()) {
        let space = layout::shard_records(stream.id, shard);
        first_records.insert(shard, first_position(verifier, space.clone()));
        verifier.each(Some(&table.name), layout::starting_with(&space), |verifier, key, value| {
            let Some((position, _, record)) = decode(&key, &value) else { return };
            if first.is_some() && Some(position) >= since {
                compare_record(verifier, table, stream, &key, position, &record);
            }
        });
    }
    let name = Some(&*table.name);
    verifier.each(name, layout::starting_with(&layout::history_log(table.id)), |verifier, key, value| {
        let (Some(logged), Some(position)) = (Logged::read(table.id, &key, &value), Position::from_key(&key))
        else {
            return;
        };
        let hash = layout::partition_hash(&logged.history_key);
        let Some(shard) = stream.shard_of(hash, position.version) else { return };
        let first = first_records.get(&shard).copied().flatten();
        let record = [layout::shard_records(stream.id, shard).as_slice(), &position.to_bytes()].concat();
        if first.is_some_and(|first| first < position) && verifier.get(name, &record).is_none() {
            verifier.report.add(name, &key, "a change of the history is not in the stream");
        }
    });
}

fn compare_record(
    verifier: &mut Verifier<'_>,
    table: &Table,
    stream: &Stream,
    at: &[u8],
    position: Position,
    record: &StreamRecord,
) {
    let name = Some(&*table.name);
    let Some(item_key) = table.item_key(&record.keys) else { return };
    let key: Key =
        [layout::item_history(table.id, &item_key).as_slice(), &position.to_bytes()].concat().into();
    let change = verifier.get(name, &key).and_then(|value| Change::read(&value));
    let Some(change) = change else {
        return verifier.report.add(name, at, "a change of the stream is not in the history");
    };
    let keeps_old = matches!(stream.view_type.as_str(), "OLD_IMAGE" | "NEW_AND_OLD_IMAGES");
    let agrees = match record.event {
        Event::Insert => change.before.is_none(),
        _ if keeps_old => change.before == record.old_image,
        _ => change.before.is_some(),
    };
    if !agrees {
        verifier.report.add(name, at, "the history and the stream contradict each other");
    }
}

/// The position of the first entry of a space.
fn first_position(verifier: &mut Verifier<'_>, space: Vec<u8>) -> Option<Position> {
    let (low, high) = layout::starting_with(&space);
    verifier.first_key(low, high).and_then(|key| Position::from_key(&key))
}
