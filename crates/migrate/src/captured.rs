//! Changes that other programs make in the old tables, past Sortkey: captured from the streams of the tables.
//!
//! Writes through Sortkey are transactions of both designs. A write of another program is seen in the stream of its table, and
//! carried over as the copy carries items over (`carry.rs`), some moments later. One process follows the streams at a time: it
//! has the lease of the copy, and every one of its transactions checks the number of that lease in the item that also holds
//! how far each shard was read. A record is passed only when its change is carried over, so a process that is cut off begins
//! again with what was open.
//!
//! At the switch the streams are read to their ends. A change that comes later cannot be carried over, since the new design
//! answers by then: the switch looks for such changes, and is taken back if it finds any.

mod carry;
mod feed;
mod reads;
mod strays;
mod streams;
mod suspects;

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use sortkey_api::shapes::stream::Record;
use sortkey_core::internals::is_reserved;
use sortkey_value::Item;

use self::carry::{Carried, Touched};
use self::feed::{Feed, Reached, change};
pub use self::reads::Captured;
use crate::hidden;
use crate::mapper::Mapper;
use crate::place::Place;
use crate::plan::Side;
use crate::refusal::Refusal;
use crate::runner::{Held, LEASE, Runner, fenced};
use crate::state::{Phase, State};

/// Records from before the migration was prepared are passed over, with room for clocks that differ.
const EARLIER_MS: i64 = 5 * 60_000;
/// As many items as are carried over side by side.
const TOGETHER: usize = 8;
/// Between two rounds in which there was nothing to do.
const IDLE: Duration = Duration::from_millis(500);
/// How long a command waits for the process that follows.
const PATIENCE_MS: i64 = 60_000;
/// As many items as are listed.
const LISTED: usize = 20;
/// Rounds to the end of all streams that a command waits for: one may have begun before.
const ROUNDS: u64 = 2;

/// The streams of all old tables, being followed.
struct Following {
    held: Held,
    feeds: Vec<Feed>,
    at: Captured,
    since_ms: i64,
    now_ms: i64,
    renewed_ms: i64,
    /// The last items that did not fit.
    unfit: Vec<String>,
}

/// The result of one round through all streams.
struct Round {
    /// Whether everything was read that there was when the round began.
    reached_the_end: bool,
    /// Whether there was nothing to do.
    was_idle: bool,
}

impl Runner {
    /// How far changes of other programs were carried over; none if they are not followed.
    pub async fn captured(&self) -> Result<Option<Captured>, Refusal> {
        match self.state().await? {
            Some(state) if state.captured => {
                Ok(Some(self.home.reads(&self.backend, self.plan.fingerprint()).await?))
            }
            _ => Ok(None),
        }
    }

    /// Follows the streams until the new design answers, the migration is taken back, or there is something to copy again.
    /// `watcher` is called after every round through them, with the items that did not fit.
    pub async fn follow(
        &self,
        watcher: &mut (dyn FnMut(&Captured, &[String]) + Send),
    ) -> Result<State, Refusal> {
        let (held, state) = self.lease().await?;
        let ended = self.follow_under(held, &state, watcher).await;
        self.end_lease(held, ended).await
    }

    async fn follow_under(
        &self,
        held: Held,
        state: &State,
        watcher: &mut (dyn FnMut(&Captured, &[String]) + Send),
    ) -> Result<State, Refusal> {
        let mut following = self.take_over(held, state).await?;
        loop {
            let state = self.begun().await?;
            let is_over = !matches!(state.phase, Phase::Both | Phase::Shadow);
            let copies = !state.paused && !state.is_copied(&self.plan) && state.reached(&self.plan).is_none();
            if is_over || copies {
                return Ok(state);
            }
            let round = self.round(&mut following).await?;
            watcher(&following.at, &following.unfit);
            following.unfit.clear();
            if round.was_idle {
                self.backend.pause(IDLE).await;
            }
        }
    }

