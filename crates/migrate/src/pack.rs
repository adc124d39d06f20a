//! A transaction of a copy: as many old items with their new ones as it has room for.

use std::collections::{HashMap, HashSet};

use parking_lot::Mutex;
use sortkey_core::internals::EntityInfo;
use sortkey_value::Item;

use crate::effect::{Act, Effect};
use crate::mirror::MAX_ITEMS;
use crate::place::Place;

/// The most bytes of a transaction, with room for what surrounds the items.
const MAX_BYTES: usize = 3_500_000;
/// The bytes of a write unit.
const UNIT_BYTES: usize = 1024;

/// An old item on its way.
pub(crate) struct Load<'p> {
    pub(crate) info: &'p EntityInfo,
    pub(crate) item: Item,
    pub(crate) attempts: u32,
    /// The writes that carry it over, once they are known.
    pub(crate) effects: Option<Vec<Effect>>,
}

impl Load<'_> {
    pub(crate) fn place(&self) -> Place {
        Place::of(self.info, &self.item)
    }
}

/// Places that a transaction in flight touches: another one would only conflict with it.
#[derive(Default)]
pub(crate) struct Busy {
    places: Mutex<HashSet<Place>>,
}

/// The outcome for a load that was offered.
pub(crate) enum Offered<'p> {
    Taken,
    /// There is no room for it.
    Full(Load<'p>),
    /// It meets a write of this transaction, or one in flight.
    Meets(Load<'p>),
}

/// A transaction that is being filled.
pub(crate) struct Pack<'p, 'b> {
    pub(crate) loads: Vec<Load<'p>>,
    pub(crate) members: Vec<Effect>,
    /// For every member, the loads that rely on it.
    pub(crate) owners: Vec<Vec<usize>>,
    at: HashMap<Place, usize>,
    bytes: usize,
    pub(crate) units: u64,
    busy: &'b Busy,
}

impl<'p, 'b> Pack<'p, 'b> {
    /// Begins with a check that every transaction has.
    pub(crate) fn new(first: Effect, busy: &'b Busy) -> Pack<'p, 'b> {
        let at = [(first.place.clone(), 0)].into();
        Pack {
            loads: Vec::new(),
            members: vec![first],
            owners: vec![Vec::new()],
            at,
            bytes: 0,
            units: 2,
            busy,
        }
    }

    /// Takes a load with the writes that carry it over, if it can.
    pub(crate) fn offer(&mut self, mut load: Load<'p>, effects: Vec<Effect>) -> Offered<'p> {
        let bytes: usize = effects.iter().map(|effect| weight(effect, &load)).sum();
        let fresh = places(&effects).into_iter().filter(|place| !self.at.contains_key(*place)).count();
        let is_full = self.members.len() + fresh > MAX_ITEMS || self.bytes + bytes > MAX_BYTES;
        if is_full && !self.loads.is_empty() {
            load.effects = Some(effects);
            return Offered::Full(load);
        }
        let meets = |effect: &Effect| {
            let there = self.at.get(&effect.place).map(|at| &self.members[*at]);
            there.is_some_and(|there| there.act != Act::Check || effect.act != Act::Check)
        };
        if effects.iter().any(meets) || !self.reserve(&effects) {
            load.effects = Some(effects);
            return Offered::Meets(load);
        }
        let owner = self.loads.len();
        for effect in effects {
            self.units += 2 * weight(&effect, &load).max(1).div_ceil(UNIT_BYTES) as u64;
            match self.at.get(&effect.place) {
                Some(at) => {
                    self.members[*at].condition.and(&effect.condition);
                    self.owners[*at].push(owner);
                }
                None => {
                    self.at.insert(effect.place.clone(), self.members.len());
                    self.members.push(effect);
                    self.owners.push(vec![owner]);
                }
            }
        }
        self.bytes += bytes;
        self.loads.push(load);
        Offered::Taken
    }

    /// Marks the places of some writes as busy, unless another transaction touches one of them.
    fn reserve(&self, effects: &[Effect]) -> bool {
        let mut places = self.busy.places.lock();
        let is_free =
            |effect: &Effect| self.at.contains_key(&effect.place) || !places.contains(&effect.place);
        if !effects.iter().all(is_free) {
            return false;
        }
        places.extend(effects.iter().map(|effect| effect.place.clone()));
        true
    }

    /// The places that the transaction changes.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Place> {
        self.members.iter().filter(|member| member.act != Act::Check).map(|member| &member.place)
    }
}

impl Drop for Pack<'_, '_> {
    fn drop(&mut self) {
        let mut places = self.busy.places.lock();
        for member in self.members.iter().skip(1) {
            places.remove(&member.place);
        }
    }
}

/// The places that writes touch, each once: several checks of one item are one member of a transaction.
pub(crate) fn places(effects: &[Effect]) -> HashSet<&Place> {
    effects.iter().map(|effect| &effect.place).collect()
}

/// The bytes that a write costs: of the item that is stored, or that is compared.
fn weight(effect: &Effect, load: &Load<'_>) -> usize {
    match &effect.act {
        Act::Put(item) => item.size_bytes(),
        Act::Check if effect.place.table == load.info.table.name().into() => load.item.size_bytes(),
        Act::Check | Act::Delete => UNIT_BYTES,
    }
}
