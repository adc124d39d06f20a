//! Checks the whole contents of a store for consistency.
//!
//! Reading alone finds the damage that the store itself detects, such as wrong checksums. Beyond that: every item is
//! stored under its own key, every index has an entry for each of its items and no other, totals match the entries
//! they count, items that expire have an entry under their second, the records of a stream follow from one another
//! and end with the current items, history and streams agree, backups have as many items as their descriptors claim,
//! and every token has an expiry entry. Nothing is changed. One snapshot is read, so a database may go on writing
//! meanwhile.

mod backup;
mod history;
mod stream;
mod table;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use sortkey_storage::{Key, Order, Published, Stamp, Store, Value};

use crate::engine::Engine;
use crate::jobs::transfers::export::Export;
use crate::jobs::transfers::import::Import;
use crate::write::token;
use crate::{catalog, layout};

/// The result of a verification: counts and problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The counts of every table, by name.
    pub tables: Vec<TableReport>,
    /// The first thousand problems, each with its place.
    pub problems: Vec<Problem>,
    /// How many problems there are.
    pub problem_count: usize,
}

/// The counts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableReport {
    /// The table.
    pub name: String,
    /// Its items.
    pub items: u64,
    /// The entries of all its indexes.
    pub index_entries: u64,
    /// The records of its stream, if it has one.
    pub stream_records: u64,
    /// The changes in its history, if continuous backups keep one.
    pub changes: u64,
}

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The table that it concerns, if that is known.
    pub table: Option<String>,
    /// The key in the store, in hexadecimal digits.
    pub key: String,
    /// The problem.
    pub what: String,
}

impl Report {
    /// Whether everything fits.
    pub fn is_sound(&self) -> bool {
        self.problem_count == 0
    }

    fn add(&mut self, table: Option<&str>, key: &[u8], what: impl Into<String>) {
        const KEPT: usize = 1_000;
        self.problem_count += 1;
        if self.problems.len() < KEPT {
            let table = table.map(str::to_owned);
            self.problems.push(Problem { table, key: hex(key), what: what.into() });
        }
    }
}

impl fmt::Display for TableReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}: {} items, {} index entries, {} stream records, {} changes in its history",
            self.name, self.items, self.index_entries, self.stream_records, self.changes
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.table {
            Some(table) => write!(formatter, "table {table}, key {}: {}", self.key, self.what),
            None => write!(formatter, "key {}: {}", self.key, self.what),
        }
    }
}

/// Looks at everything. It takes about as long as reading all of it twice.
pub fn verify(store: &dyn Store) -> Report {
    verify_watched(store, &|_| {})
}

/// Like [`verify`], but calls `watch` from time to time with the number of entries read.
pub fn verify_watched(store: &dyn Store, watch: &dyn Fn(u64)) -> Report {
    let (version, time_ms) = store.last_commit();
    let stamp = Stamp { version, time_ms };
    let view = Published { snapshot: store.snapshot(), stamp, schema: version };
    verify_view(&view, watch)
}

impl Engine {
    /// Looks at everything that is visible now. The database goes on while that lasts.
    pub fn verify(&self) -> Report {
        let view = Arc::clone(&self.shared.committer.view());
        verify_view(&view, &|_| {})
    }
}

fn verify_view(view: &Published, watch: &dyn Fn(u64)) -> Report {
    let mut verifier = Verifier { view, report: Report::default(), seen: 0, watch };
    let mut ids = BTreeSet::new();
    for table in catalog::tables(view) {
        match table {
            Ok(table) => {
                ids.insert(table.id);
                table::verify(&mut verifier, &table);
                history::verify(&mut verifier, &table);
            }
            Err(error) => verifier.report.add(None, layout::TABLES, format!("a table descriptor: {error}")),
        }
    }
    for backup in catalog::backups(view) {
        match backup {
            Ok(backup) => {
                ids.insert(backup.id);
                backup::verify(&mut verifier, &backup);
            }
            Err(error) => {
                verifier.report.add(None, layout::BACKUPS, format!("a backup's descriptor: {error}"))
            }
        }
    }
    for error in catalog::entries::<Export>(view, layout::EXPORTS).filter_map(Result::err) {
        verifier.report.add(None, layout::EXPORTS, format!("an export's descriptor: {error}"));
    }
    for error in catalog::entries::<Import>(view, layout::IMPORTS).filter_map(Result::err) {
        verifier.report.add(None, layout::IMPORTS, format!("an import's descriptor: {error}"));
    }
    for stream in catalog::streams(view) {
        match stream {
            Ok(stream) => stream::verify(&mut verifier, &stream),
            Err(error) => verifier.report.add(None, layout::STREAMS, format!("a stream descriptor: {error}")),
        }
    }
    verifier.leftovers(&ids);
    verifier.tokens();
    verifier.report
}

