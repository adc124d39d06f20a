//! Imports: a new table, made of files.
//!
//! A line that is no item of the table is counted and left out; a file that cannot be read ends the import, and with it the
//! table. An import that a restart interrupts begins anew: putting an item twice is the same as once.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sortkey_api::shapes::transfer::{
    CsvOptions, ImportStatus, ImportSummary, ImportTableDescription, InputCompressionType, InputFormat,
    InputFormatOptions, S3BucketSource,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Batch, Clock, Key, Lock, Published, Value};
use sortkey_value::Item;
use sortkey_value::limits::ITEM_SIZE_BYTES;

use super::bucket::Bucket;
use super::lines::{Line, Source};
use super::{CHUNK_BYTES, CHUNK_ITEMS, Failure, Status, Stop, put_items};
use crate::describe::timestamp;
use crate::engine::Shared;
use crate::mutation::Mutation;
use crate::table::Table;
use crate::{catalog, layout, text};

/// Steps after which those who ask are told how far it is.
const STEPS_PER_REPORT: usize = 16;

/// An import's descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Import {
    /// The end of its ARN.
    pub(crate) label: String,
    pub(crate) table_name: Arc<str>,
    pub(crate) table_uuid: String,
    pub(crate) request: Request,
    pub(crate) started_ms: u64,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) status: Status,
    pub(crate) imported: i64,
    pub(crate) errors: i64,
    pub(crate) size_bytes: i64,
}

/// What was asked for; a token stands for one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) token: Option<String>,
    pub(crate) bucket: String,
    pub(crate) bucket_owner: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) format: Format,
    pub(crate) compression: Compression,
    /// The declaration of the table, as it was sent.
    pub(crate) table: String,
}

/// How items are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    DynamodbJson,
    Csv { delimiter: Option<char>, header: Option<Vec<String>> },
}

/// How files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Import {
    /// The import that an ARN names.
    pub(crate) fn find(shared: &Shared, view: &Published, arn: &str) -> Result<Import, ApiError> {
        let label = arn.rsplit_once("/import/").map_or("", |(_, label)| label);
        let found = catalog::entry::<Import>(view, &layout::import(label))?;
        found.filter(|import| import.arn(shared) == arn).ok_or_else(|| {
            ApiError::new(ErrorKind::ImportNotFoundException, format!("Import not found: {arn}"))
        })
    }

    pub(crate) fn arn(&self, shared: &Shared) -> String {
        format!("{}/import/{}", shared.table_arn(&self.table_name), self.label)
    }

    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_vec(self).expect("a descriptor has only string keys").into()
    }

    pub(crate) fn summary(&self, shared: &Shared) -> ImportSummary {
        ImportSummary {
            import_arn: Some(self.arn(shared)),
            import_status: Some(self.shown_status()),
            table_arn: Some(shared.table_arn(&self.table_name)),
            s3_bucket_source: Some(self.request.source()),
            input_format: Some(self.request.shown_format()),
            start_time: Some(timestamp(self.started_ms)),
            end_time: self.ended_ms.map(timestamp),
        }
    }

    pub(crate) fn description(&self, shared: &Shared) -> ImportTableDescription {
        let failure = match &self.status {
            Status::Failed(failure) => Some(failure.clone()),
            _ => None,
        };
        let parameters = sortkey_api::decode(self.request.table.as_bytes());
        ImportTableDescription {
            import_arn: Some(self.arn(shared)),
            import_status: Some(self.shown_status()),
            table_arn: Some(shared.table_arn(&self.table_name)),
            table_id: Some(self.table_uuid.clone()),
            client_token: self.request.token.clone(),
            s3_bucket_source: Some(self.request.source()),
            error_count: Some(self.errors),
            input_format: Some(self.request.shown_format()),
            input_format_options: self.request.shown_options(),
            input_compression_type: Some(self.request.shown_compression()),
            // It was read before, when the import began.
            table_creation_parameters: parameters.ok(),
            start_time: Some(timestamp(self.started_ms)),
            end_time: self.ended_ms.map(timestamp),
            processed_size_bytes: Some(self.size_bytes),
            processed_item_count: Some(self.imported + self.errors),
            imported_item_count: Some(self.imported),
            failure_code: failure.as_ref().map(|failure| failure.code.clone()),
            failure_message: failure.map(|failure| failure.message),
        }
    }

    fn shown_status(&self) -> ImportStatus {
        match self.status {
            Status::InProgress => ImportStatus::InProgress,
            Status::Completed => ImportStatus::Completed,
            Status::Failed(_) => ImportStatus::Failed,
        }
    }
}

