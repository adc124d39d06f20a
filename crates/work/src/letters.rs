//! Letters: runs that failed in all their attempts, kept so that a person can inspect them and try them again.

use sortkey_core::{Failure, FailureKind, LETTERS, Runtime};
use sortkey_design::program::WorkerId;
use sortkey_value::{AttributeValue, Item, ValueRef};

/// How many letters are listed at a time.
const MOST: u32 = 1_000;

/// A run that a worker gave up.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// The worker's name.
    pub worker: String,
    /// The run.
    pub run: String,
    /// Why it failed the last time.
    pub reason: String,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The item: its key if it is due, all of it if it changed.
    pub(crate) item: Item,
}

/// The letters of a worker.
pub(crate) async fn list(runtime: &Runtime, worker: WorkerId) -> Result<Vec<Letter>, Failure> {
    let Some(notes) = runtime.notes(worker, LETTERS) else { return Ok(Vec::new()) };
    let name = &runtime.program().workers[worker].name;
    Ok(notes.list(MOST).await?.iter().filter_map(|item| letter(name, item)).collect())
}

/// The letter of a run.
pub(crate) async fn find(runtime: &Runtime, worker: WorkerId, run: &str) -> Result<Letter, Failure> {
    let missing = || Failure::new(FailureKind::NotFound, format!("there is no letter of the run `{run}`"));
    let notes = runtime.notes(worker, LETTERS).ok_or_else(missing)?;
    let item = notes.note(run).get().await?.ok_or_else(missing)?;
    letter(&runtime.program().workers[worker].name, &item).ok_or_else(missing)
}

/// Removes the letter of a run.
pub(crate) async fn remove(runtime: &Runtime, worker: WorkerId, run: &str) -> Result<(), Failure> {
    match runtime.notes(worker, LETTERS) {
        Some(notes) => notes.note(run).remove().await,
        None => Ok(()),
    }
}

fn letter(worker: &str, note: &Item) -> Option<Letter> {
    let text = |name: &str| match note.get(name) {
        Some(ValueRef::S(text)) => Some(text.to_owned()),
        _ => None,
    };
    let at_ms = match note.get("at") {
        Some(ValueRef::N(number)) => number.to_i64().unwrap_or(0),
        _ => 0,
    };
    let AttributeValue::M(item) = note.get("item")?.to_owned() else { return None };
    Some(Letter {
        worker: worker.to_owned(),
        run: text("run")?,
        reason: text("reason")?,
        at_ms,
        item: item.into(),
    })
}
