//! The walk that rewrites items, concurrently with writers.
//!
//! Its place is kept in the table's record after every page, with a lease that every page renews; a deployment that finds the
//! lease expired continues from the place. Two deployments that both walk do no harm, since each write happens only if the
//! item is what was read, and both compute the same form; the lease saves work.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use futures_util::future::join_all;
use sortkey_api::operations::ScanInput;
use sortkey_core::internals::Session;
use sortkey_core::{Failure, FailureKind};
use sortkey_value::{Item, Map};

use super::entity::Entities;
use super::item::{ATTEMPTS, Rewritten};
use super::turning::{Rest, Turned};
use crate::apply::{Pause, Step};
use crate::record::{Pending, Record, Records, Version};

/// For how long a walk is not taken over after a page: longer than a page takes, shorter than a person waits.
const LEASE_MS: u64 = 15_000;
/// Between two looks at a walk that another deployment holds.
const LOOK: Duration = Duration::from_secs(1);
/// How often such a walk is looked at while it makes no progress: clocks may differ.
const LOOKS: usize = 40;
/// How many items are written at once.
const TOGETHER: usize = 32;

/// A walk for one version through one table.
pub(super) struct Walk<'a> {
    pub(super) entities: &'a Entities<'a>,
    pub(super) records: Records<'a>,
    pub(super) version: &'a Version,
    /// The deployment that walks.
    pub(super) holder: &'a str,
    /// How many items the table had when they were looked at.
    pub(super) items: i64,
    /// Learns what is still to be rewritten.
    pub(super) turned: &'a Turned,
}

