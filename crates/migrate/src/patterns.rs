//! Patterns of the old design, each with its successor, and whether both reach the same items.
//!
//! The contents of items are compared item by item. This module compares the keys that a pattern reaches: those of the new
//! items that the mapping makes of the old pattern's items, and those that the successor reaches.

use std::collections::BTreeSet;
use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_core::FailureKind;
use sortkey_core::internals::{EntityInfo, Fields, View, is_deleted, is_expired, reached, read_whole};
use sortkey_design::model::ReadVerb;
use sortkey_design::program::{BindValue, Bound, Pattern, PatternId};
use sortkey_value::Map;

use crate::hidden;
use crate::mapper::{Mapper, Target, Unmapped};
use crate::place::Place;
use crate::plan::{Mapping, Plan, Side};
use crate::reader::Reader;
use crate::steady::Steady;

/// How often a difference is looked at again, and how long an index may need before the first time.
const LOOKS: usize = 4;
const LAG_MS: u64 = 50;

/// A pattern of the old design, and the one of the new design that answers in its place.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) name: Arc<str>,
    pub(crate) successor: Arc<str>,
    pub(crate) old: PatternId,
    pub(crate) new: PatternId,
    pub(crate) mapping: usize,
    /// Whether the successor is looked for by the same attributes, so that its arguments follow from those of the old one.
    pub(crate) is_parallel: bool,
}

/// How a pattern and its successor compare.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Compared {
    Same,
    /// A description of the difference.
    Differs(String),
    /// Its arguments do not follow from an item.
    Unable,
}

/// The attributes that parameters of a pattern equal, by name.
fn asked(plan: &Plan, side: Side, pattern: &Pattern) -> BTreeSet<Arc<str>> {
    let info = plan.info(side, pattern.entities[0]);
    let bound = pattern.binds.iter().filter(|bind| matches!(bind.value, BindValue::Parameter(_)));
    bound
        .filter_map(|bind| match bind.to {
            Bound::Attribute(id) => Some(info.name_of(id).clone()),
            Bound::Stored(_) => None,
        })
        .collect()
}

/// The new names of a set of old attributes; none if one of them is left behind or converted.
fn renamed(mapping: &Mapping, names: &BTreeSet<Arc<str>>) -> Option<BTreeSet<Arc<str>>> {
    let new = |name: &Arc<str>| mapping.back.iter().find(|(old, _)| old == name).map(|(_, new)| new.clone());
    names.iter().map(new).collect()
}

/// The old patterns that have a successor, and the names of those that have none.
pub(crate) fn pairs(plan: &Plan) -> (Vec<Pair>, Vec<Arc<str>>) {
    let (mut found, mut without) = (Vec::new(), Vec::new());
    for (old, pattern) in plan.old.program().patterns.entries() {
        let mut is_found = false;
        for (at, mapping) in plan.reading(pattern.entities[0]) {
            if let Some((new, successor, is_parallel)) = successor(plan, mapping, pattern) {
                is_found = true;
                found.push(Pair {
                    name: pattern.name.clone(),
                    successor,
                    old,
                    new,
                    mapping: at,
                    is_parallel,
                });
            }
        }
        if !is_found {
            without.push(pattern.name.clone());
        }
    }
    (found, without)
}

/// The pattern of the same name, or one that is asked the same way: of an item, by any of its keys.
fn successor(plan: &Plan, mapping: &Mapping, old: &Pattern) -> Option<(PatternId, Arc<str>, bool)> {
    let wanted = asked(plan, Side::Old, old);
    let named = renamed(mapping, &wanted);
    let has_sieve = |pattern: &Pattern| !pattern.filters.is_empty() || !pattern.conditions.is_empty();
    let candidates = || {
        plan.new.program().patterns.entries().filter(|(_, new)| {
            new.entities[0] == mapping.of.new && (new.verb == ReadVerb::Get) == (old.verb == ReadVerb::Get)
        })
    };
    let is_parallel = |new: &Pattern| named.as_ref() == Some(&asked(plan, Side::New, new));
    let same_name = candidates().find(|(_, new)| new.name == old.name);
    let fits = |new: &Pattern| match old.verb {
        ReadVerb::Get => true,
        _ => is_parallel(new) || wanted.is_empty() && asked(plan, Side::New, new).is_empty(),
    };
    let chosen = same_name.filter(|(_, new)| fits(new)).or_else(|| {
        candidates()
            .find(|(_, new)| is_parallel(new) && !wanted.is_empty() && !has_sieve(new) && !has_sieve(old))
    })?;
    let (id, new) = chosen;
    Some((id, new.name.clone(), is_parallel(new)))
}

