//! Changes of items, read from the stream of their table: in order for each item, each at least once.
//!
//! One process at a time holds the note of a worker and reads. The note says for every shard how far its records have been
//! run; a shard is read after its parent, so that the order holds across a split.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use sortkey_api::operations::{
    DescribeStreamInput, DescribeTableInput, GetRecordsInput, GetRecordsOutput, GetShardIteratorInput,
};
use sortkey_api::shapes::stream::{OperationType, Record, Shard, ShardIteratorType};
use sortkey_api::{ApiError, ErrorKind, Requests as _};
use sortkey_core::{Failure, FailureKind};
use sortkey_design::model::Change;
use sortkey_design::program::WorkerId;
use sortkey_value::{AttributeValue, Item, Map};

use crate::letters;
use crate::status::Counts;
use crate::work::Work;

/// What stands for the end of a shard in the note.
const END: &str = "end";

/// How many records are read at a time.
const RECORDS: i32 = 500;

/// After so many records without a run, the position is stored.
const MAX_UNSAVED: usize = 10_000;

/// How long the list of shards is believed.
const SHARDS_MS: i64 = 2_000;

/// What is known of a stream between two looks.
#[derive(Default)]
pub(crate) struct Reader {
    arn: Option<String>,
    shards: Vec<Shard>,
    listed_ms: i64,
    /// Where the next records of each shard are.
    iterators: HashMap<String, String>,
    /// How far each shard was run; none until the note was read.
    positions: Option<BTreeMap<String, String>>,
    held_until_ms: i64,
    /// How many records were read since the note was stored.
    unsaved: usize,
}

impl Work {
    /// Runs a worker on the changes that are there. How many runs that took; none if another process reads.
    pub(crate) async fn follow(&self, worker: WorkerId, pauses: bool) -> Result<u64, Failure> {
        let mut reader = self.readers[sortkey_design::program::Id::at(worker)].lock().await;
        let followed = self.follow_with(worker, &mut reader, pauses).await;
        if followed.is_err() {
            // Whatever was believed, ask again.
            *reader = Reader::default();
        }
        followed
    }

    async fn follow_with(&self, worker: WorkerId, reader: &mut Reader, pauses: bool) -> Result<u64, Failure> {
        let runtime = self.runtime();
        let Some(notes) = runtime.notes(worker, "on") else {
            let why = "the table has no key of text, in which the position in its stream could be remembered";
            return Err(Failure::new(FailureKind::Internal, why));
        };
        let note = notes.note("");
        let (now_ms, lease_ms) = (runtime.now_ms(), self.lease_ms(worker));
        if reader.positions.is_none() || reader.held_until_ms - lease_ms / 2 <= now_ms {
            let until_ms = now_ms.saturating_add(lease_ms);
            match note.hold(self.token(), until_ms).await? {
                Some(item) => {
                    reader.positions.get_or_insert_with(|| positions(&item));
                    reader.held_until_ms = until_ms;
                }
                None => {
                    *reader = Reader::default();
                    return Ok(0);
                }
            }
        }
        self.list_shards(worker, reader, now_ms).await?;
        let mut runs = 0;
        for shard in self.open_shards(reader) {
            let Some(output) = self.records(reader, &shard).await? else { continue };
            let last = output.records.last().and_then(sequence_number);
            let ended = output.next_shard_iterator.is_none();
            reader.unsaved += output.records.len();
            let ran = self.run_records(worker, output.records, pauses).await?;
            runs += ran;
            // The note is an item of the table, so storing it is a change as well: if every change led to it, there would be no
            // end. Changes that start no run are read again after a crash, which costs little.
            let advanced = ended || ran > 0 || reader.unsaved >= MAX_UNSAVED;
            match output.next_shard_iterator {
                Some(next) => drop(reader.iterators.insert(shard.clone(), next)),
                None => drop(reader.iterators.remove(&shard)),
            }
            if let Some(positions) = &mut reader.positions {
                let place = if ended { Some(END.to_owned()) } else { last };
                positions.extend(place.map(|place| (shard.clone(), place)));
            }
            if advanced && let Some(positions) = &reader.positions {
                reader.unsaved = 0;
                let says = vec![("at", stored(positions))];
                if !note.keep(self.token(), Some(reader.held_until_ms), says).await? {
                    // Another process reads by now; what it runs again is run with the same ids.
                    *reader = Reader::default();
                    return Ok(runs);
                }
                if ended {
                    reader.listed_ms = 0;
                }
            }
        }
        Ok(runs)
    }

