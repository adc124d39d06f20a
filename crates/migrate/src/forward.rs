//! Maps changes of old items to the new ones.

use std::sync::Arc;

use sortkey_core::internals::{EntityInfo, Fields, mapped, read_whole};
use sortkey_core::{Failure, FailureKind};
use sortkey_design::program::{EntityId, StoredKey};
use sortkey_value::{Item, Map};

use crate::effect::{Act, Effect, Role, guards};
use crate::hidden::{self, Origin};
use crate::mapper::{Mapper, Target, Unmapped};
use crate::place::Place;
use crate::plan::Side;
use crate::reader::Reader;
use crate::same;

/// An old item, before and after.
#[derive(Clone, Debug)]
pub(crate) struct Change<'p> {
    pub(crate) info: &'p EntityInfo,
    pub(crate) place: Place,
    pub(crate) before: Option<Item>,
    pub(crate) after: Option<Item>,
}

/// The writes that accompany a change.
#[derive(Debug, Default)]
pub(crate) struct Mirrored {
    pub(crate) effects: Vec<Effect>,
    /// Items that both designs share: the image stored at the place of the change itself.
    pub(crate) images: Vec<(Place, Item)>,
}

/// A new item that some old items had, or have from now on.
struct Wish {
    new: EntityId,
    place: Place,
    gains: Vec<Target>,
    /// The old items that no longer, or not yet again, are its origins.
    loses: Vec<Place>,
}

/// How the target may be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A writer changes old items: the new items are replaced.
    Write,
    /// A writer changes old items: the new items are removed, and made again by the copy.
    Remove,
    /// Nothing changes: new items are made where there are none.
    Copy,
}

