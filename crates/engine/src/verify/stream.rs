//! A stream's records against each other, and against the items at which they end.

use std::collections::HashMap;

use sortkey_value::Item;
use xxhash_rust::xxh3::xxh3_128;

use super::Verifier;
use crate::catalog::table::Table;
use crate::layout;
use crate::stream::{Event, Position, Stream, StreamRecord};

/// The state of an item by the newest record of its key; a fingerprint, since there may be many.
struct Newest {
    key: Vec<u8>,
    /// The item's fingerprint, or that it is gone; unknown if the stream does not keep new images.
    state: Option<Option<u128>>,
}

pub(super) fn verify(verifier: &mut Verifier<'_>, stream: &Stream) {
    let name = Some(&*stream.table_name);
    let table = verifier.get(name, &layout::table(&stream.table_name));
    let table = table.and_then(|table| Table::from_value(&table).ok());
    // Keys are placed as in the table of that time, of which only the key schema is needed.
    let current = table.filter(|table| table.stream.as_ref().is_some_and(|current| current.id == stream.id));
    let mut newest: HashMap<u128, Newest> = HashMap::new();
    let mut records = 0;
    for shard in stream.shards().map(|shard| shard.number()) {
        let space = layout::shard_records(stream.id, shard);
        let mut last_ms = 0;
        verifier.each(name, layout::starting_with(&space), |verifier, key, value| {
            records += 1;
            let Some((position, time_ms, record)) = decode(&key, &value) else {
                return verifier.report.add(name, &key, "a stream record cannot be read");
            };
            if position.version > verifier.view.stamp.version || time_ms < last_ms {
                verifier.report.add(name, &key, "a stream record comes from the future");
            }
            last_ms = time_ms;
            let mut item_key = layout::items(current.as_ref().map_or(0, |table| table.id));
            if stream.key.put(&mut item_key, &record.keys).is_err()
                || stream.shard_of(layout::partition_hash(&item_key), position.version) != Some(shard)
            {
                return verifier.report.add(name, &key, "a stream record is in a shard of other keys");
            }
            let before = newest.get(&xxh3_128(&item_key)).and_then(|newest| newest.state);
            if !continues(stream, &record, before) {
                verifier.report.add(name, &key, "a stream record does not continue the one before it");
            }
            let state = state_after(stream, &record);
            newest.insert(xxh3_128(&item_key), Newest { key: item_key, state });
        });
    }
    if current.is_some() {
        check_ends(verifier, stream, newest.into_values());
        let tables = verifier.report.tables.iter_mut();
        if let Some(report) = tables.into_iter().find(|report| report.name == stream.table_name) {
            report.stream_records = records;
        }
    }
}

/// The items are as the newest records leave them.
fn check_ends(verifier: &mut Verifier<'_>, stream: &Stream, newest: impl Iterator<Item = Newest>) {
    let name = Some(&*stream.table_name);
    for Newest { key, state } in newest {
        let found = verifier.get(name, &key);
        if state.is_some_and(|state| state != found.map(|found| xxh3_128(&found))) {
            verifier.report.add(name, &key, "the item is not what the last stream record says");
        }
    }
}

/// Whether a record can follow a known state of its item.
fn continues(stream: &Stream, record: &StreamRecord, before: Option<Option<u128>>) -> bool {
    let Some(before) = before else { return true };
    let keeps_old = matches!(stream.view_type.as_str(), "OLD_IMAGE" | "NEW_AND_OLD_IMAGES");
    match record.event {
        Event::Insert => before.is_none(),
        Event::Modify | Event::Remove if keeps_old => before == record.old_image.as_ref().map(fingerprint),
        Event::Modify | Event::Remove => before.is_some(),
    }
}

fn state_after(stream: &Stream, record: &StreamRecord) -> Option<Option<u128>> {
    let keeps_new = matches!(stream.view_type.as_str(), "NEW_IMAGE" | "NEW_AND_OLD_IMAGES");
    match record.event {
        Event::Remove => Some(None),
        _ => keeps_new.then(|| record.new_image.as_ref().map(fingerprint)),
    }
}

fn fingerprint(item: &Item) -> u128 {
    xxh3_128(item.as_bytes())
}

pub(super) fn decode(key: &[u8], value: &[u8]) -> Option<(Position, u64, StreamRecord)> {
    let (time, record) = value.split_first_chunk::<8>()?;
    Some((Position::from_key(key)?, u64::from_be_bytes(*time), StreamRecord::from_bytes(record)?))
}
