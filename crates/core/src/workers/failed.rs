//! Runs that failed: tried again later, and kept as letters for people when they were tried often enough.

use sortkey_design::program::WorkerId;
use sortkey_value::{AttributeValue, Item};

use super::{Claim, Due};
use crate::condition::Placeholders;
use crate::fence::{DEAD, TRIES};
use crate::{Failure, Runtime};

/// The longest pause after a failed run.
const MAX_BACKOFF_MS: i64 = 300_000;

/// The kind of the notes of runs that were given up.
pub const LETTERS: &str = "dead";

impl Runtime {
    /// The id of a run of an item that is due: the same for every attempt at the item while it is due at this time.
    pub fn run_of(&self, worker: WorkerId, due: &Due) -> String {
        // FNV-1a: a short name of the key.
        let digest = due.key.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{}-{digest:016x}-{}", self.program().workers[worker].name, due.since_ms)
    }

    /// Tries a failed run again later, or puts it aside after the last attempt. Whether it was the last.
    pub async fn fail(
        &self,
        worker: WorkerId,
        key: &Item,
        claim: &Claim,
        run: &str,
        failure: &Failure,
    ) -> Result<bool, Failure> {
        if claim.tries >= self.program().workers[worker].attempts {
            let is_own = self.bury(claim, &failure.message).await?;
            if is_own {
                self.put_aside(worker, run, &failure.message, key).await?;
            }
            return Ok(is_own);
        }
        let doubled = 1_000_i64.saturating_mul(1 << claim.tries.min(20));
        let retry_at = self.now_ms().saturating_add(doubled.min(MAX_BACKOFF_MS));
        self.give_back(claim, Some(retry_at)).await?;
        Ok(false)
    }

    /// Keeps a run that is given up as a letter for people: the key of an item that is due, or all of one that changed.
    pub async fn put_aside(
        &self,
        worker: WorkerId,
        run: &str,
        reason: &str,
        item: &Item,
    ) -> Result<(), Failure> {
        let Some(notes) = self.notes(worker, LETTERS) else { return Ok(()) };
        let members = item.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let says = vec![
            ("run", AttributeValue::S(run.to_owned())),
            ("reason", AttributeValue::S(reason.chars().take(2_000).collect())),
            ("at", AttributeValue::N(self.now_ms().into())),
            ("item", AttributeValue::M(sortkey_value::order::map(members))),
        ];
        notes.note(run).put(says).await
    }

    /// Puts an item back that no run was tried of any more.
    pub async fn revive(&self, worker: WorkerId, key: &Item) -> Result<bool, Failure> {
        let info = &self.shared().entities[self.entity_of(worker)?];
        let mut into = Placeholders::default();
        let [dead, tries] = [DEAD, TRIES].map(|name| into.name(name));
        let condition = format!("attribute_exists({dead})");
        let update = format!("REMOVE {dead}, {tries}");
        Ok(self.update(&info.table, key, update, condition, into, false).await?.is_some())
    }
}