impl Request {
    fn source(&self) -> S3BucketSource {
        S3BucketSource {
            s3_bucket_owner: self.bucket_owner.clone(),
            s3_bucket: self.bucket.clone(),
            s3_key_prefix: self.prefix.clone(),
        }
    }

    fn shown_format(&self) -> InputFormat {
        match self.format {
            Format::DynamodbJson => InputFormat::DynamodbJson,
            Format::Csv { .. } => InputFormat::Csv,
        }
    }

    fn shown_options(&self) -> Option<InputFormatOptions> {
        let Format::Csv { delimiter, header } = &self.format else { return None };
        let delimiter = delimiter.map(String::from);
        (delimiter.is_some() || header.is_some())
            .then(|| InputFormatOptions { csv: Some(CsvOptions { delimiter, header_list: header.clone() }) })
    }

    fn shown_compression(&self) -> InputCompressionType {
        match self.compression {
            Compression::None => InputCompressionType::None,
            Compression::Gzip => InputCompressionType::Gzip,
            Compression::Zstd => InputCompressionType::Zstd,
        }
    }
}

/// Reads the files of an import into its table.
pub(super) fn run(shared: &Arc<Shared>, table: &Arc<Table>, label: &str) -> Result<(), ApiError> {
    let view = Arc::clone(&shared.committer.view());
    let Some(mut import) = catalog::entry::<Import>(&view, &layout::import(label))? else { return Ok(()) };
    drop(view);
    (import.imported, import.errors, import.size_bytes) = (0, 0, 0);
    import.status = match read(shared, table, &mut import) {
        Ok(()) => Status::Completed,
        Err(Stop::Store(error)) => return Err(error),
        Err(Stop::Files(failure)) => Status::Failed(failure),
    };
    finish(shared, table, import)
}

fn read(shared: &Arc<Shared>, table: &Arc<Table>, import: &mut Import) -> Result<(), Stop> {
    let bucket = Bucket::named(shared, &import.request.bucket).map_err(Failure::unreachable)?;
    if !bucket.is_there() {
        let message = format!("there is no bucket {}", import.request.bucket);
        return Err(Failure::new("S3NoSuchBucket", message).into());
    }
    let files = bucket.files(import.request.prefix.as_deref().unwrap_or_default())?;
    if files.is_empty() {
        let message = format!("no file in bucket {} has the prefix", import.request.bucket);
        return Err(Failure::new("S3NoSuchKey", message).into());
    }
    let mut target = Target { shared, table, items: BTreeMap::new(), bytes: 0, steps: 0 };
    for (key, path) in files {
        let unreadable =
            |error: std::io::Error| Stop::from(Failure::new("S3ReadFailed", format!("{key}: {error}")));
        let mut source = Source::open(&path, &import.request, table).map_err(unreadable)?;
        while let Some(line) = source.next().map_err(unreadable)? {
            target.take(import, line)?;
        }
        import.size_bytes += source.bytes_read();
    }
    target.put(import)?;
    Ok(())
}

/// Where items go, some at a time.
struct Target<'a> {
    shared: &'a Arc<Shared>,
    table: &'a Arc<Table>,
    /// By key: the later of two items with one key stays.
    items: BTreeMap<Key, Item>,
    bytes: usize,
    steps: usize,
}

