//! The stream of one old table: its shards, and their records after a place that is written down.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sortkey_api::operations::{
    DescribeStream, DescribeStreamInput, DescribeTable, DescribeTableInput, GetRecords, GetRecordsInput,
    GetShardIterator, GetShardIteratorInput,
};
use sortkey_api::shapes::stream::{Record, Shard, ShardIteratorType};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_value::{AttributeValue, Map};

use crate::refusal::Refusal;
use crate::steady::Steady;

/// How many records are read at a time.
const RECORDS: i32 = 200;
/// How long the list of shards is used.
const LISTED_MS: i64 = 2_000;

/// How far a shard was carried over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reached {
    /// Up to this record.
    After(String),
    /// To its end.
    End,
}

/// How far the shards of all tables are, by the names that [`Feed::name`] gives.
pub(crate) type Reads = BTreeMap<String, Reached>;

impl Reached {
    pub(crate) fn stored(&self) -> AttributeValue {
        match self {
            Reached::After(number) => AttributeValue::S(number.clone()),
            Reached::End => AttributeValue::Bool(true),
        }
    }

    pub(crate) fn read(value: &AttributeValue) -> Option<Reached> {
        match value {
            AttributeValue::S(number) => Some(Reached::After(number.clone())),
            AttributeValue::Bool(true) => Some(Reached::End),
            _ => None,
        }
    }
}

/// Records of one shard, in their order.
pub(crate) struct Batch {
    pub(crate) records: Vec<Record>,
    /// The place in the shard behind them; none if it has not changed.
    pub(crate) reached: Option<Reached>,
    /// Whether these were all that there were when they were read.
    pub(crate) is_last: bool,
}

/// A stream that is being read.
pub(crate) struct Feed {
    pub(crate) table: Arc<str>,
    arn: String,
    shards: Vec<String>,
    listed_ms: i64,
    iterators: HashMap<String, String>,
}

impl Feed {
    /// The stream of a table.
    pub(crate) async fn of(backend: &Steady, table: &Arc<str>) -> Result<Feed, Refusal> {
        let input = DescribeTableInput { table_name: (&**table).into() };
        let arn = backend.ask::<DescribeTable>(input).await?.table.and_then(|table| table.latest_stream_arn);
        let arn = arn.ok_or_else(|| {
            Refusal::new(format!(
                "table \"{table}\" has no stream any more, so changes of other programs are not seen: take the migration back with \
                 `sortkey migrate back`, and start it again"
            ))
        })?;
        Ok(Feed {
            table: table.clone(),
            arn,
            shards: Vec::new(),
            listed_ms: i64::MIN,
            iterators: HashMap::new(),
        })
    }

    /// The name under which the place in a shard is kept.
    pub(crate) fn name(&self, shard: &str) -> String {
        format!("{}/{shard}", self.table)
    }

    /// The shards that the stream has now.
    pub(crate) async fn shards(&mut self, backend: &Steady) -> Result<Vec<String>, Refusal> {
        let now_ms = backend.now_ms();
        if self.listed_ms.saturating_add(LISTED_MS) < now_ms || now_ms < self.listed_ms {
            self.shards = self.list(backend).await?;
            self.listed_ms = now_ms;
        }
        Ok(self.shards.clone())
    }

    async fn list(&self, backend: &Steady) -> Result<Vec<String>, Refusal> {
        let mut found: Vec<Shard> = Vec::new();
        let mut from = None;
        loop {
            let input = DescribeStreamInput {
                stream_arn: self.arn.clone(),
                exclusive_start_shard_id: from.take(),
                ..DescribeStreamInput::default()
            };
            let Some(description) = backend.ask::<DescribeStream>(input).await?.stream_description else {
                break;
            };
            found.extend(description.shards.unwrap_or_default());
            from = description.last_evaluated_shard_id;
            if from.is_none() {
                break;
            }
        }
        Ok(found.into_iter().filter_map(|shard| shard.shard_id).collect())
    }

    /// The next records of a shard.
    pub(crate) async fn next(
        &mut self,
        backend: &Steady,
        shard: &str,
        reached: Option<&Reached>,
    ) -> Result<Batch, Refusal> {
        let iterator = match self.iterators.remove(shard) {
            Some(iterator) => iterator,
            None => self.iterator(backend, shard, reached).await?,
        };
        let input = GetRecordsInput { shard_iterator: iterator, limit: Some(RECORDS) };
        let output = match backend.ask::<GetRecords>(input).await {
            Ok(output) => output,
            // The next round asks for another one, from the place that is written down.
            Err(error) if error.kind == ErrorKind::ExpiredIteratorException => {
                return Ok(Batch { records: Vec::new(), reached: None, is_last: false });
            }
            Err(error) => return Err(self.lost(error)),
        };
        let number = |record: &Record| record.dynamodb.as_ref()?.sequence_number.clone();
        let last = output.records.last().and_then(number).map(Reached::After);
        let is_full = usize::try_from(RECORDS).is_ok_and(|most| output.records.len() >= most);
        let is_last = !is_full && output.next_shard_iterator.is_some();
        let reached = match output.next_shard_iterator {
            Some(iterator) => {
                self.iterators.insert(shard.to_owned(), iterator);
                last
            }
            None => {
                // Its children are listed with the next round.
                self.listed_ms = i64::MIN;
                Some(Reached::End)
            }
        };
        Ok(Batch { records: output.records, reached, is_last })
    }

    async fn iterator(
        &self,
        backend: &Steady,
        shard: &str,
        reached: Option<&Reached>,
    ) -> Result<String, Refusal> {
        let (shard_iterator_type, sequence_number) = match reached {
            Some(Reached::After(number)) => (ShardIteratorType::AfterSequenceNumber, Some(number.clone())),
            _ => (ShardIteratorType::TrimHorizon, None),
        };
        let input = GetShardIteratorInput {
            stream_arn: self.arn.clone(),
            shard_id: shard.to_owned(),
            shard_iterator_type,
            sequence_number,
            ..GetShardIteratorInput::default()
        };
        match backend.ask::<GetShardIterator>(input).await {
            Ok(output) => Ok(output.shard_iterator.unwrap_or_default()),
            Err(error) => Err(self.lost(error)),
        }
    }

    /// Forgets the iterators: after an error, records are read again from the place that is written down.
    pub(crate) fn rewind(&mut self) {
        self.iterators.clear();
    }

    fn lost(&self, error: ApiError) -> Refusal {
        match error.kind {
            ErrorKind::TrimmedDataAccessException => Refusal::new(format!(
                "the stream of \"{}\" keeps its records for a day, and some were removed before they were carried over: take the \
                 migration back with `sortkey migrate back`, and start it again",
                self.table
            )),
            _ => error.into(),
        }
    }
}

/// The key and the image before of a record.
pub(crate) fn change(record: &Record) -> Option<(Map, Option<sortkey_value::Item>)> {
    let of = record.dynamodb.as_ref()?;
    Some((of.keys.as_ref()?.to_map(), of.old_image.clone()))
}