    /// Follows the streams for as long as the copy needs.
    pub(crate) async fn follow_copy(&self, held: Held, state: &State) -> Result<(), Refusal> {
        let mut following = self.take_over(held, state).await?;
        loop {
            if self.round(&mut following).await?.was_idle {
                self.backend.pause(IDLE).await;
            }
        }
    }

    /// Waits until everything that other programs have written so far is carried over.
    pub(crate) async fn caught_up(&self) -> Result<(), Refusal> {
        // A record may come some moments after its change.
        self.backend.pause(self.ages.fresh).await;
        let plan = self.plan.fingerprint();
        let begun_ms = self.backend.now_ms();
        let first = self.home.reads(&self.backend, plan).await?.rounds;
        loop {
            let state = self.begun().await?;
            if !state.captured || !matches!(state.phase, Phase::Both | Phase::Shadow) {
                return Ok(());
            }
            if !self.is_another(&state) {
                let (held, state) = self.lease().await?;
                let ended = self.read_to_the_end(held, &state).await;
                return self.end_lease(held, ended).await;
            }
            if self.home.reads(&self.backend, plan).await?.rounds >= first + ROUNDS {
                return Ok(());
            }
            if self.backend.now_ms() - begun_ms > PATIENCE_MS {
                return Err(Refusal::new(
                    "other programs write the old tables faster than their changes are carried over: go on when they write less",
                ));
            }
            self.backend.pause(IDLE).await;
        }
    }

    async fn read_to_the_end(&self, held: Held, state: &State) -> Result<(), Refusal> {
        let mut following = self.take_over(held, state).await?;
        while !self.round(&mut following).await?.reached_the_end {}
        Ok(())
    }

    /// Ends what follows the streams, and forgets how far they were read.
    pub(crate) async fn stop_following(&self, held: Held) -> Result<(), Refusal> {
        let at = Captured { fence: held.fence, ..Captured::default() };
        let is_earlier = self.home.reads_below(held.fence);
        match self.home.keep_reads(&self.backend, self.plan.fingerprint(), &at, is_earlier).await? {
            true => Ok(()),
            false => Err(fenced()),
        }
    }

    /// Takes the streams over from the process that followed them before.
    async fn take_over(&self, held: Held, state: &State) -> Result<Following, Refusal> {
        let plan = self.plan.fingerprint();
        let mut at = self.home.reads(&self.backend, plan).await?;
        at.fence = held.fence;
        if !self.home.keep_reads(&self.backend, plan, &at, self.home.reads_below(held.fence)).await? {
            return Err(fenced());
        }
        let mut feeds = Vec::new();
        for table in self.plan.tables(Side::Old) {
            feeds.push(Feed::of(&self.backend, table).await?);
        }
        Ok(Following {
            held,
            feeds,
            at,
            since_ms: state.now_ms - EARLIER_MS,
            now_ms: state.now_ms,
            renewed_ms: self.backend.now_ms(),
            unfit: Vec::new(),
        })
    }

    /// Carries over the next changes of every shard.
    async fn round(&self, following: &mut Following) -> Result<Round, Refusal> {
        self.renew(following).await?;
        let before = following.at.clone();
        let (touched, is_last) = self.read_on(following).await?;
        let mapper = Mapper { plan: &self.plan, now_ms: following.now_ms };
        let mut orphans: Vec<Place> = Vec::new();
        for wave in touched.chunks(TOGETHER) {
            let carried = join_all(wave.iter().map(|each| self.carry(mapper, following.held, each))).await;
            for (each, carried) in wave.iter().zip(carried) {
                match carried {
                    Ok(Carried::Same | Carried::Blocked(..)) => {}
                    Ok(Carried::Written) => following.at.carried += 1,
                    Ok(Carried::Orphaned) => orphans.push(each.place.clone()),
                    Ok(Carried::Unfit(why)) => {
                        following.at.unfit += 1;
                        if following.unfit.len() < LISTED {
                            following.unfit.push(why);
                        }
                    }
                    Err(refusal) => {
                        following.at = before;
                        following.feeds.iter_mut().for_each(Feed::rewind);
                        return Err(refusal);
                    }
                }
            }
        }
        if !orphans.is_empty() {
            self.adopt_orphans(mapper, following.held, &orphans).await?;
        }
        following.at.rounds += u64::from(is_last);
        if following.at != before {
            let plan = self.plan.fingerprint();
            let is_ours = self.home.reads_have(following.held.fence);
            if !self.home.keep_reads(&self.backend, plan, &following.at, is_ours).await? {
                return Err(fenced());
            }
        }
        Ok(Round { reached_the_end: is_last, was_idle: touched.is_empty() && is_last })
    }

