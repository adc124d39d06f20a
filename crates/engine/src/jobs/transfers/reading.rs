//! Reading the files of an import into its table.
//!
//! What is no item of the table is counted and left out: as on AWS, the import has failed then, but the table has all
//! other items. A file that cannot be read ends the import, and with it the table. An import that a restart interrupts
//! begins anew: putting an item twice is the same as once.

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_storage::{Batch, Key, Lock, Published};
use sortkey_value::Item;
use sortkey_value::limits::ITEM_SIZE_BYTES;

use super::bucket::Bucket;
use super::copying::{CHUNK_BYTES, CHUNK_ITEMS, put_items};
use super::import::Import;
use super::lines::{Line, Source};
use super::{Failure, STEPS_PER_REPORT, Status, Stop};
use crate::catalog::table::Table;
use crate::engine::Shared;
use crate::write::mutation::Mutation;
use crate::{catalog, layout};

/// Reads the files of an import into its table.
pub(super) fn run(shared: &Arc<Shared>, table: &Arc<Table>, label: &str) -> Result<(), ApiError> {
    let view = Arc::clone(&shared.committer.view());
    let Some(mut import) = catalog::entry::<Import>(&view, &layout::import(label))? else { return Ok(()) };
    drop(view);
    (import.imported, import.errors, import.size_bytes) = (0, 0, 0);
    let (outcome, status) = match read(shared, table, &mut import) {
        Ok(()) if import.errors == 0 => (Outcome::Filled, Status::Completed),
        Ok(()) => (Outcome::Filled, Status::Failed(Failure::invalid_items())),
        Err(Stop::Store(error)) => return Err(error),
        Err(Stop::Files(failure)) => (Outcome::Abandoned, Status::Failed(failure)),
    };
    import.status = status;
    finish(shared, table, import, outcome)
}

/// What becomes of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All files were read, so the table can be used.
    Filled,
    /// Files are missing or unreadable, so the table goes.
    Abandoned,
}

fn read(shared: &Arc<Shared>, table: &Arc<Table>, import: &mut Import) -> Result<(), Stop> {
    let bucket = Bucket::named(shared, &import.request.bucket).map_err(Failure::unreachable)?;
    if !bucket.is_there() {
        let message = format!("The specified bucket does not exist: {}", import.request.bucket);
        return Err(Failure::new("S3NoSuchBucket", message).into());
    }
    let files = bucket.files(import.request.prefix.as_deref().unwrap_or_default())?;
    // As on AWS, an empty bucket is imported as an empty table. A prefix that no file has is more likely a mistake.
    if files.is_empty() && !bucket.files("")?.is_empty() {
        let message = format!("no file in bucket {} has the prefix", import.request.bucket);
        return Err(Failure::new("S3NoSuchKey", message).into());
    }
    let mut target = Target { shared, table, items: BTreeMap::new(), bytes: 0, steps: 0 };
    for (key, path) in files {
        let unreadable =
            |error: std::io::Error| Stop::from(Failure::new("S3ReadFailed", format!("{key}: {error}")));
        let sealer = shared.settings.key_sealer.as_deref();
        let mut source = Source::open(&path, &key, sealer, &import.request, table).map_err(unreadable)?;
        while let Some(line) = source.next().map_err(unreadable)? {
            target.take(import, line)?;
        }
        import.size_bytes += source.bytes_read();
    }
    target.put(import)?;
    Ok(())
}

/// Collects items and writes them in batches.
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

/// Ends the import.
fn finish(
    shared: &Arc<Shared>,
    table: &Arc<Table>,
    mut import: Import,
    outcome: Outcome,
) -> Result<(), ApiError> {
    let key = layout::import(&import.label);
    let locks = vec![Lock::exclusive(key.clone()), Lock::exclusive(layout::table(&table.name))];
    let table = Arc::clone(table);
    let finish = move |shared: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if catalog::entry::<Import>(view, &key)?.is_none() {
            return Ok((batch, ()));
        }
        import.ended_ms = Some(shared.now_ms());
        batch.put(key, import.to_value());
        if let Some(found) = shared.catalog.find(view, &table.name)?.filter(|found| found.id == table.id) {
            let place = layout::table(&table.name);
            if outcome == Outcome::Filled {
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