impl<'p> Mapper<'p> {
    /// The writes of new items that belong to changes of old ones. `except` is left alone: its image is given.
    pub(crate) async fn forward(
        &self,
        reader: &Reader<'_>,
        changes: &[Change<'p>],
        manner: Manner,
        except: Option<&Place>,
    ) -> Result<Mirrored, Unmapped> {
        let mut mirrored = Mirrored::default();
        let mut wishes: Vec<Wish> = Vec::new();
        let mut referred = Vec::new();
        for change in changes {
            reader.assume(change.place.clone(), change.after.clone());
        }
        for change in changes {
            if let Some(after) = change.after.as_ref().filter(|_| manner != Manner::Remove) {
                let targets = self.targets(reader, change.info, &hidden::bare(after), &mut referred).await?;
                for target in targets {
                    if target.place != change.place {
                        self.apart(change.info, after, &target)?;
                        // What the new design counts as gone is not copied. A writer may still change it.
                        if manner != Manner::Copy || !self.is_over(&target) {
                            wish(&mut wishes, target.new, &target.place).gains.push(target);
                        }
                    } else {
                        let image = self.in_place(change.info, after, &target)?;
                        mirrored.images.push((change.place.clone(), image));
                        mirrored.effects.extend(self.further_guards(change, &target)?);
                    }
                }
            }
            if let Some(before) = change.before.as_ref().filter(|_| manner != Manner::Copy) {
                for (at, place) in self.places(reader, change.info, &hidden::bare(before)).await? {
                    if place != change.place {
                        let new = self.plan.mappings[at].of.new;
                        wish(&mut wishes, new, &place).loses.push(change.place.clone());
                    }
                }
            }
        }
        for wish in wishes.iter().filter(|wish| except != Some(&wish.place)) {
            self.grant(reader, changes, wish, manner, &mut mirrored.effects).await?;
        }
        let is_changed = |place: &Place| changes.iter().any(|change| change.place == *place);
        let checks = referred.iter().filter(|each| !is_changed(&each.place)).map(Effect::reference);
        mirrored.effects.extend(checks);
        Ok(mirrored)
    }

    /// The writes that take new items away from an old one, which makes them no more.
    pub(crate) async fn forsaken(
        &self,
        reader: &Reader<'_>,
        change: &Change<'p>,
        lost: &[(EntityId, Place)],
    ) -> Result<Vec<Effect>, Unmapped> {
        let mut effects = Vec::new();
        for (new, place) in lost {
            let loses = vec![change.place.clone()];
            let wish = Wish { new: *new, place: place.clone(), gains: Vec::new(), loses };
            self.grant(reader, std::slice::from_ref(change), &wish, Manner::Write, &mut effects).await?;
        }
        Ok(effects)
    }

    /// The writes that make a new item what its origins make of it.
    async fn grant(
        &self,
        reader: &Reader<'_>,
        changes: &[Change<'p>],
        wish: &Wish,
        manner: Manner,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Unmapped> {
        let info = self.plan.info(Side::New, wish.new);
        let merges = self.plan.making(wish.new).any(|(_, mapping)| mapping.merges());
        let is_guarded = !info.of(self.plan.new.program()).uniques.is_empty();
        let is_ahead = changes.iter().any(|change| {
            wish.concerns(&change.place)
                && change.before.as_ref().is_some_and(|item| !hidden::ahead(item).is_empty())
        });
        let sources: Vec<&Place> = wish.sources();
        let there = match merges || is_ahead || sources.len() > 1 || is_guarded && manner != Manner::Copy {
            true => Some(reader.get(&wish.place).await?),
            false => None,
        };
        let (image, origins) = match (merges, &there) {
            (true, Some(_)) if manner == Manner::Remove => (None, Vec::new()),
            (true, Some(there)) => self.union(reader, changes, wish, there.as_ref(), effects).await?,
            _ => (self.alone(wish)?, wish.origins(self, changes)),
        };
        let image = match (image, &there) {
            (Some(target), Some(Some(item))) if is_ahead => {
                Some(self.overlaid(reader, changes, wish, target, item).await?)
            }
            (image, _) => image,
        };
        let mut role = Role::Stale;
        let condition = match &there {
            Some(there) => {
                if let Some(stranger) =
                    there.as_ref().filter(|_| !merges).and_then(|item| wish.stranger(self, changes, item))
                {
                    return Err(collision(&info.name, &wish.place, &stranger).into());
                }
                same::unchanged(&wish.place, there.as_ref(), self.plan.universe(&wish.place.table))
            }
            None => {
                let own = hidden::origins_value(&wish.claims(self, changes));
                role = Role::Claimed(own.clone());
                match manner {
                    Manner::Write | Manner::Remove => same::vacant_or(&wish.place, hidden::FROM, own),
                    Manner::Copy => same::vacant(&wish.place),
                }
            }
        };
        let stored = image
            .as_ref()
            .map(|target| hidden::with(&target.item, hidden::FROM, Some(hidden::origins_value(&origins))));
        if manner == Manner::Copy && there.as_ref().is_some_and(|there| *there == stored) {
            return Ok(());
        }
        let scope = self.plan.new.scope(None);
        let before = there.flatten().map(|item| read_whole(&scope, info, &item)).transpose()?;
        let after = image.as_ref().map(|target| &target.fields);
        let act = stored.map_or(Act::Delete, Act::Put);
        effects.push(Effect { role, ..Effect::new(wish.place.clone(), act, condition) });
        if is_guarded {
            effects.extend(guards(*self, Side::New, info, &wish.place, before.as_ref(), after)?);
        }
        Ok(())
    }

    /// Refuses a new item in the table of its old one if a design would meet the other's item, by its key or in an index.
    pub(crate) fn apart(&self, old: &EntityInfo, item: &Item, target: &Target) -> Result<(), Failure> {
        if target.place.table != target.source.table {
            return Ok(());
        }
        let reaches = |side: Side, item: &Item| {
            let (runtime, table) = (self.plan.runtime(side), &*target.place.table);
            let program = runtime.program();
            let mut here = runtime.shared().entities.iter().filter(|info| info.table.name() == table);
            here.any(|info| {
                let indexes = program.table_of(info.at).into_iter().flat_map(|table| table.indexes.iter());
                let mut keys = indexes.map(|index| &index.key);
                let is_in = |key: &StoredKey| {
                    key.partition.iter().chain(&key.sort).all(|name| item.get(name).is_some())
                };
                info.fits(program, item) || keys.any(is_in)
            })
        };
        let is_mixed = reaches(Side::Old, &target.item) || reaches(Side::New, &hidden::bare(item));
        match is_mixed {
            true => Err(another_key(old, target)),
            false => Ok(()),
        }
    }

    /// The image of an item that has one origin.
    fn alone(&self, wish: &Wish) -> Result<Option<Target>, Failure> {
        match wish.gains.as_slice() {
            [] => Ok(None),
            [target] => Ok(Some(target.clone())),
            [first, second, ..] => {
                let info = self.plan.info(Side::New, wish.new);
                let message = format!(
                    "two old items become the same {} at {}: {}, and {}. Say how they combine with `merge`",
                    info.name, wish.place, first.source, second.source
                );
                Err(Failure::new(FailureKind::Conflict, message))
            }
        }
    }

    /// The image of an item that several old items make together, derived again from all that are left.
    async fn union(
        &self,
        reader: &Reader<'_>,
        changes: &[Change<'p>],
        wish: &Wish,
        there: Option<&Item>,
        effects: &mut Vec<Effect>,
    ) -> Result<(Option<Target>, Vec<Origin>), Unmapped> {
        let mut targets = wish.gains.clone();
        let mut origins = wish.origins(self, changes);
        for origin in there.and_then(hidden::origins).unwrap_or_default() {
            let Some(info) = self.plan.old_called(&origin.entity) else { continue };
            let place = Place::at(info, origin.key.clone());
            if wish.concerns(&place) {
                continue;
            }
            let item = reader.get(&place).await?;
            let condition = same::unchanged(&place, item.as_ref(), self.plan.universe(&place.table));
            effects.push(Effect::new(place.clone(), Act::Check, condition));
            let Some(item) = item else { continue };
            let mut referred = Vec::new();
            let others = match self.targets(reader, info, &hidden::bare(&item), &mut referred).await {
                Ok(others) => others,
                // It fitted when it became an origin: a cascade is deleting it with the item that it points to.
                Err(Unmapped::Unfit(_)) => continue,
                Err(unmapped) => return Err(unmapped),
            };
            effects.extend(referred.iter().map(Effect::reference));
            if let Some(other) = others.into_iter().find(|each| each.place == wish.place) {
                targets.push(other);
                origins.push(origin);
            }
        }
        Ok((self.combined(targets)?, origins))
    }

    /// The image of an item that the new design has changed beyond the mapping:
    /// only the attributes of this change are replaced.
    async fn overlaid(
        &self,
        reader: &Reader<'_>,
        changes: &[Change<'p>],
        wish: &Wish,
        target: Target,
        there: &Item,
    ) -> Result<Target, Unmapped> {
        let info = self.plan.info(Side::New, wish.new);
        let mut fields = read_whole(&self.plan.new.scope(None), info, there)?;
        let mut earlier = Fields::new();
        let source = changes.iter().find(|change| change.place == target.source);
        if let Some((change, before)) = source.and_then(|change| Some((change, change.before.as_ref()?))) {
            let targets = self.targets(reader, change.info, &hidden::bare(before), &mut Vec::new()).await?;
            if let Some(same) = targets.into_iter().find(|each| each.place == wish.place) {
                earlier = same.fields;
            }
        }
        patch(&mut fields, &earlier, &target.fields, |name| Some(name.clone()));
        let (fields, item) = mapped(&self.plan.scope(Side::New, self.now_ms), info, fields)?;
        Ok(Target { fields, item, ..target })
    }

    /// The guards of an item of both designs that the old one does not have itself.
    fn further_guards(&self, change: &Change<'_>, target: &Target) -> Result<Vec<Effect>, Failure> {
        let info = self.plan.info(Side::New, target.new);
        if info.of(self.plan.new.program()).uniques.is_empty() {
            return Ok(Vec::new());
        }
        let (old, new) = (self.plan.old.scope(None), self.plan.new.scope(None));
        let image =
            |item: &Option<Item>| item.as_ref().map(|item| read_whole(&old, change.info, item)).transpose();
        let own = guards(
            *self,
            Side::Old,
            change.info,
            &change.place,
            image(&change.before)?.as_ref(),
            image(&change.after)?.as_ref(),
        )?;
        let before = change.before.as_ref().and_then(|item| read_whole(&new, info, item).ok());
        let mut more = guards(*self, Side::New, info, &change.place, before.as_ref(), Some(&target.fields))?;
        more.retain(|guard| !own.iter().any(|each| each.place == guard.place));
        Ok(more)
    }

    /// An item that both designs share: the attributes that the old one stores, and those that the new one adds.
    pub(crate) fn in_place(&self, old: &EntityInfo, after: &Item, target: &Target) -> Result<Item, Failure> {
        let info = self.plan.info(Side::New, target.new);
        let program = self.plan.new.program();
        let own = crate::plan::stored_names(self.plan.old.program(), old.at);
        let mut map = after.to_map();
        for name in crate::plan::stored_names(program, info.at) {
            if !own.contains(&name) {
                map.remove(&name);
            }
        }
        let mut differing: Vec<String> = Vec::new();
        for (name, value) in target.item.to_map() {
            match map.get(&name) {
                Some(other) if *other != value => differing.push(name),
                _ => drop(map.insert(name, value)),
            }
        }
        let image: Item = map.into();
        if let Some(name) = self.misread(target, &image, &differing)?.into_iter().next() {
            return Err(otherwise(old, info, target, name));
        }
        Ok(image)
    }

    /// Of some attributes, those that the new design reads otherwise from an item than the mapping gives them. One value may
    /// have several stored forms: JSON as another program wrote it, or a ciphertext.
    pub(crate) fn misread<'n>(
        &self,
        target: &Target,
        item: &Item,
        names: &'n [String],
    ) -> Result<Vec<&'n String>, Failure> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let info = self.plan.info(Side::New, target.new);
        let read = read_whole(&self.plan.new.scope(None), info, &hidden::bare(item))?;
        let is_same =
            |name: &String| target.fields.get(name).is_some_and(|value| read.get(name) == Some(value));
        Ok(names.iter().filter(|name| !is_same(name)).collect())
    }
}

impl Wish {
    fn sources(&self) -> Vec<&Place> {
        let mut sources: Vec<&Place> = Vec::new();
        for place in self.gains.iter().map(|each| &each.source).chain(&self.loses) {
            if !sources.contains(&place) {
                sources.push(place);
            }
        }
        sources
    }

    fn concerns(&self, source: &Place) -> bool {
        self.loses.contains(source) || self.gains.iter().any(|each| each.source == *source)
    }

    /// The origins that the item has from now on, as far as they are among the changes.
    fn origins(&self, mapper: &Mapper<'_>, changes: &[Change<'_>]) -> Vec<Origin> {
        self.named(mapper, changes, self.gains.iter().map(|each| &each.source))
    }

    /// The origins that the item may have now.
    fn claims(&self, mapper: &Mapper<'_>, changes: &[Change<'_>]) -> Vec<Origin> {
        self.named(mapper, changes, self.sources().into_iter())
    }

    fn named<'a>(
        &self,
        _: &Mapper<'_>,
        changes: &[Change<'_>],
        places: impl Iterator<Item = &'a Place>,
    ) -> Vec<Origin> {
        let of = |place: &Place| changes.iter().find(|change| change.place == *place);
        places.filter_map(|place| of(place).map(|change| Origin::of(change.info, place))).collect()
    }

    /// An origin of the item there that is none of ours.
    fn stranger(&self, mapper: &Mapper<'_>, changes: &[Change<'_>], there: &Item) -> Option<Map> {
        let own = self.claims(mapper, changes);
        match hidden::origins(there) {
            Some(origins) => origins.into_iter().find(|each| !own.contains(each)).map(|each| each.key),
            None => Some(Map::new()),
        }
    }
}

