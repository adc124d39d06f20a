//! Records of a stream, read once for all workers that follow it.

use std::collections::HashMap;

use sortkey_api::operations::{
    DescribeStreamInput, DescribeTableInput, GetRecordsInput, GetRecordsOutput, GetShardIteratorInput,
};
use sortkey_api::shapes::stream::{Record, Shard, ShardIteratorType};
use sortkey_api::{ApiError, Backend, ErrorKind, Requests as _, TableName};
use sortkey_core::{Failure, FailureKind};

use super::places::Places;

/// How many records are read at a time.
const RECORDS: i32 = 500;

/// How long the list of shards is cached.
const SHARDS_MS: i64 = 2_000;

/// The state of a stream between two reads.
#[derive(Default)]
pub(super) struct Reader {
    arn: Option<String>,
    shards: Vec<Shard>,
    listed_ms: i64,
    reached: HashMap<String, Reached>,
}

/// The position up to which a shard was read, which is ahead of the records that were run.
struct Reached {
    /// The shard iterator for the next records; none if it has to be requested.
    iterator: Option<String>,
    /// The last record; none at the beginning of the shard.
    last: Option<String>,
}

/// Records of one shard, in order.
pub(super) struct Batch {
    pub(super) shard: String,
    pub(super) records: Vec<Record>,
    /// Whether the shard has no others.
    pub(super) is_last: bool,
}

/// A shard to read, and the record after which it begins if nothing was read of it yet.
pub(super) type Open = (String, Option<String>);

impl Reader {
    /// The shards whose parents were run to their ends, and that were not read to theirs.
    pub(super) fn open(&self, places: &Places) -> Vec<Open> {
        let is_listed = |id: &String| self.shards.iter().any(|each| each.shard_id.as_ref() == Some(id));
        let follows = |shard: &Shard| {
            let parent = shard.parent_shard_id.as_ref();
            parent.is_none_or(|parent| places.is_over(parent) || !is_listed(parent))
        };
        let open =
            self.shards.iter().filter(|shard| follows(shard)).filter_map(|shard| shard.shard_id.clone());
        let open = open.filter(|id| !places.is_read_to_the_end(id));
        open.map(|id| (places.place_of(&id), id)).map(|(place, id)| (id, place)).collect()
    }

    /// Whether the list of shards has to be requested again.
    pub(super) fn is_stale(&self, now_ms: i64) -> bool {
        self.shards.is_empty() || !(self.listed_ms..self.listed_ms + SHARDS_MS).contains(&now_ms)
    }

    /// Requests the shards of a table's stream.
    pub(super) async fn list(
        &mut self,
        backend: &dyn Backend,
        table: &TableName,
        now_ms: i64,
    ) -> Result<(), Failure> {
        if self.arn.is_none() {
            let input = DescribeTableInput { table_name: table.clone() };
            let output = backend.describe_table(input).await.map_err(unavailable)?;
            self.arn = output.table.and_then(|table| table.latest_stream_arn);
        }
        let Some(arn) = self.arn.clone() else {
            let why = "the table has no stream: add `stream new_and_old_images` to it";
            return Err(Failure::new(FailureKind::Internal, why));
        };
        let mut shards = Vec::new();
        let mut from = None;
        loop {
            let input = DescribeStreamInput {
                stream_arn: arn.clone(),
                exclusive_start_shard_id: from.take(),
                ..DescribeStreamInput::default()
            };
            let output = backend.describe_stream(input).await.map_err(unavailable)?;
            let Some(description) = output.stream_description else { break };
            shards.extend(description.shards.unwrap_or_default());
            from = description.last_evaluated_shard_id;
            if from.is_none() {
                break;
            }
        }
        self.shards = shards;
        self.listed_ms = now_ms;
        Ok(())
    }

    /// Whether the stream still has a shard.
    pub(super) fn has(&self, id: &str) -> bool {
        self.shards.iter().any(|shard| shard.shard_id.as_deref() == Some(id))
    }

    /// Reads on in every shard.
    pub(super) async fn read(
        &mut self,
        backend: &dyn Backend,
        open: Vec<Open>,
    ) -> Result<Vec<Batch>, Failure> {
        let mut batches = Vec::new();
        for (shard, place) in open {
            let Some(output) = self.records(backend, &shard, place).await? else { continue };
            let is_last = output.next_shard_iterator.is_none();
            if let Some(reached) = self.reached.get_mut(&shard) {
                reached.iterator = output.next_shard_iterator;
                let last = output.records.last().and_then(|record| record.dynamodb.as_ref());
                reached.last =
                    last.and_then(|last| last.sequence_number.clone()).or_else(|| reached.last.take());
            }
            if is_last {
                self.reached.remove(&shard);
                // Its children can be read now.
                self.listed_ms = i64::MIN;
            }
            if is_last || !output.records.is_empty() {
                batches.push(Batch { shard, records: output.records, is_last });
            }
        }
        Ok(batches)
    }

    /// The next records of a shard; none if its place has to be looked for again.
    async fn records(
        &mut self,
        backend: &dyn Backend,
        shard: &str,
        place: Option<String>,
    ) -> Result<Option<GetRecordsOutput>, Failure> {
        let arn = self.arn.clone().unwrap_or_default();
        let reached = self.reached.entry(shard.to_owned()).or_insert(Reached { iterator: None, last: place });
        let shard_iterator = match reached.iterator.take() {
            Some(iterator) => iterator,
            None => {
                let input = GetShardIteratorInput {
                    stream_arn: arn,
                    shard_id: shard.to_owned(),
                    shard_iterator_type: match reached.last {
                        Some(_) => ShardIteratorType::AfterSequenceNumber,
                        None => ShardIteratorType::TrimHorizon,
                    },
                    sequence_number: reached.last.clone(),
                    ..GetShardIteratorInput::default()
                };
                match backend.get_shard_iterator(input).await {
                    Ok(output) => output.shard_iterator.unwrap_or_default(),
                    Err(error) if is_forgotten(&error) => {
                        // The stream keeps records for a day; start again with the oldest that is left.
                        reached.last = None;
                        return Ok(None);
                    }
                    Err(error) => return Err(unavailable(error)),
                }
            }
        };
        let input = GetRecordsInput { shard_iterator, limit: Some(RECORDS) };
        match backend.get_records(input).await {
            Ok(output) => Ok(Some(output)),
            Err(error) if is_forgotten(&error) => Ok(None),
            Err(error) => Err(unavailable(error)),
        }
    }
}

fn is_forgotten(error: &ApiError) -> bool {
    matches!(error.kind, ErrorKind::TrimmedDataAccessException | ErrorKind::ExpiredIteratorException)
}

fn unavailable(error: ApiError) -> Failure {
    Failure::new(FailureKind::Unavailable, error.message)
}
