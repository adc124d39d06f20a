//! Turns of workers for the host of a task: a function that is called with records of a stream, or by a schedule.
//!
//! The host decides when a worker has a turn. A turn is a task like a call: it claims, runs and gives back as the processes of
//! `sortkey work` do, so both can work side by side on what is due.

use serde_json::{Value as Json, json};
use sortkey_api::operations::GetItemInput;
use sortkey_design::model::Change;
use sortkey_design::program::{Schedule, Trigger, WorkerId};
use sortkey_value::{AttributeValue, Item, ValueRef};

use super::{Due, Ran, Which};
use crate::{Failure, FailureKind, Runtime};

/// One turn of a worker.
#[derive(Clone, Debug)]
pub enum Turn {
    /// A change of an item, from a stream: the run if it starts one.
    Change {
        /// The deployed name of the table.
        table: String,
        /// The change.
        change: Change,
        /// The item as the change left it, or as it was.
        image: Item,
        /// The position in the stream.
        at: String,
    },
    /// A page of the items that are due.
    Due {
        /// The cursor of the page.
        cursor: Option<String>,
    },
    /// A run of an item that is due.
    One(Due),
    /// A run of the slot of a schedule that a moment belongs to.
    Slot {
        /// The moment, in milliseconds since 1970.
        at_ms: i64,
    },
}

impl Runtime {
    /// The worker of a name.
    pub(crate) fn worker_named(&self, name: &str) -> Result<WorkerId, Failure> {
        let mut workers = self.program().workers.entries();
        let found = workers.find(|(_, worker)| *worker.name == *name).map(|(id, _)| id);
        found.ok_or_else(|| Failure::new(FailureKind::Invalid, format!("there is no worker `{name}`")))
    }

    /// A turn of a worker, and what came of it.
    pub(crate) async fn turn(&self, worker: WorkerId, turn: Turn) -> Result<Json, Failure> {
        match turn {
            Turn::Change { table, change, image, at } => {
                let is_of_table = self.table_of(worker).is_some_and(|own| own.name() == table);
                if !is_of_table || !self.is_started_by(worker, change, &image)? {
                    return Ok(ran("not", None));
                }
                let run = format!("{}-{at}", self.program().workers[worker].name);
                self.run_change(worker, &image, &run).await.map(done)
            }
            Turn::Due { cursor } => {
                let page = self.due(worker, Which::Oldest, cursor.as_deref()).await?;
                let items: Vec<Json> = page.items.into_iter().map(due).collect();
                Ok(json!({ "items": items, "cursor": page.cursor }))
            }
            Turn::One(due) => self.one_turn(worker, &due).await,
            Turn::Slot { at_ms } => self.slot_turn(worker, at_ms).await,
        }
    }

    async fn one_turn(&self, worker: WorkerId, due: &Due) -> Result<Json, Failure> {
        let Some(claim) = self.claim(worker, &due.key, None).await? else { return Ok(ran("not", None)) };
        let run = self.run_of(worker, due);
        let failure = match self.run_due(worker, &claim, &run).await {
            Ok(Ran::Unchanged) => Failure::new(FailureKind::Internal, super::UNCHANGED),
            Ok(outcome) => return Ok(done(outcome)),
            Err(failure) => failure,
        };
        let is_dead = self.fail(worker, &due.key, &claim, &run, &failure).await?;
        Ok(ran(if is_dead { "dead" } else { "failed" }, Some(&failure.message)))
    }

    /// Runs a slot unless it ran. If its run fails it stays open, until the lease of the note ends.
    async fn slot_turn(&self, worker: WorkerId, at_ms: i64) -> Result<Json, Failure> {
        let Trigger::Every(schedule) = &self.program().workers[worker].trigger else {
            return Err(Failure::new(FailureKind::Invalid, "this worker has no schedule"));
        };
        let interval = match schedule {
            Schedule::Interval(interval) => i64::try_from(*interval).unwrap_or(i64::MAX).max(1),
            // The caller decides which minute is one of the schedule's.
            Schedule::Cron { .. } => 60_000,
        };
        let slot_ms = at_ms.div_euclid(interval) * interval;
        let notes = self.notes(worker, "every").ok_or_else(|| Failure::internal(super::NO_NOTES))?;
        let (note, token) = (notes.note(""), self.lease_token()?);
        let lease_ms = i64::try_from(self.program().workers[worker].lease_ms).unwrap_or(i64::MAX);
        let until_ms = self.now_ms().saturating_add(lease_ms);
        let Some(item) = note.hold(&token, until_ms).await? else { return Ok(ran("not", None)) };
        let last = match item.get("done") {
            Some(ValueRef::N(number)) => number.to_i64(),
            _ => None,
        };
        if last.is_some_and(|last| last >= slot_ms) {
            note.keep(&token, None, Vec::new()).await?;
            return Ok(ran("not", None));
        }
        let run = format!("{}-{slot_ms}", self.program().workers[worker].name);
        let outcome = self.run_slot(worker, &run).await?;
        note.keep(&token, None, vec![("done", AttributeValue::N(slot_ms.into()))]).await?;
        Ok(done(outcome))
    }
}

fn done(outcome: Ran) -> Json {
    match outcome {
        Ran::Done | Ran::Unchanged => ran("done", None),
        Ran::Unanswered => ran("unanswered", None),
        Ran::Handled(message) => ran("handled", Some(&message)),
    }
}

fn ran(what: &str, message: Option<&str>) -> Json {
    json!({ "ran": what, "message": message })
}

/// An item that is due as its host gets it, and sends it back.
fn due(due: Due) -> Json {
    let mut key = Vec::new();
    // A request that every core can write: it has no numbers but those of items.
    sortkey_api::encode(&GetItemInput { key: due.key.into(), ..GetItemInput::default() }, &mut key);
    let key: Json = serde_json::from_slice(&key).unwrap_or_default();
    json!({ "key": key["Key"], "share": due.share, "sinceMs": due.since_ms })
}
