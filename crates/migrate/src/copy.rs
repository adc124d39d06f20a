//! The copy: every old item read with strong consistency, and its new items stored in a transaction that checks that it is
//! unchanged.
//!
//! A check that fails means that a writer was there in between, who has written the new item as well. An item that was
//! deleted is not brought back, since its check fails. Every transaction checks the lease, so a runner that wakes up too late
//! writes nothing. The copy can be cut off anywhere and begun again from the last page that was written down.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput};
use sortkey_api::{Again, Cause, ErrorKind};
use sortkey_core::internals::{EntityInfo, View, is_expired, read_whole};
use sortkey_value::{AttributeValue, Item};

use crate::effect::{Act, Effect, Role};
use crate::forward::{Change, Manner};
use crate::hidden::{self, Origin};
use crate::mapper::{Mapper, Unmapped};
use crate::mirror::MAX_ITEMS;
use crate::place::Place;
use crate::plan::Side;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::{Held, Runner, fenced};
use crate::same;
use crate::state::{Phase, State, Walk};

/// As many items as are listed when they do not fit.
const LISTED: usize = 20;
/// How often an item that keeps changing is read again.
const ATTEMPTS: u32 = 100;

/// How the copy ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    /// Every item has its new one.
    Done,
    /// It rests until `resume`.
    Paused,
}

/// An old item on its way.
struct Load<'p> {
    info: &'p EntityInfo,
    item: Item,
    attempts: u32,
}

/// A load with the writes that carry it over.
struct Packed<'p> {
    load: Load<'p>,
    effects: Vec<Effect>,
}

impl Runner {
    /// Copies from where the last copy was cut off. `watcher` is called after every page.
    pub async fn copy(&self, watcher: &mut (dyn FnMut(&State) + Send)) -> Result<Copied, Refusal> {
        let (held, state) = self.lease().await?;
        if state.phase < Phase::Both {
            return Err(Refusal::new("the migration was not started: run `sortkey migrate start` first"));
        }
        if state.phase > Phase::Both || state.is_copied(&self.plan) {
            self.release(held).await?;
            return Ok(Copied::Done);
        }
        // A runner before this one may have been cut off before it had waited.
        if !self.has_waited.load(Ordering::Relaxed) {
            self.backend.pause(self.ages.wait).await;
        }
        let mut pace = Pace::new(self.backend.now_ms());
        for table in self.plan.tables(Side::Old) {
            if self.copy_table(held, &table, &mut pace, watcher).await? == Copied::Paused {
                self.release(held).await?;
                return Ok(Copied::Paused);
            }
        }
        self.release(held).await?;
        Ok(Copied::Done)
    }

    async fn copy_table(
        &self,
        held: Held,
        table: &str,
        pace: &mut Pace,
        watcher: &mut (dyn FnMut(&State) + Send),
    ) -> Result<Copied, Refusal> {
        loop {
            let state = self.begun().await?;
            if state.fence != held.fence {
                return Err(fenced());
            }
            if state.paused {
                return Ok(Copied::Paused);
            }
            let mut walk = state.walks.get(table).cloned().unwrap_or_default();
            if walk.is_done {
                return Ok(Copied::Done);
            }
            pace.bound(state.rate, self.backend.now_ms());
            // A bounded copy writes its place down about once in a second.
            let limit = state.rate.map(|rate| i32::try_from(rate.clamp(1, 1_000)).unwrap_or(1_000));
            let (items, next) = self.page(table, walk.after.clone(), limit).await?;
            self.copy_page(held, state.now_ms, table, &items, &mut walk, pace).await?;
            walk.is_done = next.is_none();
            walk.after = next.or(walk.after);
            let state = self.written_down(held, table, &walk).await?;
            watcher(&state);
        }
    }

    /// Keeps the place of the copy, and renews the lease.
    async fn written_down(&self, held: Held, table: &str, walk: &Walk) -> Result<State, Refusal> {
        let now_ms = self.backend.now_ms();
        self.change(|state| {
            if state.fence != held.fence {
                return Err(fenced());
            }
            state.walks.insert(table.to_owned(), walk.clone());
            state.lease = Some(self.lease_from(now_ms));
            Ok(())
        })
        .await
    }

