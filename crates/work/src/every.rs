//! Schedules: each slot runs once, whatever the number of processes. A slot that was missed runs once, late.

use sortkey_core::{Failure, FailureKind, NO_NOTES};
use sortkey_design::program::{Schedule, WorkerId};
use sortkey_functions::cron::{Cron, Zone};
use sortkey_value::{AttributeValue, ValueRef};

use crate::status::Counts;
use crate::work::Work;

impl Work {
    /// Runs the last past slot of a schedule, unless it ran. Returns whether it ran now.
    pub(crate) async fn slot(&self, worker: WorkerId, schedule: &Schedule) -> Result<bool, Failure> {
        let runtime = self.runtime();
        let now_ms = runtime.now_ms();
        let Some(notes) = runtime.notes(worker, "every") else {
            return Err(Failure::new(FailureKind::Internal, NO_NOTES));
        };
        let (note, token) = (notes.note(""), runtime.lease_token()?);
        let lease_ms = self.lease_ms(worker);
        let Some(slot_ms) = last_slot(schedule, now_ms, self.slots_from(worker))? else { return Ok(false) };
        if self.ran_slot(worker) == Some(slot_ms) {
            return Ok(false);
        }
        let Some(item) = note.hold(&token, now_ms.saturating_add(lease_ms)).await? else { return Ok(false) };
        let done = match item.get("done") {
            Some(ValueRef::N(number)) => number.to_i64(),
            _ => None,
        };
        if done.is_some_and(|done| done >= slot_ms) {
            self.remember_slot(worker, slot_ms);
            note.keep(&token, None, Vec::new()).await?;
            return Ok(false);
        }
        let counts = self.counts(worker);
        let run = format!("{}-{slot_ms}", runtime.program().workers[worker].name);
        match runtime.run_slot(worker, &run).await {
            Ok(_) => {
                Counts::add(&counts.done);
                note.keep(&token, None, vec![("done", AttributeValue::N(slot_ms.into()))]).await?;
                self.remember_slot(worker, slot_ms);
                Ok(true)
            }
            Err(failure) => {
                Counts::add(&counts.failed);
                self.report(worker, &run, &failure);
                // The slot stays open. It is tried again when the lease ends, which spaces the attempts.
                Ok(false)
            }
        }
    }
}

/// The last moment of a schedule that is not after `now`. An interval begins with 1970, so that all processes agree.
fn last_slot(schedule: &Schedule, now_ms: i64, from_ms: i64) -> Result<Option<i64>, Failure> {
    match schedule {
        Schedule::Interval(interval) => {
            let interval = i64::try_from(*interval).unwrap_or(i64::MAX).max(1);
            Ok(Some(now_ms.div_euclid(interval) * interval))
        }
        Schedule::Cron { text, zone } => {
            let invalid = |error: String| Failure::new(FailureKind::Internal, error);
            let cron = Cron::parse(text).map_err(|error| invalid(error.to_string()))?;
            let zone =
                Zone::parse(zone.as_deref().unwrap_or("UTC")).map_err(|error| invalid(error.to_string()))?;
            // A cron expression only yields the next slot: step through them from the last known one.
            let mut at = from_ms.div_euclid(1_000);
            let mut found = None;
            while let Some(next) = cron.next(at, &zone) {
                if next > now_ms.div_euclid(1_000) {
                    break;
                }
                found = Some(next * 1_000);
                at = next;
            }
            Ok(found)
        }
    }
}