    /// The next changes of every shard, and whether these were all that there were when they were read. The places are kept when they are carried over.
    async fn read_on(&self, following: &mut Following) -> Result<(Vec<Touched>, bool), Refusal> {
        let mut touched: Vec<Touched> = Vec::new();
        let mut known: HashMap<Place, usize> = HashMap::new();
        let mut is_last = true;
        for feed in &mut following.feeds {
            for shard in feed.shards(&self.backend).await? {
                let name = feed.name(&shard);
                let reached = following.at.reads.get(&name);
                if reached == Some(&Reached::End) {
                    continue;
                }
                // The place is kept in an item of one of the tables, whose own records must not count as changes.
                loop {
                    let reached = following.at.reads.get(&name);
                    let batch = feed.next(&self.backend, &shard, reached).await?;
                    let since_ms = following.since_ms;
                    let recent = batch.records.iter().filter(|record| is_since(record, since_ms));
                    let found: Vec<Touched> =
                        recent.filter_map(|record| self.touched(&feed.table, record)).collect();
                    let goes_on = found.is_empty() && !batch.records.is_empty();
                    let is_over = batch.reached == Some(Reached::End);
                    let is_read = batch.is_last;
                    if let Some(reached) = batch.reached {
                        following.at.reads.insert(name.clone(), reached);
                    }
                    // Changes of one item are one: it is carried over as it is now.
                    for each in found {
                        match known.get(&each.place) {
                            Some(at) => touched[*at].before.extend(each.before),
                            None => {
                                known.insert(each.place.clone(), touched.len());
                                touched.push(each);
                            }
                        }
                    }
                    if !goes_on || is_over {
                        is_last &= is_read;
                        break;
                    }
                }
            }
        }
        Ok((touched, is_last))
    }

    /// The item that a record is about; none if it is not one of the old design.
    fn touched(&self, table: &str, record: &Record) -> Option<Touched> {
        let (key, before) = change(record)?;
        let info = self.plan.entities(Side::Old).find(|info| info.table.name() == table)?;
        let key = Item::from_map(&key);
        let is_new = before.as_ref().is_some_and(hidden::is_migrated);
        if is_new || is_reserved(&key, &info.partition) {
            return None;
        }
        Some(Touched { place: Place::at(info, key), before: before.into_iter().collect(), had: Vec::new() })
    }

    async fn renew(&self, following: &mut Following) -> Result<(), Refusal> {
        let now_ms = self.backend.now_ms();
        if now_ms - following.renewed_ms < (LEASE.as_millis() / 3) as i64 {
            return Ok(());
        }
        following.renewed_ms = now_ms;
        self.change(|state| {
            if state.fence != following.held.fence {
                return Err(fenced());
            }
            state.lease = Some(self.lease_from(now_ms));
            Ok(())
        })
        .await
        .map(drop)
    }
}

fn is_since(record: &Record, since_ms: i64) -> bool {
    let at = record.dynamodb.as_ref().and_then(|of| of.approximate_creation_date_time);
    at.is_none_or(|at| at.millis >= since_ms)
}
