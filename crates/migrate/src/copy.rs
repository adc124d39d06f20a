//! The copy: every old item read with strong consistency, and its new items stored in a transaction that checks that it is
//! unchanged.
//!
//! A check that fails means that a writer was there in between, who has written the new item as well. An item that was
//! deleted is not brought back, since its check fails. Every transaction checks the lease, so a runner that wakes up too late
//! writes nothing. Tables are walked in segments side by side; each can be cut off anywhere and begun again from the last page
//! that was written down.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use futures_util::future::{Either, select};
use parking_lot::Mutex;
use sortkey_api::ApiError;
use sortkey_core::Failure;
use sortkey_core::internals::{View, is_expired, read_whole};
use sortkey_value::Item;

use crate::effect::{Act, Effect};
use crate::forward::{Change, Manner};
use crate::mapper::{Mapper, Unmapped};
use crate::mirror::MAX_ITEMS;
use crate::pace::Pace;
use crate::pack::{Busy, Load, Offered, Pack, places};
use crate::parts::{Ended, all_parts};
use crate::place::Place;
use crate::plan::{Side, Stage};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::{Held, LEASE, Runner, fenced};
use crate::same;
use crate::segments::{Walks, together};
use crate::state::{Phase, State, Walk};

/// How often an item that does not fit is read again.
pub(crate) const LOOKS: u32 = 5;
/// The longest first pause before it is read again, doubled from one to the next: a cascade has time to go on.
const PAUSE_MS: u64 = 10;
/// As many items as are listed when they do not fit.
const LISTED: usize = 20;

/// How the copy ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    /// Every item has its new one.
    Done,
    /// It rests until `resume`.
    Paused,
    /// It rests at a gate until what is copied was compared.
    AtGate,
}

/// A copy under way.
pub(crate) struct Copying {
    pub(crate) runner: Runner,
    pub(crate) held: Held,
    now_ms: i64,
    pub(crate) pace: Pace,
    busy: Busy,
    state: Mutex<State>,
    walks: Mutex<Vec<Walks>>,
    renewed_ms: AtomicI64,
    /// How each segment ended, and whether one has come further since anybody looked.
    pub(crate) ended: Ended,
    /// Whether nobody waits for the copy any more.
    pub(crate) is_over: AtomicBool,
}

impl Runner {
    /// Copies from where the last copy was cut off. `watcher` is called after every page.
    pub async fn copy(&self, watcher: &mut (dyn FnMut(&State) + Send)) -> Result<Copied, Refusal> {
        let state = self.begun().await?;
        if state.phase < Phase::Both {
            return Err(Refusal::new("the migration was not started: run `sortkey migrate start` first"));
        }
        if state.phase > Phase::Both || state.is_copied(&self.plan) {
            return Ok(Copied::Done);
        }
        // A runner before this one may have been cut off before it had waited.
        self.settle().await?;
        let (held, state) = self.lease().await?;
        let ended = self.copy_segments(held, state, watcher).await;
        self.end_lease(held, ended).await
    }

    async fn copy_segments(
        &self,
        held: Held,
        state: State,
        watcher: &mut (dyn FnMut(&State) + Send),
    ) -> Result<Copied, Refusal> {
        let walks = self.take_segments(held, &state).await?;
        let copying = Arc::new(Copying {
            runner: self.clone(),
            held,
            now_ms: state.now_ms,
            pace: Pace::new(),
            busy: Busy::default(),
            ended: Ended::of(walks.len()),
            state: Mutex::new(state.clone()),
            renewed_ms: AtomicI64::new(self.backend.now_ms()),
            walks: Mutex::new(walks),
            is_over: AtomicBool::new(false),
        });
        let segments = all_parts(&copying, watcher);
        let ended = match state.captured {
            false => segments.await?,
            true => {
                let following = self.follow_copy(held, &state);
                match select(pin!(segments), pin!(following)).await {
                    Either::Left((ended, _)) => ended?,
                    Either::Right((stopped, _)) => return Err(stopped.err().unwrap_or_else(fenced)),
                }
            }
        };
        let how = [Copied::Paused, Copied::AtGate].into_iter().find(|how| ended.contains(how));
        Ok(how.unwrap_or(Copied::Done))
    }

