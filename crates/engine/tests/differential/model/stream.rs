//! Streams: the list of a table's changes since the stream was opened.

use sortkey_api::Timestamp;
use sortkey_api::shapes::stream::{Identity, OperationType, Record, StreamRecord};
use sortkey_value::{Item, Map};

use super::size;
use super::table::Change;

/// How long a record can be read.
const RETENTION_MS: u64 = 24 * 60 * 60 * 1000;

/// A stream and all its records.
pub(crate) struct Stream {
    pub(crate) arn: String,
    pub(crate) view_type: String,
    pub(crate) is_open: bool,
    pub(crate) closed_ms: u64,
    /// With the time at which each happened.
    records: Vec<(u64, Record)>,
}

impl Stream {
    pub(crate) fn new(arn: String, view_type: &str) -> Stream {
        Stream { arn, view_type: view_type.into(), is_open: true, closed_ms: 0, records: Vec::new() }
    }

    pub(crate) fn record(&mut self, change: &Change, now_ms: u64, by_service: bool) {
        let event = match (&change.before, &change.after) {
            (None, _) => OperationType::Insert,
            (_, None) => OperationType::Remove,
            _ => OperationType::Modify,
        };
        let image = |image: &Option<Map>, view_type: &str| {
            let wanted = self.view_type == view_type || self.view_type == "NEW_AND_OLD_IMAGES";
            image.clone().filter(|_| wanted)
        };
        let new = image(&change.after, "NEW_IMAGE");
        let old = image(&change.before, "OLD_IMAGE");
        let bytes: usize = [Some(&change.key_item), new.as_ref(), old.as_ref()]
            .into_iter()
            .flatten()
            .map(size::of_item)
            .sum();
        let record = Record {
            event_name: Some(event),
            event_version: Some("1.1".into()),
            event_source: Some("aws:dynamodb".into()),
            aws_region: Some("us-east-1".into()),
            dynamodb: Some(StreamRecord {
                approximate_creation_date_time: Some(Timestamp::from_seconds((now_ms / 1000) as i64)),
                keys: Some(Item::from_map(&change.key_item)),
                new_image: new.as_ref().map(Item::from_map),
                old_image: old.as_ref().map(Item::from_map),
                size_bytes: Some(bytes as i64),
                stream_view_type: Some(self.view_type.as_str().into()),
                sequence_number: None,
            }),
            user_identity: by_service.then(|| Identity {
                principal_id: Some("dynamodb.amazonaws.com".into()),
                identity_type: Some("Service".into()),
            }),
            event_id: None,
        };
        self.records.push((now_ms, record));
    }

    /// The readable part of it: records without the numbers that the engine assigns.
    pub(crate) fn readable(&self, now_ms: u64) -> impl Iterator<Item = &Record> {
        let fresh = move |time_ms: u64| time_ms + RETENTION_MS >= now_ms;
        self.records.iter().filter(move |(time_ms, _)| fresh(*time_ms)).map(|(_, record)| record)
    }

    /// Whether the stream itself is gone: closed for longer than its records can be read.
    pub(crate) fn is_gone(&self, now_ms: u64) -> bool {
        !self.is_open && self.closed_ms + RETENTION_MS < now_ms
    }
}