/// A state of the store, and what was found in it.
struct Verifier<'a> {
    view: &'a Published,
    report: Report,
    seen: u64,
    watch: &'a dyn Fn(u64),
}

impl Verifier<'_> {
    /// Looks at all entries of a range, up to the first that cannot be read.
    fn each(
        &mut self,
        table: Option<&str>,
        (low, high): (Bound<Vec<u8>>, Bound<Vec<u8>>),
        mut look: impl FnMut(&mut Self, Key, Value),
    ) {
        let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
        const WATCHED_EVERY: u64 = 1_000;
        let mut last = Key::from([]);
        for entry in self.view.snapshot.range(low, high, Order::Ascending) {
            match entry {
                Ok((key, value)) => {
                    self.seen += 1;
                    if self.seen.is_multiple_of(WATCHED_EVERY) {
                        (self.watch)(self.seen);
                    }
                    last = Key::clone(&key);
                    look(self, key, value);
                }
                Err(error) => {
                    self.report.add(table, &last, format!("reading behind it failed: {error}"));
                    return;
                }
            }
        }
    }

    /// A value; one that cannot be read is reported and looks absent.
    fn get(&mut self, table: Option<&str>, key: &[u8]) -> Option<Value> {
        self.view.snapshot.get(key).unwrap_or_else(|error| {
            self.report.add(table, key, error.to_string());
            None
        })
    }

    /// An entry without a table must belong to one that is being removed.
    fn leftovers(&mut self, tables: &BTreeSet<u32>) {
        let mut known = tables.clone();
        self.each(None, layout::starting_with(layout::DROPPED_TABLES), |_, mark, _| {
            known.extend(layout::dropped_ids(&mark).map(|(table, _)| table));
        });
        let spaces = [
            layout::items(0),
            layout::all_index_entries(0),
            layout::expiries(0),
            layout::all_totals(0),
            layout::history_log(0),
            layout::history(0),
        ];
        for space in spaces.map(|space| space[0]) {
            // One look per table: the next one starts behind all keys of the one before.
            let (mut low, high) = layout::starting_with(&[space]);
            while let Some(key) = self.first_key(low, high.clone()) {
                let Some(id) = key.get(1..5).and_then(|id| id.try_into().ok()).map(u32::from_be_bytes) else {
                    self.report.add(None, &key, "belongs to no table");
                    break;
                };
                if !known.contains(&id) {
                    self.report.add(None, &key, format!("belongs to table {id}, which does not exist"));
                }
                let Some(next) = id.checked_add(1) else { break };
                low = Bound::Included([&[space], next.to_be_bytes().as_slice()].concat());
            }
        }
    }

    fn first_key(&mut self, low: Bound<Vec<u8>>, high: Bound<Vec<u8>>) -> Option<Key> {
        let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
        match self.view.snapshot.range(low, high, Order::Ascending).next()? {
            Ok((key, _)) => Some(key),
            Err(error) => {
                self.report.add(None, &[], error.to_string());
                None
            }
        }
    }

    /// A token that no expiry entry names would never be forgotten.
    fn tokens(&mut self) {
        self.each(
            None,
            layout::starting_with(layout::TOKENS),
            |verifier, key, value| match token::expiry_key(&key, &value) {
                None => verifier.report.add(None, &key, "the token cannot be read"),
                Some(expiry) if verifier.get(None, &expiry).is_none() => {
                    verifier.report.add(None, &key, "the token will never be forgotten");
                }
                Some(_) => {}
            },
        );
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