fn wish<'w>(wishes: &'w mut Vec<Wish>, new: EntityId, place: &Place) -> &'w mut Wish {
    let at = match wishes.iter().position(|each| each.place == *place) {
        Some(at) => at,
        None => {
            wishes.push(Wish { new, place: place.clone(), gains: Vec::new(), loses: Vec::new() });
            wishes.len() - 1
        }
    };
    &mut wishes[at]
}

/// Carries the differences between two images over to a third.
pub(crate) fn patch(
    fields: &mut Fields,
    before: &Fields,
    after: &Fields,
    called: impl Fn(&Arc<str>) -> Option<Arc<str>>,
) {
    let names: Vec<Arc<str>> = before.keys().chain(after.keys()).cloned().collect();
    for name in names {
        let (was, is) = (before.get(&name), after.get(&name));
        let Some(own) = called(&name).filter(|_| was != is) else { continue };
        match is {
            Some(value) => fields.insert(own, value.clone()),
            None => drop(fields.remove(&own)),
        }
    }
}

/// The refusal of a place that an item of another origin has.
pub(crate) fn collision(name: &str, place: &Place, stranger: &Map) -> Failure {
    let from = match stranger.is_empty() {
        true => "an item that the migration did not make".to_owned(),
        false => format!("the item of {stranger:?}"),
    };
    let message = format!(
        "the {name} at {place} is there already, from {from}: say how old items combine with `merge`, or keep what tells them \
         apart in the key"
    );
    Failure::new(FailureKind::Conflict, message)
}

fn another_key(old: &EntityInfo, target: &Target) -> Failure {
    let message = format!(
        "the {} at {} would get another key in its own table, {}, where keys and indexes do not keep the items of the two designs \
         apart: give the new table another name",
        old.name, target.source, target.place
    );
    Failure::new(FailureKind::Invalid, message)
}

fn otherwise(old: &EntityInfo, info: &EntityInfo, target: &Target, name: &str) -> Failure {
    let message = format!(
        "`{name}` of the {} at {} is stored otherwise by {} of the new design, in the same table: give the new table \
         another name",
        old.name, target.source, info.name
    );
    Failure::new(FailureKind::Invalid, message)
}