    /// The shards whose parents have been read, and that are not at their end.
    fn open_shards(&self, reader: &Reader) -> Vec<String> {
        let Some(positions) = &reader.positions else { return Vec::new() };
        let is_over = |id: &String| positions.get(id).is_some_and(|place| place == END);
        let is_listed = |id: &String| reader.shards.iter().any(|each| each.shard_id.as_ref() == Some(id));
        let open = reader.shards.iter().filter(|shard| {
            shard.shard_id.as_ref().is_some_and(|id| !is_over(id))
                && shard.parent_shard_id.as_ref().is_none_or(|parent| is_over(parent) || !is_listed(parent))
        });
        open.filter_map(|shard| shard.shard_id.clone()).collect()
    }

    async fn list_shards(&self, worker: WorkerId, reader: &mut Reader, now_ms: i64) -> Result<(), Failure> {
        if !reader.shards.is_empty() && reader.listed_ms + SHARDS_MS > now_ms {
            return Ok(());
        }
        let runtime = self.runtime();
        let backend = runtime.backend();
        if reader.arn.is_none() {
            let Some(table) = runtime.table_of(worker) else { return Ok(()) };
            let input = DescribeTableInput { table_name: table.clone() };
            let output = backend.describe_table(input).await.map_err(unavailable)?;
            reader.arn = output.table.and_then(|table| table.latest_stream_arn);
        }
        let Some(arn) = reader.arn.clone() else {
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
        // What the stream has forgotten needs no position any more.
        if let Some(positions) = &mut reader.positions {
            positions.retain(|id, _| shards.iter().any(|shard| shard.shard_id.as_ref() == Some(id)));
        }
        reader.shards = shards;
        reader.listed_ms = now_ms;
        Ok(())
    }

    /// The next records of a shard; none if its place has to be looked for again.
    async fn records(&self, reader: &mut Reader, shard: &str) -> Result<Option<GetRecordsOutput>, Failure> {
        let backend = self.runtime().backend();
        let shard_iterator = match reader.iterators.get(shard) {
            Some(iterator) => iterator.clone(),
            None => {
                let place = reader.positions.as_ref().and_then(|positions| positions.get(shard)).cloned();
                let input = GetShardIteratorInput {
                    stream_arn: reader.arn.clone().unwrap_or_default(),
                    shard_id: shard.to_owned(),
                    shard_iterator_type: match place {
                        Some(_) => ShardIteratorType::AfterSequenceNumber,
                        None => ShardIteratorType::TrimHorizon,
                    },
                    sequence_number: place,
                    ..GetShardIteratorInput::default()
                };
                match backend.get_shard_iterator(input).await {
                    Ok(output) => output.shard_iterator.unwrap_or_default(),
                    Err(error) if is_forgotten(&error) => {
                        // The stream keeps a day; what comes after it is read from where it begins.
                        if let Some(positions) = &mut reader.positions {
                            positions.remove(shard);
                        }
                        return Ok(None);
                    }
                    Err(error) => return Err(unavailable(error)),
                }
            }
        };
        let input = GetRecordsInput { shard_iterator, limit: Some(RECORDS) };
        match backend.get_records(input).await {
            Ok(output) => Ok(Some(output)),
            Err(error) if is_forgotten(&error) => {
                reader.iterators.remove(shard);
                Ok(None)
            }
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Runs records: those of one item in order, those of different items side by side.
    async fn run_records(
        &self,
        worker: WorkerId,
        records: Vec<Record>,
        pauses: bool,
    ) -> Result<u64, Failure> {
        let mut groups: HashMap<Option<Item>, Vec<Happened>> = HashMap::new();
        for record in records {
            let keys = record.dynamodb.as_ref().and_then(|each| each.keys.clone());
            if let Some(happened) = understood(record)
                && self.runtime().is_started_by(worker, happened.change, &happened.image)?
            {
                groups.entry(keys).or_default().push(happened);
            }
        }
        let most = usize::try_from(self.runtime().program().workers[worker].concurrency).unwrap_or(1).max(1);
        let runs = groups.into_values().map(|group| async move {
            let mut runs = 0;
            for happened in group {
                self.run_change(worker, &happened, pauses).await?;
                runs += 1;
            }
            Ok::<u64, Failure>(runs)
        });
        let mut runs = stream::iter(runs).buffer_unordered(most);
        let mut all = 0;
        while let Some(ran) = runs.next().await {
            all += ran?;
        }
        Ok(all)
    }

    /// Runs one change, several times if it fails, then puts it aside.
    async fn run_change(&self, worker: WorkerId, happened: &Happened, pauses: bool) -> Result<(), Failure> {
        let Happened { image, at, at_ms, .. } = happened;
        let declared = &self.runtime().program().workers[worker];
        let counts = self.counts(worker);
        let run = format!("{}-{at}", declared.name);
        let mut attempt = 0;
        loop {
            attempt += 1;
            let began_ms = self.runtime().now_ms();
            counts.begin(began_ms.saturating_sub(*at_ms));
            let ran = self.runtime().run_change(worker, image, &run).await;
            counts.end(self.runtime().now_ms().saturating_sub(began_ms));
            let failure = match ran {
                Ok(_) => {
                    Counts::add(&counts.done);
                    return Ok(());
                }
                Err(failure) => failure,
            };
            self.report(worker, &run, &failure);
            if attempt >= declared.attempts {
                Counts::add(&counts.dead);
                return letters::write(self.runtime(), worker, &run, &failure.message, image).await;
            }
            Counts::add(&counts.failed);
            if pauses {
                self.pause(Duration::from_millis(100 << attempt.min(6))).await;
            }
        }
    }
}

/// What a record says.
struct Happened {
    change: Change,
    /// The item as the change left it, or as it was.
    image: Item,
    /// Where in the stream.
    at: String,
    /// When, to the second, in milliseconds since 1970.
    at_ms: i64,
}

fn understood(record: Record) -> Option<Happened> {
    let is_expiry = record
        .user_identity
        .as_ref()
        .is_some_and(|who| who.principal_id.as_deref() == Some("dynamodb.amazonaws.com"));
    let at = sequence_number(&record)?;
    let content = record.dynamodb?;
    let at_ms = content.approximate_creation_date_time.map_or(0, |time| time.millis);
    let (change, image) = match record.event_name? {
        OperationType::Insert => (Change::Create, content.new_image),
        OperationType::Modify => (Change::Update, content.new_image),
        OperationType::Remove if is_expiry => (Change::Expire, content.old_image),
        OperationType::Remove => (Change::Delete, content.old_image),
        OperationType::Unknown(_) => return None,
    };
    Some(Happened { change, image: image?, at, at_ms })
}

fn sequence_number(record: &Record) -> Option<String> {
    record.dynamodb.as_ref()?.sequence_number.clone()
}

fn positions(note: &Item) -> BTreeMap<String, String> {
    let Some(AttributeValue::M(map)) = note.get("at").map(|value| value.to_owned()) else {
        return BTreeMap::new();
    };
    let text = |value: &AttributeValue| match value {
        AttributeValue::S(text) => Some(text.clone()),
        _ => None,
    };
    map.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}

fn stored(positions: &BTreeMap<String, String>) -> AttributeValue {
    let map: Map =
        positions.iter().map(|(id, place)| (id.clone(), AttributeValue::S(place.clone()))).collect();
    AttributeValue::M(map)
}

fn is_forgotten(error: &ApiError) -> bool {
    matches!(error.kind, ErrorKind::TrimmedDataAccessException | ErrorKind::ExpiredIteratorException)
}

fn unavailable(error: ApiError) -> Failure {
    Failure::new(FailureKind::Unavailable, error.message)
}
