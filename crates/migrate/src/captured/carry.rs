//! An old item that another program has changed, carried over as it is now.
//!
//! A record of a stream has the key of an item and its image before; the item as it is now is read with strong consistency, and
//! stored with a check that it is unchanged. The order of records does not matter then: whichever is carried over last, the new
//! items are made of what the old table has. The image before takes the part of a tombstone: the new items that it had, and
//! the item of now does not, are removed.

use std::collections::BTreeMap;

use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput};
use sortkey_api::{Cause, ErrorKind};
use sortkey_core::internals::{EntityInfo, View, is_expired, owner, read_whole};
use sortkey_design::program::EntityId;
use sortkey_value::Item;

use crate::effect::{Act, Effect, Role};
use crate::forward::{Change, Manner};
use crate::hidden::{self, Origin};
use crate::mapper::{Mapper, Unmapped};
use crate::mirror::{MAX_ITEMS, unique_effects};
use crate::place::Place;
use crate::plan::Side;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::{Held, Runner, fenced};
use crate::same;

/// How often an item that keeps changing is read again.
const ATTEMPTS: u32 = 100;

/// The outcome for a changed item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Carried {
    /// The new items were as they have to be: the change was made through Sortkey, or is carried over already.
    Same,
    /// New items were written.
    Written,
    /// The new design cannot hold it. `verify` finds it until it is corrected.
    Unfit(String),
    /// A place or a unique value that it needs belongs to another old item.
    Blocked(Place, String),
    /// It had a new item whose key depends on an item that is gone: it has to be looked for.
    Orphaned,
}

/// A changed item.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub(crate) place: Place,
    /// Its images before each change.
    pub(crate) before: Vec<Item>,
    /// New items that it may have had besides.
    pub(crate) had: Vec<(EntityId, Place)>,
}

/// The writes that an item needs.
enum Owed {
    Nothing,
    Writes(Vec<Effect>),
    Unfit(String),
}

/// The outcome of one transaction.
enum Sent {
    Done,
    Again,
    Claimed(Effect, Option<Item>),
}

impl Runner {
    /// Carries a changed item over. An item that is in its way is carried over first.
    pub(crate) async fn carry(
        &self,
        mapper: Mapper<'_>,
        held: Held,
        touched: &Touched,
    ) -> Result<Carried, Refusal> {
        let mut was_in_way: Vec<Place> = Vec::new();
        loop {
            let (place, what) = match self.carry_alone(mapper, held, touched).await? {
                Carried::Blocked(place, what) => (place, what),
                other => return Ok(other),
            };
            if was_in_way.contains(&place) {
                return Ok(Carried::Unfit(what));
            }
            was_in_way.push(place.clone());
            let Some(there) = Reader::new(&self.backend).get(&place).await? else { continue };
            let new = self.plan.owner(Side::New, &place.table, &there).map(|info| info.at);
            for origin in hidden::origins(&there).unwrap_or_default() {
                let (Some(old), Some(new)) = (self.plan.old_called(&origin.entity), new) else { continue };
                let source = Place::at(old, origin.key);
                if source == touched.place {
                    continue;
                }
                let had = vec![(new, place.clone())];
                let other = Touched { place: source, before: Vec::new(), had };
                let moved = self.carry_alone(mapper, held, &other).await?;
                // Two items that exchanged what only one can have: one of them lets go first, and is carried over again.
                if matches!(moved, Carried::Blocked(..)) {
                    self.let_go(mapper, held, &other).await?;
                    let own = self.carry_alone(mapper, held, touched).await?;
                    let others = self.carry_alone(mapper, held, &other).await?;
                    return Ok(if others == Carried::Written { own } else { others });
                }
            }
        }
    }