    /// Takes over every segment, which fences off the previous runner.
    async fn take_segments(&self, held: Held, state: &State) -> Result<Vec<Walks>, Refusal> {
        let plan = self.plan.fingerprint();
        let walks = self.home.walks(&self.backend, plan, state.segments).await?;
        for (at, walks) in (0..state.segments).zip(&walks) {
            if !self.home.claim(&self.backend, plan, held.fence, at, walks).await? {
                return Err(fenced());
            }
        }
        Ok(walks)
    }
}

impl Copying {
    fn mapper(&self) -> Mapper<'_> {
        Mapper { plan: &self.runner.plan, now_ms: self.now_ms }
    }

    /// How far all segments are.
    pub(crate) fn seen(&self) -> State {
        let mut state = self.state.lock().clone();
        let labels = self.runner.plan.stages().iter().map(|stage| &*stage.label);
        state.walks = together(labels, &self.walks.lock());
        state
    }

    /// Walks one segment of every old table.
    pub(crate) async fn segment(&self, at: u32) -> Result<Copied, Refusal> {
        let mut last: Option<&Stage> = None;
        for stage in self.runner.plan.stages() {
            loop {
                let walk = self.walks.lock()[at as usize].get(&*stage.label).cloned();
                let mut walk = walk.unwrap_or_default();
                if walk.is_done {
                    break;
                }
                let state = self.look().await?;
                if state.paused || self.is_over.load(Ordering::Relaxed) {
                    return Ok(Copied::Paused);
                }
                if last.is_some_and(|last| state.gate.as_deref() == Some(&last.label)) {
                    return Ok(Copied::AtGate);
                }
                // A bounded copy writes its place down about once in a second.
                let limit = state.rate.map(|rate| rate.per_second().clamp(1, 1_000) as i32);
                let part = Some((at, state.segments));
                let (items, next) = self.runner.part(&stage.table, walk.after.clone(), limit, part).await?;
                self.page(at, stage, items, &mut walk).await?;
                walk.is_done = next.is_none();
                walk.after = next.or(walk.after);
                self.note(at, stage, walk).await?;
            }
            last = Some(stage);
        }
        Ok(Copied::Done)
    }

    /// The state as it is now, with this runner's lease in it.
    async fn look(&self) -> Result<State, Refusal> {
        let (runner, now_ms) = (&self.runner, self.runner.backend.now_ms());
        let due_ms = self.renewed_ms.load(Ordering::Relaxed) + (LEASE.as_millis() / 3) as i64;
        let is_due = now_ms >= due_ms;
        if is_due {
            self.renewed_ms.store(now_ms, Ordering::Relaxed);
        }
        let state = runner
            .change(|state| {
                if state.fence != self.held.fence {
                    return Err(fenced());
                }
                if is_due {
                    state.lease = Some(runner.lease_from(now_ms));
                }
                Ok(())
            })
            .await?;
        self.pace.bound(state.rate);
        *self.state.lock() = state.clone();
        Ok(state)
    }

    /// Keeps the place of a segment.
    async fn note(&self, at: u32, stage: &Stage, walk: Walk) -> Result<(), Refusal> {
        let walks = {
            let mut all = self.walks.lock();
            let own = &mut all[at as usize];
            own.insert(stage.label.to_string(), walk);
            own.clone()
        };
        let runner = &self.runner;
        let plan = runner.plan.fingerprint();
        if !runner.home.note(&runner.backend, plan, self.held.fence, at, &walks).await? {
            return Err(fenced());
        }
        self.ended.moved();
        Ok(())
    }

    /// Carries a page of old items over.
    async fn page(&self, at: u32, stage: &Stage, items: Vec<Item>, walk: &mut Walk) -> Result<(), Refusal> {
        let runner = &self.runner;
        let mut open: VecDeque<Load<'_>> = VecDeque::new();
        for item in items {
            let owner = runner.plan.owner(Side::Old, &stage.table, &item);
            if let Some(info) = owner.filter(|info| stage.entities.contains(&info.at)) {
                open.push_back(Load { info, item, attempts: 0, effects: None });
            }
        }
        walk.seen += open.len() as u64;
        let mut unfit: Vec<String> = Vec::new();
        let mut reader = Reader::new(&runner.backend);
        while !open.is_empty() && !self.is_over.load(Ordering::Relaxed) {
            let mut pack = Pack::new(runner.home.holds(self.held.fence, at), &self.busy);
            let mut later: VecDeque<Load<'_>> = VecDeque::new();
            let most = self.pace.portion();
            while pack.loads.len() < most
                && let Some(mut load) = open.pop_front()
            {
                let effects = match load.effects.take() {
                    Some(effects) => effects,
                    None => match self.carried_steadily(&reader, &mut load).await? {
                        Ok(effects) => effects,
                        Err(failure) => {
                            if unfit.len() < LISTED {
                                unfit.push(failure.message);
                            }
                            continue;
                        }
                    },
                };
                if effects.is_empty() {
                    walk.there += 1;
                    continue;
                }
                let members = places(&effects).len();
                if members >= MAX_ITEMS {
                    return Err(too_large(&load, members));
                }
                match pack.offer(load, effects) {
                    Offered::Taken => {}
                    Offered::Meets(load) => later.push_back(load),
                    Offered::Full(load) => {
                        open.push_front(load);
                        break;
                    }
                }
            }
            if pack.loads.is_empty() {
                // Everything that is left waits for a transaction in flight.
                if !later.is_empty() {
                    runner.backend.rest().await;
                }
            } else {
                self.pace.wait(&runner.backend, pack.loads.len(), pack.units).await;
                let again = self.send(pack, walk, &mut unfit, &reader).await?;
                if !again.is_empty() {
                    reader = Reader::new(&runner.backend);
                }
                later.extend(again);
            }
            // A load that met a write of the last transaction is computed again,
            // since that write has changed its inputs.
            later.iter_mut().for_each(|load| load.effects = None);
            later.append(&mut open);
            open = later;
        }
        match unfit.is_empty() {
            true => Ok(()),
            false => Err(Refusal::all(unfit)),
        }
    }

    /// The writes that carry an old item over. One that does not fit is read again: a cascade may be deleting it with what it
    /// points to, or a writer has corrected it.
    async fn carried_steadily<'r>(
        &'r self,
        reader: &Reader<'_>,
        load: &mut Load<'r>,
    ) -> Result<Result<Vec<Effect>, Failure>, ApiError> {
        let mut carried = self.carried(reader, load).await;
        for look in 0..LOOKS {
            if !matches!(carried, Err(Unmapped::Unfit(_))) {
                break;
            }
            self.runner.backend.wait(PAUSE_MS << look).await;
            let now = Reader::new(&self.runner.backend);
            match now.get(&load.place()).await? {
                Some(item) => load.item = item,
                None => return Ok(Ok(Vec::new())),
            }
            carried = self.carried(&now, load).await;
        }
        match carried {
            Ok(effects) => Ok(Ok(effects)),
            Err(Unmapped::Backend(error)) => Err(error),
            Err(Unmapped::Unfit(failure)) => Ok(Err(failure)),
        }
    }

    /// The writes that carry an old item over; none if there is nothing to do.
    async fn carried<'r>(&'r self, reader: &Reader<'_>, load: &Load<'r>) -> Result<Vec<Effect>, Unmapped> {
        let (mapper, plan) = (self.mapper(), &self.runner.plan);
        let place = load.place();
        if load.info.ttl.is_some() {
            let scope = plan.old.scope(None);
            let fields = read_whole(&scope, load.info, &load.item)?;
            if is_expired(&scope, View::of(load.info.at, &fields)) {
                return Ok(Vec::new());
            }
        }
        let change =
            Change { info: load.info, place: place.clone(), before: None, after: Some(load.item.clone()) };
        let mirrored = mapper.forward(reader, &[change], Manner::Copy, None).await?;
        let image =
            mirrored.images.into_iter().next().map(|(_, image)| image).filter(|image| *image != load.item);
        if image.is_none() && mirrored.effects.iter().all(|effect| effect.act == Act::Check) {
            return Ok(Vec::new());
        }
        let condition = same::unchanged(&place, Some(&load.item), plan.universe(&place.table));
        let act = image.map_or(Act::Check, Act::Put);
        let mut effects = vec![Effect::new(place, act, condition)];
        effects.extend(mirrored.effects);
        Ok(effects)
    }
}

fn too_large(load: &Load<'_>, members: usize) -> Refusal {
    Refusal::new(format!(
        "the {} at {} takes a transaction of {} items, above DynamoDB's {MAX_ITEMS}",
        load.info.name,
        Place::of(load.info, &load.item),
        members + 1
    ))
}