    async fn copy_page(
        &self,
        held: Held,
        now_ms: i64,
        table: &str,
        items: &[Item],
        walk: &mut Walk,
        pace: &mut Pace,
    ) -> Result<(), Refusal> {
        let mapper = Mapper { plan: &self.plan, now_ms };
        let mut open: VecDeque<Load<'_>> = VecDeque::new();
        for item in items {
            if let Some(info) = self.plan.owner(Side::Old, table, item) {
                walk.seen += 1;
                open.push_back(Load { info, item: item.clone(), attempts: 0 });
            }
        }
        let mut unfit: Vec<String> = Vec::new();
        while !open.is_empty() {
            let reader = Reader::new(&self.backend);
            let mut packed: Vec<Packed<'_>> = Vec::new();
            let mut later: VecDeque<Load<'_>> = VecDeque::new();
            let mut size = 1;
            while let Some(load) = open.pop_front() {
                let effects = match self.carried(mapper, &reader, &load).await {
                    Ok(effects) => effects,
                    Err(Unmapped::Backend(error)) => return Err(error.into()),
                    Err(Unmapped::Unfit(failure)) => {
                        if unfit.len() < LISTED {
                            unfit.push(failure.message);
                        }
                        continue;
                    }
                };
                if effects.is_empty() {
                    walk.there += 1;
                    continue;
                }
                let meets = |effect: &Effect| {
                    packed.iter().flat_map(|each| &each.effects).any(|each| {
                        each.place == effect.place && !(each.act == Act::Check && effect.act == Act::Check)
                    })
                };
                let is_full = size + effects.len() > MAX_ITEMS;
                if is_full && packed.is_empty() {
                    return Err(Refusal::new(format!(
                        "the {} at {} takes a transaction of {} items, above DynamoDB's {MAX_ITEMS}",
                        load.info.name,
                        Place::of(load.info, &load.item),
                        effects.len() + 1
                    )));
                }
                if is_full {
                    open.push_front(load);
                    break;
                }
                if effects.iter().any(meets) {
                    later.push_back(load);
                    continue;
                }
                size += effects.len();
                packed.push(Packed { load, effects });
            }
            pace.wait(&self.backend, packed.len()).await;
            let again = self.send(held, packed, walk, &mut unfit).await?;
            later.extend(again);
            open.extend(later);
        }
        match unfit.is_empty() {
            true => Ok(()),
            false => Err(Refusal::all(unfit)),
        }
    }

    /// The writes that carry an old item over; none if there is nothing to do.
    async fn carried(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        load: &Load<'_>,
    ) -> Result<Vec<Effect>, Unmapped> {
        let place = Place::of(load.info, &load.item);
        let scope = self.plan.old.scope(None);
        if load.info.ttl.is_some() {
            let fields = read_whole(&scope, load.info, &load.item)?;
            if is_expired(&scope, View::of(load.info.at, &fields)) {
                return Ok(Vec::new());
            }
        }
        let info = self.plan.info(Side::Old, load.info.at);
        let change = Change { info, place: place.clone(), before: None, after: Some(load.item.clone()) };
        let mirrored = mapper.forward(reader, &[change], Manner::Copy, None).await?;
        let image =
            mirrored.images.into_iter().next().map(|(_, image)| image).filter(|image| *image != load.item);
        if image.is_none() && mirrored.effects.iter().all(|effect| effect.act == Act::Check) {
            return Ok(Vec::new());
        }
        let condition = same::unchanged(&place, Some(&load.item), self.plan.universe());
        let act = image.map_or(Act::Check, Act::Put);
        let mut effects = vec![Effect::new(place, act, condition)];
        effects.extend(mirrored.effects);
        Ok(effects)
    }