impl Mapper<'_> {
    /// Compares until both sides agree, or it is clear that they do not. Writers may be at work, and indexes may lag behind
    /// their tables, so a difference counts if it stays. `source` is an old item that is asked for.
    pub(crate) async fn compare_steadily(
        &self,
        backend: &Steady,
        pair: &Pair,
        known: &Fields,
        source: Option<(&EntityInfo, &Place)>,
    ) -> Result<Compared, ApiError> {
        let mut last = Compared::Unable;
        for look in 0..LOOKS {
            if look > 0 {
                backend.wait(LAG_MS << look).await;
            }
            last = match self.compare_once(&Reader::new(backend), pair, known, source).await {
                Ok(other) => other,
                Err(Unmapped::Backend(error)) => return Err(error),
                // A pattern that asks for its caller has none here.
                Err(Unmapped::Unfit(failure)) => match failure.kind {
                    FailureKind::Invalid | FailureKind::Forbidden | FailureKind::Unauthenticated => {
                        Compared::Unable
                    }
                    _ => Compared::Differs(failure.message),
                },
            };
            if !matches!(last, Compared::Differs(_)) {
                break;
            }
        }
        Ok(last)
    }

    async fn compare_once(
        &self,
        reader: &Reader<'_>,
        pair: &Pair,
        known: &Fields,
        source: Option<(&EntityInfo, &Place)>,
    ) -> Result<Compared, Unmapped> {
        let Some((info, place)) = source.filter(|_| !pair.is_parallel) else {
            return self.compare_answers(reader, pair, known, None).await;
        };
        // The successor is asked for the new item of this very one.
        let Some(item) = reader.get(place).await? else { return Ok(Compared::Unable) };
        let known = read_whole(&self.plan.old.scope(None), info, &hidden::bare(&item))?;
        let new = self.plan.mappings[pair.mapping].of.new;
        let made = self.targets(reader, info, &hidden::bare(&item), &mut Vec::new()).await?;
        let target = made.into_iter().find(|target| target.new == new);
        self.compare_answers(reader, pair, &known, target.as_ref()).await
    }

    /// Compares what a pattern and its successor reach. `known` are attributes of an old item; its new ones give the
    /// arguments of the successor.
    async fn compare_answers(
        &self,
        reader: &Reader<'_>,
        pair: &Pair,
        known: &Fields,
        target: Option<&Target>,
    ) -> Result<Compared, Unmapped> {
        let Some(keys) = reached(&self.plan.old, pair.old, known).await? else {
            return Ok(Compared::Unable);
        };
        let mapping = &self.plan.mappings[pair.mapping];
        let old = self.plan.info(Side::Old, mapping.of.old);
        let new = self.plan.info(Side::New, mapping.of.new);
        let places: Vec<Place> = keys.into_iter().map(|key| Place::at(old, key)).collect();
        reader.fetch(&places).await?;
        let mut wanted: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut found_target = target.cloned();
        for place in &places {
            let Some(item) = reader.get(place).await? else { continue };
            // Items of other entities in a collection are compared with their own patterns.
            if self.plan.owner(Side::Old, &place.table, &item).is_none_or(|info| info.at != old.at) {
                continue;
            }
            let fields = read_whole(&self.plan.old.scope(None), old, &hidden::bare(&item))?;
            if is_expired(&self.plan.old.scope(None), View::of(old.at, &fields)) {
                continue;
            }
            for made in self.targets(reader, old, &hidden::bare(&item), &mut Vec::new()).await? {
                if made.new != new.at {
                    continue;
                }
                let scope = self.plan.new.scope(None);
                let view = View::of(new.at, &made.fields);
                if !is_expired(&scope, view) && !is_deleted(&scope, view)? {
                    wanted.insert(print(&made.place.map()));
                }
                found_target.get_or_insert(made);
            }
        }
        let arguments = match (&found_target, pair.is_parallel) {
            (Some(target), false) => target.fields.clone(),
            (_, true) => {
                let mut arguments = Fields::new();
                for (was, is) in &mapping.back {
                    if let Some(value) = known.get(was) {
                        arguments.insert(is.clone(), value.clone());
                    }
                }
                arguments
            }
            (None, false) => return Ok(Compared::Unable),
        };
        let Some(keys) = reached(&self.plan.new, pair.new, &arguments).await? else {
            return Ok(Compared::Unable);
        };
        let is_ours = |key: &&Map| new.parts().all(|part| key.contains_key(&**part));
        let found: BTreeSet<Vec<u8>> = keys.iter().filter(is_ours).map(print).collect();
        if found == wanted {
            return Ok(Compared::Same);
        }
        let (missing, extra) = (wanted.difference(&found).count(), found.difference(&wanted).count());
        Ok(Compared::Differs(format!(
            "`{}` reaches {} items, `{}` of the new design {}: {missing} missing, {extra} too many",
            pair.name,
            wanted.len(),
            pair.successor,
            found.len()
        )))
    }
}

/// A key as bytes, for comparison.
fn print(key: &Map) -> Vec<u8> {
    sortkey_value::Item::from_map(key).as_bytes().to_vec()
}