impl Target<'_> {
    fn take(&mut self, import: &mut Import, line: Line) -> Result<(), Stop> {
        let Some((key, item)) = line.ok().and_then(|item| self.placed(item)) else {
            import.errors += 1;
            return Ok(());
        };
        import.imported += 1;
        self.bytes += item.as_bytes().len();
        self.items.insert(key, item);
        if self.items.len() < CHUNK_ITEMS && self.bytes < CHUNK_BYTES {
            return Ok(());
        }
        self.put(import)?;
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_REPORT) {
            report(self.shared, import)?;
        }
        Ok(())
    }

    /// An item that PutItem would take, and its place.
    fn placed(&self, item: Item) -> Option<(Key, Item)> {
        let mutation = Mutation::put(self.table, &item, None).ok()?;
        (item.size_bytes() <= ITEM_SIZE_BYTES).then_some((mutation.key, item))
    }

    fn put(&mut self, import: &Import) -> Result<(), Stop> {
        self.bytes = 0;
        let items = std::mem::take(&mut self.items).into_values().collect();
        if put_items(self.shared, self.table, items)? {
            return Ok(());
        }
        Err(Failure::new("TableDeleted", format!("table {} is gone", import.table_name)).into())
    }
}

/// Lets those who ask see how far it is.
fn report(shared: &Arc<Shared>, import: &Import) -> Result<(), ApiError> {
    let (key, value) = (layout::import(&import.label), import.to_value());
    let report = move |_: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if catalog::entry::<Import>(view, &key)?.is_some() {
            batch.put(key, value);
        }
        Ok((batch, ()))
    };
    shared.write(vec![Lock::exclusive(layout::import(&import.label))], report).wait()
}

/// The table can be used, or it goes.
fn finish(shared: &Arc<Shared>, table: &Arc<Table>, mut import: Import) -> Result<(), ApiError> {
    let key = layout::import(&import.label);
    let locks = vec![Lock::exclusive(key.clone()), Lock::exclusive(layout::table(&table.name))];
    let table = Arc::clone(table);
    let finish = move |shared: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if catalog::entry::<Import>(view, &key)?.is_none() {
            return Ok((batch, ()));
        }
        import.ended_ms = Some(shared.clock.now_ms());
        batch.put(key, import.to_value());
        if let Some(found) = shared.catalog.find(view, &table.name)?.filter(|found| found.id == table.id) {
            let place = layout::table(&table.name);
            if import.status == Status::Completed {
                batch.put(place, Table { filling: None, ..Table::clone(&found) }.to_value());
            } else {
                batch.delete(place);
                batch.put(layout::dropped(table.id), Key::from([]));
            }
            batch.changes_schema();
        }
        Ok((batch, ()))
    };
    shared.write(locks, finish).wait()?;
    shared.wake_background();
    Ok(())
}

/// The format that a request names, with its options.
pub(crate) fn format(asked: &InputFormat, options: Option<&InputFormatOptions>) -> Result<Format, ApiError> {
    let csv = options.and_then(|options| options.csv.as_ref());
    match asked {
        InputFormat::Ion => Err(text::unsupported_parameter("InputFormat ION")),
        InputFormat::Csv => {
            let delimiter = csv.and_then(|csv| csv.delimiter.as_deref()).and_then(|text| text.chars().next());
            if delimiter.is_some_and(|delimiter| !matches!(delimiter, ',' | ';' | ':' | '|' | '\t' | ' ')) {
                return Err(ApiError::invalid_parameter("Delimiter must be one of , ; : | tab and space"));
            }
            Ok(Format::Csv { delimiter, header: csv.and_then(|csv| csv.header_list.clone()) })
        }
        _ if csv.is_some() => {
            Err(ApiError::invalid_parameter("Csv options can be given with InputFormat CSV only"))
        }
        _ => Ok(Format::DynamodbJson),
    }
}

/// The compression that a request names.
pub(crate) fn compression(asked: Option<&InputCompressionType>) -> Compression {
    match asked {
        Some(InputCompressionType::Gzip) => Compression::Gzip,
        Some(InputCompressionType::Zstd) => Compression::Zstd,
        _ => Compression::None,
    }
}