    /// Sends a transaction; the loads that are to be carried over again come back.
    async fn send<'p>(
        &self,
        held: Held,
        packed: Vec<Packed<'p>>,
        walk: &mut Walk,
        unfit: &mut Vec<String>,
    ) -> Result<Vec<Load<'p>>, Refusal> {
        if packed.is_empty() {
            return Ok(Vec::new());
        }
        let mut members = vec![self.home.holds(held.fence)];
        // For every member, the load that it belongs to. Loads may share a check.
        let mut owners: Vec<usize> = vec![usize::MAX];
        for (at, each) in packed.iter().enumerate() {
            for effect in &each.effects {
                if !members.iter().any(|member| member.place == effect.place) {
                    members.push(effect.clone());
                    owners.push(at);
                }
            }
        }
        let input = TransactWriteItemsInput {
            transact_items: members.iter().map(Effect::member).collect(),
            client_request_token: Some(self.backend.token()?),
            ..TransactWriteItemsInput::default()
        };
        let error = match self.backend.ask::<TransactWriteItems>(input).await {
            Ok(_) => {
                walk.copied += packed.len() as u64;
                return Ok(Vec::new());
            }
            Err(error) => error,
        };
        let reasons = error.reasons().map(<[_]>::to_vec).unwrap_or_default();
        if error.kind != ErrorKind::TransactionCanceledException || reasons.len() != members.len() {
            return Err(error.into());
        }
        if reasons[0].cause() == Cause::Condition {
            return Err(fenced());
        }
        let is_hasty = error.again() == Again::Refused;
        let mut there: Vec<usize> = Vec::new();
        let mut changed: Vec<usize> = Vec::new();
        for ((effect, owner), reason) in members.iter().zip(&owners).zip(&reasons).skip(1) {
            match (reason.cause(), &effect.role) {
                (Cause::None | Cause::Conflict | Cause::Throttled, _) => {}
                (Cause::Condition, Role::Claimed(own)) => match is_own(own, reason.item.as_ref()) {
                    true => there.push(*owner),
                    false => {
                        let stranger = reason.item.as_ref().and_then(hidden::origins).unwrap_or_default();
                        unfit.push(clash(&packed[*owner].load, &effect.place, &stranger));
                        there.push(*owner);
                    }
                },
                (Cause::Condition, Role::Guard(_, what)) => {
                    let load = &packed[*owner].load;
                    unfit.push(format!(
                        "the {} at {} cannot be carried over: there is already a {what}",
                        load.info.name,
                        Place::of(load.info, &load.item)
                    ));
                    there.push(*owner);
                }
                (Cause::Condition, Role::Stale) => changed.push(*owner),
                (Cause::Fault(_), _) => return Err(error.into()),
            }
        }
        if is_hasty {
            self.backend.rest().await;
        }
        let mut again = Vec::new();
        for (at, each) in packed.into_iter().enumerate() {
            let mut load = each.load;
            if there.contains(&at) {
                walk.there += 1;
                continue;
            }
            if changed.contains(&at) {
                walk.retried += 1;
                load.attempts += 1;
                let place = Place::of(load.info, &load.item);
                if load.attempts > ATTEMPTS {
                    return Err(Refusal::new(format!(
                        "the {} at {place} keeps changing: go on with fewer writes",
                        load.info.name
                    )));
                }
                match Reader::new(&self.backend).get(&place).await? {
                    Some(item) => load.item = item,
                    None => continue,
                }
            }
            again.push(load);
        }
        Ok(again)
    }
}

fn is_own(own: &AttributeValue, there: Option<&Item>) -> bool {
    there.and_then(|item| item.get(hidden::FROM)).is_some_and(|from| from.to_owned() == *own)
}

fn clash(load: &Load<'_>, target: &Place, others: &[Origin]) -> String {
    let other = others.first().map_or_else(|| "no old item".to_owned(), |each| format!("{:?}", each.key));
    format!(
        "the {} at {} becomes {target}, which is made of {other} already: say how they combine with `merge`, or keep what \
         tells them apart in the key",
        load.info.name,
        Place::of(load.info, &load.item)
    )
}

/// Keeps a copy below its rate.
struct Pace {
    rate: Option<u64>,
    begun_ms: i64,
    items: u64,
}

impl Pace {
    fn new(now_ms: i64) -> Pace {
        Pace { rate: None, begun_ms: now_ms, items: 0 }
    }

    fn bound(&mut self, rate: Option<u64>, now_ms: i64) {
        if self.rate != rate {
            *self = Pace { rate, begun_ms: now_ms, items: 0 };
        }
    }

    /// Waits until so many more items may be written.
    async fn wait(&mut self, backend: &crate::steady::Steady, items: usize) {
        let Some(rate) = self.rate.filter(|rate| *rate > 0) else { return };
        self.items += items as u64;
        let due_ms = self.begun_ms + i64::try_from(self.items * 1000 / rate).unwrap_or(i64::MAX);
        if let Ok(early_ms @ 1..) = u64::try_from(due_ms - backend.now_ms()) {
            backend.pause(std::time::Duration::from_millis(early_ms)).await;
        }
    }
}