impl Walk<'_> {
    /// Takes the walk, unless another deployment has it: then the record shows its place. From then on, processes of the
    /// version before notice that they are superseded.
    pub(super) async fn take(&self, mut record: Record) -> Result<Record, Failure> {
        let session = self.entities.runtime.session();
        self.records.keep(&session, self.version).await?;
        let before = record.version.clone();
        for _ in 0..LOOKS {
            if record.version != before {
                break;
            }
            let is_other =
                record.pending.as_ref().is_some_and(|pending| pending.version != self.version.digest);
            if is_other {
                return Err(taken_over());
            }
            if self.is_held(&record) {
                return Ok(record);
            }
            let after = record.pending.as_ref().and_then(|pending| pending.after.clone());
            let mut own = self.held(&record, after);
            // A process that opened the table before has an older epoch.
            own.epoch += u64::from(record.pending.is_none());
            if self.records.write(&session, &record, &own).await? {
                return Ok(own);
            }
            record = self.reread().await?;
        }
        Err(Failure::new(
            FailureKind::Conflict,
            "another deployment has just changed this table: start again",
        ))
    }

    /// Forgets a walk that has not begun: nothing was rewritten.
    pub(super) async fn give_up(&self, record: &Record) -> Result<(), Failure> {
        let is_untouched = record.pending.as_ref().is_some_and(|pending| pending.after.is_none());
        if is_untouched && self.is_ours(record) {
            let session = self.entities.runtime.session();
            self.records.write(&session, record, &Record { pending: None, ..record.clone() }).await?;
        }
        Ok(())
    }

    /// Walks to the end, from the place where a walk for the same version stopped. Returns the record at the end.
    pub(super) async fn run(
        &self,
        record: Record,
        pause: &Pause<'_>,
        tell: &mut (dyn FnMut(Step) + Send),
    ) -> Result<Record, Failure> {
        let session = self.entities.runtime.session();
        let Some(mut record) = self.taken(record, pause).await? else {
            // Another deployment of this version has come to the end.
            self.turned.set(Rest::Nothing);
            return self.reread().await;
        };
        tell(Step::Begun);
        let mut seen = 0;
        loop {
            let after = record.pending.as_ref().and_then(|pending| pending.after.clone());
            self.turned.set(Rest::Behind(after.clone()));
            let (items, next) = self.page(&session, after).await?;
            for together in items.chunks(TOGETHER) {
                let writes = together.iter().map(|item| self.rewrite(&session, item));
                for outcome in join_all(writes).await {
                    outcome?;
                }
                let_others_work().await;
            }
            seen += i64::try_from(items.len()).unwrap_or(i64::MAX);
            tell(Step::Waiting { items: Some(seen), of: Some(self.items) });
            let Some(next) = next else {
                self.turned.set(Rest::Nothing);
                return Ok(record);
            };
            if let Some(pending) = &mut record.pending {
                pending.after = Some(next);
            }
            record = self.renewed(&session, record).await?;
        }
    }

    /// Renews the lease, or takes it from a deployment that has given it up. None if the items are rewritten by now.
    async fn taken(&self, mut record: Record, pause: &Pause<'_>) -> Result<Option<Record>, Failure> {
        let session = self.entities.runtime.session();
        let mut looks = 0;
        loop {
            let is_done = record.pending.is_none()
                && record.version.as_ref().is_some_and(|name| name.0 == self.version.digest);
            if is_done {
                return Ok(None);
            }
            if record.pending.as_ref().is_none_or(|pending| pending.version != self.version.digest) {
                return Err(taken_over());
            }
            if !self.is_held(&record) {
                let after = record.pending.as_ref().and_then(|pending| pending.after.clone());
                let own = self.held(&record, after);
                if self.records.write(&session, &record, &own).await? {
                    return Ok(Some(own));
                }
            } else {
                looks += 1;
                if looks > LOOKS {
                    return Err(taken_over());
                }
                pause(LOOK)
                    .await
                    .map_err(|error| Failure::new(FailureKind::Unavailable, error.to_string()))?;
            }
            let there = self.reread().await?;
            if there.pending != record.pending {
                looks = 0;
            }
            record = there;
            if let Some(pending) = &record.pending {
                self.turned.set(Rest::Behind(pending.after.clone()));
            }
        }
    }

    /// Whether another deployment has the walk.
    fn is_held(&self, record: &Record) -> bool {
        let now_ms = self.entities.runtime.shared().settings.clock.now_ms();
        record
            .pending
            .as_ref()
            .is_some_and(|pending| pending.until_ms > now_ms && pending.holder != self.holder)
    }

    fn is_ours(&self, record: &Record) -> bool {
        record.pending.as_ref().is_some_and(|pending| pending.holder == self.holder)
    }

    async fn reread(&self) -> Result<Record, Failure> {
        self.records.read().await.map_err(|error| {
            let message = format!("the record of the table cannot be read: {error:?}");
            Failure::new(FailureKind::Unavailable, message)
        })
    }

    /// Renews the lease.
    async fn renewed(&self, session: &Session<'_>, record: Record) -> Result<Record, Failure> {
        let after = record.pending.as_ref().and_then(|pending| pending.after.clone());
        let further = self.held(&record, after);
        match self.records.write(session, &record, &further).await? {
            true => Ok(further),
            false => Err(taken_over()),
        }
    }

    fn held(&self, record: &Record, after: Option<Map>) -> Record {
        let now_ms = self.entities.runtime.shared().settings.clock.now_ms();
        let pending = Pending {
            version: self.version.digest.clone(),
            after,
            holder: self.holder.to_owned(),
            until_ms: now_ms + LEASE_MS,
        };
        Record { pending: Some(pending), ..record.clone() }
    }

    async fn page(
        &self,
        session: &Session<'_>,
        after: Option<Map>,
    ) -> Result<(Vec<Item>, Option<Map>), Failure> {
        let page = session.scan(ScanInput {
            table_name: self.entities.first.table.clone(),
            exclusive_start_key: after.map(Into::into),
            consistent_read: Some(true),
            ..ScanInput::default()
        });
        let page = page.await?;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key.map(|key| key.to_map())))
    }

    /// Rewrites one item, again if it was changed concurrently.
    async fn rewrite(&self, session: &Session<'_>, item: &Item) -> Result<(), Failure> {
        let mut item = item.clone();
        for _ in 0..ATTEMPTS {
            match self.entities.rewrite(session, &item).await? {
                Rewritten::Done => return Ok(()),
                Rewritten::Changed(now) => item = now,
            }
            // A walk that was suspended while another version was deployed must not rewrite items back.
            let pending = self.reread().await?.pending;
            if pending.is_none_or(|pending| pending.version != self.version.digest) {
                return Err(taken_over());
            }
        }
        Err(self.entities.restless(&item))
    }
}

/// Gives the server of this task a turn: an engine in memory answers at once, so nothing else would wait.
async fn let_others_work() {
    let mut has_waited = false;
    poll_fn(|context| match std::mem::replace(&mut has_waited, true) {
        true => Poll::Ready(()),
        false => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

fn taken_over() -> Failure {
    let why = "another deployment rewrites the items of this table: start again when it is done";
    Failure::new(FailureKind::Conflict, why)
}
