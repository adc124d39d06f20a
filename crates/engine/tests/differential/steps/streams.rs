//! DescribeStream, GetShardIterator, GetRecords: streams are read to the end and compared key by key.

use std::collections::BTreeMap;

use sortkey_api::operations::*;
use sortkey_api::shapes::stream::{Record, Shard, ShardIteratorType};

use crate::session::Session;

/// The records of one item, in order.
type History = BTreeMap<String, Vec<Record>>;

/// Reads one of the streams that can be read.
pub(super) fn read(session: &mut Session) {
    let readable = readable(session);
    if !readable.is_empty() {
        let id = *session.dice.pick(&readable);
        check(session, id);
    }
}

pub(super) fn check_all(session: &mut Session) {
    for id in readable(session) {
        check(session, id);
    }
}

fn readable(session: &Session) -> Vec<usize> {
    let streams = session.model.streams.iter().enumerate();
    streams.filter(|(_, stream)| !stream.is_gone(session.model.now_ms)).map(|(id, _)| id).collect()
}

fn check(session: &mut Session, id: usize) {
    let arn = session.model.streams[id].arn.clone();
    let mut histories = History::new();
    for shard in shards(session, &arn) {
        let shard_id = shard.shard_id.unwrap_or_default();
        let start = iterator(session, &arn, &shard_id, ShardIteratorType::TrimHorizon, None);
        let records = records(session, start);
        let numbers: Vec<String> = records.iter().map(sequence_number).collect();
        session.check_equal(&numbers.is_sorted_by(|one, two| one < two), &true);
        check_from_the_middle(session, &arn, &shard_id, &records);
        for record in records {
            let key = format!("{:?}", record.dynamodb.as_ref().and_then(|change| change.keys.clone()));
            histories.entry(key).or_default().push(without_numbers(record));
        }
    }
    let stream = &session.model.streams[id];
    let mut expected = History::new();
    for record in stream.readable(session.model.now_ms) {
        let key = format!("{:?}", record.dynamodb.as_ref().and_then(|change| change.keys.clone()));
        expected.entry(key).or_default().push(record.clone());
    }
    session.check_equal(&histories, &expected);
}

/// Reads on from one of a shard's records, and from the end.
fn check_from_the_middle(session: &mut Session, arn: &str, shard: &str, all: &[Record]) {
    let latest = iterator(session, arn, shard, ShardIteratorType::Latest, None);
    let from_latest = records(session, latest);
    session.check_equal(&from_latest, &Vec::new());
    if all.is_empty() {
        return;
    }
    let at = session.dice.below(all.len());
    let (kind, rest) = match session.dice.chance(50) {
        true => (ShardIteratorType::AtSequenceNumber, &all[at..]),
        false => (ShardIteratorType::AfterSequenceNumber, &all[at + 1..]),
    };
    let start = iterator(session, arn, shard, kind, Some(sequence_number(&all[at])));
    let found = records(session, start);
    session.check_equal(&found.as_slice(), &rest);
}

fn shards(session: &mut Session, arn: &str) -> Vec<Shard> {
    let mut shards = Vec::new();
    let mut start = None;
    loop {
        let limit = session.dice.chance(50).then(|| 1 + session.dice.below(3));
        let described = session.ask::<DescribeStream>(DescribeStreamInput {
            stream_arn: arn.to_owned(),
            limit,
            exclusive_start_shard_id: start,
            ..Default::default()
        });
        let described = described.map(|described| described.stream_description.unwrap_or_default());
        let page = described.unwrap_or_else(|error| session.differ(&error, &"a stream"));
        shards.extend(page.shards.unwrap_or_default());
        start = page.last_evaluated_shard_id;
        if start.is_none() {
            return shards;
        }
    }
}

fn iterator(
    session: &mut Session,
    arn: &str,
    shard: &str,
    kind: ShardIteratorType,
    number: Option<String>,
) -> Option<String> {
    let iterator = session.ask::<GetShardIterator>(GetShardIteratorInput {
        stream_arn: arn.to_owned(),
        shard_id: shard.to_owned(),
        shard_iterator_type: kind,
        sequence_number: number,
        ..Default::default()
    });
    iterator.unwrap_or_else(|error| session.differ(&error, &"an iterator")).shard_iterator
}

/// All records from a place to the end: of the shard if it is closed, otherwise of what there is.
fn records(session: &mut Session, mut iterator: Option<String>) -> Vec<Record> {
    let mut all = Vec::new();
    while let Some(shard_iterator) = iterator {
        let limit = session.dice.chance(50).then(|| 1 + session.dice.below(100));
        let page = session.ask::<GetRecords>(GetRecordsInput { shard_iterator, limit });
        let page = page.unwrap_or_else(|error| session.differ(&error, &"records"));
        iterator = page.next_shard_iterator.filter(|_| !page.records.is_empty());
        all.extend(page.records);
    }
    all
}

fn sequence_number(record: &Record) -> String {
    record.dynamodb.as_ref().and_then(|change| change.sequence_number.clone()).unwrap_or_default()
}

/// A record without the numbers that the engine assigns.
fn without_numbers(mut record: Record) -> Record {
    record.event_id = None;
    if let Some(change) = &mut record.dynamodb {
        change.sequence_number = None;
    }
    record
}
