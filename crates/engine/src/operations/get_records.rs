//! GetRecords: up to a thousand records, up to a megabyte, not older than a day.

use std::ops::Bound;
use std::sync::Arc;

use sortkey_api::operations::{GetRecords, GetRecordsInput, GetRecordsOutput};
use sortkey_api::shapes::stream::{Identity, OperationType, Record, StreamRecord as StreamRecordShape};
use sortkey_api::{ApiError, Timestamp};
use sortkey_storage::{Order, StorageError};

use super::Run;
use crate::engine::Shared;
use crate::reply::{Reply, storage_failure};
use crate::stream::shard::{self, ShardIterator, invalid_iterator};
use crate::stream::{Actor, Event, Position, RETENTION_MS, Stream, StreamRecord};
use crate::{catalog, layout};

const DEFAULT_LIMIT: usize = 1000;
const PAGE_BYTES: usize = 1024 * 1024;

impl Run for GetRecords {
    fn run(shared: &Arc<Shared>, input: GetRecordsInput) -> Result<Reply<GetRecordsOutput>, ApiError> {
        let iterator = ShardIterator::parse(&input.shard_iterator)?;
        let now = shared.now_ms();
        iterator.check_age(now)?;
        let view = shared.committer.view();
        let stream = catalog::stream(&view, iterator.stream)?.ok_or_else(|| shard::not_found(&input.shard_iterator))?;
        let shard = stream.shard_numbered(iterator.shard).ok_or_else(invalid_iterator)?;
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);

        let prefix = layout::shard_records(stream.id, iterator.shard);
        let low = [prefix.as_slice(), &iterator.position.to_bytes()].concat();
        let (_, high) = layout::starting_with(&prefix);
        let entries =
            view.snapshot.range(Bound::Included(&low), high.as_ref().map(Vec::as_slice), Order::Ascending);
        let mut records = Vec::new();
        let mut size_bytes = 0;
        // At the end of what is there, reading goes on behind everything that this state contains.
        let mut next = Position::before(view.stamp.version + 1).max(iterator.position);
        for entry in entries {
            let (key, value) = entry.map_err(|error| storage_failure(&error))?;
            let (position, time_ms, record) = decode(&key, &value)?;
            if records.len() == limit || (size_bytes + record.size_bytes() > PAGE_BYTES && !records.is_empty()) {
                next = position;
                break;
            }
            if time_ms + RETENTION_MS >= now {
                size_bytes += record.size_bytes();
                records.push(describe(shared, &stream, &key, position, time_ms, record));
            }
        }
        let at_end = shard.last_version().is_some_and(|last| next.version > last);
        let arn = shared.stream_arn(&stream.table_name, &stream.label);
        let iterator = ShardIterator { position: next, issued_ms: now, ..iterator };
        Ok(Reply::now(GetRecordsOutput {
            records,
            next_shard_iterator: (!at_end).then(|| iterator.to_text(&arn)),
        }))
    }
}

fn decode(key: &[u8], value: &[u8]) -> Result<(Position, u64, StreamRecord), ApiError> {
    let decoded = || {
        let (time, record) = value.split_first_chunk::<8>()?;
        Some((Position::from_key(key)?, u64::from_be_bytes(*time), StreamRecord::from_bytes(record)?))
    };
    decoded().ok_or_else(|| storage_failure(&StorageError::Damaged("a stream record cannot be read".into())))
}

fn describe(
    shared: &Shared,
    stream: &Stream,
    key: &[u8],
    position: Position,
    time_ms: u64,
    record: StreamRecord,
) -> Record {
    let event = match record.event {
        Event::Insert => OperationType::Insert,
        Event::Modify => OperationType::Modify,
        Event::Remove => OperationType::Remove,
    };
    let service = Identity {
        principal_id: Some("dynamodb.amazonaws.com".into()),
        identity_type: Some("Service".into()),
    };
    let size_bytes = i64::try_from(record.size_bytes()).unwrap_or(i64::MAX);
    Record {
        event_id: Some(format!("{:032x}", xxhash_rust::xxh3::xxh3_128(key))),
        event_name: Some(event),
        event_version: Some("1.1".into()),
        event_source: Some("aws:dynamodb".into()),
        aws_region: Some(shared.settings.region.clone()),
        dynamodb: Some(StreamRecordShape {
            // AWS reports whole seconds.
            approximate_creation_date_time: Some(Timestamp::from_seconds(
                i64::try_from(time_ms / 1000).unwrap_or(i64::MAX),
            )),
            keys: Some(record.keys),
            new_image: record.new_image,
            old_image: record.old_image,
            sequence_number: Some(position.sequence_number()),
            size_bytes: Some(size_bytes),
            stream_view_type: Some(stream.view_type.as_str().into()),
        }),
        user_identity: (record.actor == Actor::Expiry).then_some(service),
    }
}