    async fn carry_alone(
        &self,
        mapper: Mapper<'_>,
        held: Held,
        touched: &Touched,
    ) -> Result<Carried, Refusal> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.backend.wait(5 << attempt.min(6)).await;
            }
            let reader = Reader::new(&self.backend);
            let now = reader.get(&touched.place).await?;
            let (lost, is_orphaned) = self.lost(mapper, &reader, touched, now.as_ref()).await?;
            let effects = match self.owed(mapper, &reader, touched, now.as_ref(), &lost).await? {
                Owed::Nothing if is_orphaned => return Ok(Carried::Orphaned),
                Owed::Nothing => return Ok(Carried::Same),
                Owed::Unfit(why) => return Ok(Carried::Unfit(why)),
                Owed::Writes(effects) => effects,
            };
            match self.send_effects(held, &effects).await? {
                Sent::Done if is_orphaned => return Ok(Carried::Orphaned),
                Sent::Done => return Ok(Carried::Written),
                Sent::Again => {}
                Sent::Claimed(effect, there) => match self.in_way(&effect, there.as_ref(), &touched.place) {
                    Some((place, what)) => return Ok(Carried::Blocked(place, what)),
                    None => {}
                },
            }
        }
        Err(Refusal::new(format!("the item at {} keeps changing: go on with fewer writes", touched.place)))
    }

    /// New items that still name an item as their origin, and that the item does not make any more; and whether there may be
    /// others, whose keys cannot be computed.
    async fn lost(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        touched: &Touched,
        now: Option<&Item>,
    ) -> Result<(Vec<(EntityId, Place)>, bool), Refusal> {
        let mut had = touched.had.clone();
        let mut is_orphaned = false;
        let owner = |item: &Item| self.plan.owner(Side::Old, &touched.place.table, item);
        for before in &touched.before {
            let Some(info) = owner(before) else { continue };
            match mapper.all_places(reader, info, &hidden::bare(before)).await {
                Ok(all) => {
                    for (at, place) in all {
                        match place {
                            Some(place) => had.push((self.plan.mappings[at].of.new, place)),
                            None => is_orphaned = true,
                        }
                    }
                }
                Err(Unmapped::Backend(error)) => return Err(error.into()),
                // An unreadable image was never carried over.
                Err(Unmapped::Unfit(_)) => {}
            }
        }
        let mut has = Vec::new();
        if let Some(now) = now
            && let Some(info) = owner(now)
        {
            match mapper.places(reader, info, &hidden::bare(now)).await {
                Ok(places) => has = places,
                Err(Unmapped::Backend(error)) => return Err(error.into()),
                Err(Unmapped::Unfit(_)) => return Ok((Vec::new(), false)),
            }
        }
        had.retain(|(_, place)| *place != touched.place && !has.iter().any(|(_, each)| each == place));
        let places: Vec<Place> = had.iter().map(|(_, place)| place.clone()).collect();
        reader.fetch(&places).await?;
        let mut lost: Vec<(EntityId, Place)> = Vec::new();
        for (new, place) in had {
            let there = reader.get(&place).await?;
            let is_ours = there
                .as_ref()
                .and_then(hidden::origins)
                .is_some_and(|origins| origins.iter().any(|origin| self.is_origin(origin, &touched.place)));
            if is_ours && !lost.iter().any(|(_, each)| *each == place) {
                lost.push((new, place));
            }
        }
        Ok((lost, is_orphaned))
    }

    pub(crate) fn is_origin(&self, origin: &Origin, place: &Place) -> bool {
        self.plan.old_called(&origin.entity).is_some_and(|info| Place::at(info, origin.key.clone()) == *place)
    }

    /// The transaction that makes the new items what the old one makes of them.
    async fn owed(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        touched: &Touched,
        now: Option<&Item>,
        lost: &[(EntityId, Place)],
    ) -> Result<Owed, Refusal> {
        let of = |item: &Item| self.plan.owner(Side::Old, &touched.place.table, item);
        let before = touched.before.iter().find_map(of);
        let info = now.and_then(of).or(before).or_else(|| {
            self.plan.entities(Side::Old).find(|info| info.table.name() == &*touched.place.table)
        });
        let Some(info) = info else { return Ok(Owed::Nothing) };
        let is_own = now.is_some_and(|now| of(now).is_some());
        let is_right = match now.filter(|_| is_own) {
            Some(now) => self.is_right(mapper, reader, info, now).await?,
            None => true,
        };
        if lost.is_empty() && is_right {
            return Ok(Owed::Nothing);
        }
        let change = Change {
            info,
            place: touched.place.clone(),
            before: None,
            after: now.filter(|_| is_own && !is_right).cloned(),
        };
        match self.writes(mapper, reader, &change, now, lost).await {
            Ok(effects) if effects.len() >= MAX_ITEMS => Ok(Owed::Unfit(format!(
                "the {} at {} takes a transaction of {} items, above DynamoDB's {MAX_ITEMS}",
                info.name,
                touched.place,
                effects.len() + 1
            ))),
            Ok(effects) => Ok(Owed::Writes(effects)),
            Err(Unmapped::Backend(error)) => Err(error.into()),
            Err(Unmapped::Unfit(failure)) => Ok(Owed::Unfit(failure.message)),
        }
    }

    /// Whether the new items of an old one are what it makes of them.
    async fn is_right(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        info: &EntityInfo,
        now: &Item,
    ) -> Result<bool, Refusal> {
        let old = self.plan.old.scope(None);
        if let Ok(fields) = read_whole(&old, info, &hidden::bare(now))
            && is_expired(&old, View::of(info.at, &fields))
        {
            return Ok(true);
        }
        if !self.compare_old(mapper, reader, info, now).await?.is_empty() {
            return Ok(false);
        }
        // An item made of several old ones is compared from the new side.
        let Ok(places) = mapper.places(reader, info, &hidden::bare(now)).await else { return Ok(false) };
        for (at, place) in places {
            let mapping = &self.plan.mappings[at];
            let there = reader.get(&place).await?.filter(|_| mapping.merges());
            let Some(there) = there else { continue };
            let new = self.plan.info(Side::New, mapping.of.new);
            if !self.compare_new(mapper, reader, new, &place, &there).await?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn writes<'p>(
        &'p self,
        mapper: Mapper<'p>,
        reader: &Reader<'_>,
        change: &Change<'p>,
        now: Option<&Item>,
        lost: &[(EntityId, Place)],
    ) -> Result<Vec<Effect>, Unmapped> {
        let mut effects = mapper.forsaken(reader, change, lost).await?;
        let mut image = None;
        if change.after.is_some() {
            let mirrored = mapper.forward(reader, std::slice::from_ref(change), Manner::Write, None).await?;
            effects.extend(mirrored.effects);
            image = mirrored.images.into_iter().next().map(|(_, image)| image);
        }
        let place = &change.place;
        let condition = same::unchanged(place, now, self.plan.universe(&place.table));
        let act = image.filter(|image| now != Some(image)).map_or(Act::Check, Act::Put);
        let own = Effect::new(place.clone(), act, condition);
        let mut all = vec![own];
        all.extend(unique_effects(effects, &[])?.into_iter().filter(|effect| effect.place != *place));
        Ok(all)
    }

    /// Takes the new items away from an item, which is carried over again afterwards.
    async fn let_go(&self, mapper: Mapper<'_>, held: Held, touched: &Touched) -> Result<(), Refusal> {
        let reader = Reader::new(&self.backend);
        let now = reader.get(&touched.place).await?;
        let info = now.as_ref().and_then(|now| self.plan.owner(Side::Old, &touched.place.table, now));
        let Some(info) = info else { return Ok(()) };
        let change = Change { info, place: touched.place.clone(), before: None, after: None };
        match self.writes(mapper, &reader, &change, now.as_ref(), &touched.had).await {
            Ok(effects) => self.send_effects(held, &effects).await.map(drop),
            Err(Unmapped::Backend(error)) => Err(error.into()),
            Err(Unmapped::Unfit(_)) => Ok(()),
        }
    }

    async fn send_effects(&self, held: Held, effects: &[Effect]) -> Result<Sent, Refusal> {
        let fence = self.home.holds_reads(held.fence);
        let mut transact_items = vec![fence.member()];
        transact_items.extend(effects.iter().map(Effect::member));
        let input = TransactWriteItemsInput {
            transact_items,
            client_request_token: Some(self.backend.token()?),
            ..TransactWriteItemsInput::default()
        };
        let error = match self.backend.ask::<TransactWriteItems>(input).await {
            Ok(_) => return Ok(Sent::Done),
            Err(error) => error,
        };
        let Some(reasons) = error.reasons().filter(|_| error.kind == ErrorKind::TransactionCanceledException)
        else {
            return Err(error.into());
        };
        if reasons.first().is_some_and(|reason| reason.cause() == Cause::Condition) {
            return Err(fenced());
        }
        for (effect, reason) in effects.iter().zip(reasons.iter().skip(1)) {
            match (reason.cause(), &effect.role) {
                (Cause::Fault(_), _) => return Err(error.into()),
                (Cause::Condition, Role::Claimed(_) | Role::Guard(..)) => {
                    return Ok(Sent::Claimed(effect.clone(), reason.item.clone()));
                }
                _ => {}
            }
        }
        Ok(Sent::Again)
    }

    /// The new item that has what another one needs; none if it is the item's own.
    fn in_way(&self, effect: &Effect, there: Option<&Item>, source: &Place) -> Option<(Place, String)> {
        let there = there?;
        match &effect.role {
            Role::Stale => None,
            Role::Claimed(_) => {
                let origins = hidden::origins(there).unwrap_or_default();
                let is_own =
                    origins.iter().all(|origin| self.is_origin(origin, source)) && !origins.is_empty();
                let what = format!("{} is made of another item than the one at {source}", effect.place);
                (!is_own).then(|| (effect.place.clone(), what))
            }
            Role::Guard(_, what) => {
                let here = self
                    .plan
                    .entities(Side::New)
                    .find(|info| info.table.name() == &*effect.place.table && owner(info, there).is_some())?;
                let holder = Place::at(here, owner(here, there)?);
                Some((
                    holder,
                    format!("the item at {source} cannot be carried over: there is already a {what}"),
                ))
            }
        }
    }

    /// Looks for the new items of old ones by their origins, where their keys depend on items that are gone.
    pub(crate) async fn adopt_orphans(
        &self,
        mapper: Mapper<'_>,
        held: Held,
        orphans: &[Place],
    ) -> Result<(), Refusal> {
        let mut had: BTreeMap<usize, Vec<(EntityId, Place)>> = BTreeMap::new();
        for table in self.plan.tables(Side::New) {
            let mut after = None;
            loop {
                let (items, next) = self.page(table, after, None).await?;
                for item in &items {
                    let Some(new) = self.plan.owner(Side::New, table, item) else { continue };
                    for origin in hidden::origins(item).unwrap_or_default() {
                        let at = orphans.iter().position(|place| self.is_origin(&origin, place));
                        if let Some(at) = at {
                            had.entry(at).or_default().push((new.at, Place::of(new, item)));
                        }
                    }
                }
                match next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
        }
        for (at, had) in had {
            let touched = Touched { place: orphans[at].clone(), before: Vec::new(), had };
            self.carry(mapper, held, &touched).await?;
        }
        Ok(())
    }
}
