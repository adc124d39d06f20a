//! The walk that rewrites items, concurrently with writers.
//!
//! Its place is kept in the table's record after every page, with a lease that every page renews; a deployment that finds the
//! lease expired continues from the place. Two deployments that both walk do no harm, since each write happens only if the
//! item is what was read, and both compute the same form; the lease saves work.

use futures_util::future::join_all;
use sortkey_api::operations::ScanInput;
use sortkey_value::{Item, Map};
use std::time::Duration;

use super::entity::{Entities, Entity};
use crate::apply::{Pause, Step};
use crate::record::{Pending, Record, Records, Version};
use sortkey_core::internals::{Session, apply, hex, replacing, target};
use sortkey_core::{Failure, FailureKind};

/// For how long a walk is not taken over after a page: longer than a page takes, shorter than a person waits.
const LEASE_MS: u64 = 15_000;
/// Between two looks at a walk that another deployment holds.
const LOOK: Duration = Duration::from_secs(1);
/// How often such a walk is looked at: clocks may differ.
const LOOKS: usize = 40;
/// How many items are written at once.
const TOGETHER: usize = 32;
/// How often an item is rewritten again because it was changed concurrently.
const ATTEMPTS: usize = 16;

/// A walk for one version through one table.
pub(super) struct Walk<'a> {
    pub(super) entities: &'a Entities<'a>,
    pub(super) records: Records<'a>,
    pub(super) version: &'a Version,
    /// How long processes of the old version may take to notice that they are superseded.
    pub(super) fence: Duration,
}

impl Walk<'_> {
    /// Walks to the end, from the place where a walk for the same version stopped. Returns the record at the end.
    pub(super) async fn run(
        &self,
        record: Record,
        pause: &Pause<'_>,
        tell: &mut (dyn FnMut(Step) + Send),
    ) -> Result<Record, Failure> {
        let session = self.entities.runtime.session();
        let holder = hex(&self.entities.runtime.shared().settings.ids.bytes::<8>());
        self.records.keep(&session, self.version).await?;
        let mut record = self.taken(&session, record, &holder, pause).await?;
        tell(Step::Begun);
        if !self.fence.is_zero() {
            pause(self.fence)
                .await
                .map_err(|error| Failure::new(FailureKind::Unavailable, error.to_string()))?;
            record = self.renewed(&session, record, &holder).await?;
        }
        let mut seen = 0;
        loop {
            let after = record.pending.as_ref().and_then(|pending| pending.after.clone());
            let (items, next) = self.page(&session, after).await?;
            for together in items.chunks(TOGETHER) {
                let writes = together.iter().map(|item| self.rewrite(&session, item));
                for outcome in join_all(writes).await {
                    outcome?;
                }
            }
            seen += i64::try_from(items.len()).unwrap_or(i64::MAX);
            tell(Step::Waiting { items: Some(seen) });
            let Some(next) = next else { return Ok(record) };
            if let Some(pending) = &mut record.pending {
                pending.after = Some(next);
            }
            record = self.renewed(&session, record, &holder).await?;
        }
    }

    /// Takes the walk, or waits until the deployment that has it is done or has given it up.
    async fn taken(
        &self,
        session: &Session<'_>,
        mut record: Record,
        holder: &str,
        pause: &Pause<'_>,
    ) -> Result<Record, Failure> {
        let before = record.version.clone();
        for _ in 0..LOOKS {
            let now = self.now_ms();
            let is_held = record.pending.as_ref().is_some_and(|pending| pending.until_ms > now);
            if !is_held {
                let after = record.pending.as_ref().and_then(|pending| pending.after.clone());
                let mut own = self.held(&record, holder, after);
                // A process that opened the table before has an older epoch.
                own.epoch += u64::from(record.pending.is_none());
                if self.records.write(session, &record, &own).await? {
                    return Ok(own);
                }
            } else {
                pause(LOOK)
                    .await
                    .map_err(|error| Failure::new(FailureKind::Unavailable, error.to_string()))?;
            }
            record = self.reread().await?;
            if record.version != before {
                let why = "another deployment has just changed this table: start again";
                return Err(Failure::new(FailureKind::Conflict, why));
            }
            if record.pending.as_ref().is_some_and(|pending| pending.version != self.version.digest) {
                break;
            }
        }
        Err(taken_over())
    }

    async fn reread(&self) -> Result<Record, Failure> {
        self.records.read().await.map_err(|error| {
            let message = format!("the record of the table cannot be read: {error:?}");
            Failure::new(FailureKind::Unavailable, message)
        })
    }

    /// Renews the lease.
    async fn renewed(&self, session: &Session<'_>, record: Record, holder: &str) -> Result<Record, Failure> {
        let after = record.pending.as_ref().and_then(|pending| pending.after.clone());
        let further = self.held(&record, holder, after);
        match self.records.write(session, &record, &further).await? {
            true => Ok(further),
            false => Err(taken_over()),
        }
    }

    fn held(&self, record: &Record, holder: &str, after: Option<Map>) -> Record {
        let pending = Pending {
            version: self.version.digest.clone(),
            after,
            holder: holder.to_owned(),
            until_ms: self.now_ms() + LEASE_MS,
        };
        Record { pending: Some(pending), ..record.clone() }
    }

    fn now_ms(&self) -> u64 {
        self.entities.runtime.shared().settings.clock.now_ms()
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
            let Some(entity) = self.entities.owner(&item).filter(|entity| is_concerned(entity)) else {
                return Ok(());
            };
            let Some(info) = entity.new else { return Ok(()) };
            let (old, new) = (self.entities.old_runtime.scope(None), self.entities.runtime.scope(None));
            let moved = entity.moved((&old, &new), &item)?;
            let Some(change) = replacing(&new, info, &item, &target(&new, info, &moved)?)? else {
                return Ok(());
            };
            match apply(session, &new, vec![change]).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // The item that is there by now may still be in its old form.
                Err(failure) if failure.kind == FailureKind::Unreadable => {}
                Err(failure) => return Err(failure),
            }
            // A walk that was suspended while another version was deployed must not rewrite items back.
            let pending = self.reread().await?.pending;
            if pending.is_none_or(|pending| pending.version != self.version.digest) {
                return Err(taken_over());
            }
            match session.get(&info.table, info.key_of(&item), true).await? {
                Some(now) => item = now,
                None => return Ok(()),
            }
        }
        let name = entity_name(self.entities.owner(&item));
        let message = format!(
            "{name} items keep changing while they are rewritten; run `sortkey up` again with fewer writes"
        );
        Err(Failure::new(FailureKind::Conflict, message))
    }
}

fn is_concerned(entity: &Entity<'_>) -> bool {
    entity.is_rewritten() && entity.old.is_some()
}

fn entity_name(entity: Option<&Entity<'_>>) -> String {
    entity.and_then(|entity| entity.new).map_or_else(String::new, |info| info.name.to_string())
}

fn taken_over() -> Failure {
    let why = "another deployment rewrites the items of this table: start again when it is done";
    Failure::new(FailureKind::Conflict, why)
}
