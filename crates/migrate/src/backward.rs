//! Maps a change of a new item back to the old ones, so that the old design can take over again.
//!
//! Only the parts of old items change that the new item changed: attributes that the mapping drops, and digits that a
//! narrower type cannot hold, stay. If no old item has the new image, the old one is marked with what it lacks: there is no
//! way back while such marks exist.

use sha2::{Digest, Sha256};
use sortkey_core::Failure;
use sortkey_core::internals::{EntityInfo, Fields, Val, hex, id_of_seed, mapped, read_whole};
use sortkey_design::program::{ExprKind, Fill, Type};
use sortkey_value::{AttributeValue, Item};

use crate::effect::{Act, Effect, guards};
use crate::forward::{Change, Manner, Mirrored, patch};
use crate::hidden::{self, Origin};
use crate::mapper::{Mapper, Target, Unmapped};
use crate::place::Place;
use crate::plan::{Mapping, Side, stored_names};
use crate::reader::Reader;
use crate::same;

/// All attributes differ: the mapping makes no item here.
const EVERYTHING: &str = "*";

/// As many digits as keep made-up ids apart.
const DIGITS: usize = 32;

/// The images of a new item, as attributes.
struct Images {
    before: Option<Fields>,
    after: Option<Fields>,
}

impl<'p> Mapper<'p> {
    /// The writes of old items that belong to changes of new ones, and the new items with their origins.
    pub(crate) async fn backward(
        &self,
        reader: &Reader<'_>,
        changes: &[Change<'p>],
    ) -> Result<Mirrored, Unmapped> {
        let mut mirrored = Mirrored::default();
        for change in changes {
            let scope = self.plan.new.scope(None);
            let read = |item: &Option<Item>| {
                item.as_ref().map(|item| read_whole(&scope, change.info, item)).transpose()
            };
            let images = Images { before: read(&change.before)?, after: read(&change.after)? };
            let in_place = self
                .plan
                .making(change.info.at)
                .find(|(_, mapping)| self.plan.info(Side::Old, mapping.of.old).table == change.info.table);
            match in_place {
                Some((_, mapping)) => self.back_in_place(change, mapping, &images, &mut mirrored)?,
                None => self.back_elsewhere(reader, change, &images, &mut mirrored).await?,
            }
        }
        Ok(mirrored)
    }

    async fn back_elsewhere(
        &self,
        reader: &Reader<'_>,
        change: &Change<'p>,
        images: &Images,
        mirrored: &mut Mirrored,
    ) -> Result<(), Unmapped> {
        let origins = change.before.as_ref().and_then(hidden::origins).unwrap_or_default();
        let mut sources: Vec<Change<'p>> = Vec::new();
        for origin in &origins {
            let Some(info) = self.plan.old_called(&origin.entity) else { continue };
            let place = Place::at(info, origin.key.clone());
            let Some(before) = reader.get(&place).await? else { continue };
            // An old item that cannot hold what the new one has stays as it is, and is marked below.
            let patched = self.source(change, images, info, Some(&before)).ok();
            let patched = patched.filter(|(there, _)| *there == place).map(|(_, item)| item);
            let after = images.after.as_ref().map(|_| patched.unwrap_or_else(|| before.clone()));
            sources.push(Change { info, place, before: Some(before), after });
        }
        if sources.is_empty() && images.after.is_some() {
            sources.extend(self.invented(reader, change, images).await?);
        }
        let marks = self.marks(reader, change, images, &sources).await;
        for source in &mut sources {
            let splits = self.plan.reading(source.info.at).count() > 1;
            match &source.after {
                Some(after) => source.after = Some(marked(after, &marks)),
                // The other new items of the old one live on.
                None if splits => {
                    source.after = source.before.as_ref().map(|item| marked(item, &[EVERYTHING.to_owned()]))
                }
                None => {}
            }
        }
        for source in &sources {
            mirrored.effects.extend(self.replaced(source)?);
        }
        if self.plan.mappings.len() > 1 {
            let others = self.forward(reader, &sources, Manner::Write, Some(&change.place)).await;
            // Items that cannot be mapped forward are marked already.
            mirrored.effects.extend(
                others.map(|others| others.effects).unwrap_or_default().into_iter().filter(|each| {
                    each.place != change.place && !sources.iter().any(|source| source.place == each.place)
                }),
            );
        }
        if let Some(after) = &change.after {
            let origins: Vec<Origin> =
                sources.iter().map(|each| Origin::of(each.info, &each.place)).collect();
            let image = hidden::with(after, hidden::FROM, Some(hidden::origins_value(&origins)));
            mirrored.images.push((change.place.clone(), image));
        }
        Ok(())
    }

    /// The old item of a new one that has none yet: of the first mapping that leads back to it.
    async fn invented(
        &self,
        reader: &Reader<'_>,
        change: &Change<'p>,
        images: &Images,
    ) -> Result<Option<Change<'p>>, Unmapped> {
        for (_, mapping) in self.plan.making(change.info.at) {
            let info = self.plan.info(Side::Old, mapping.of.old);
            let Ok((place, after)) = self.source(change, images, info, None) else { continue };
            let before = reader.get(&place).await?;
            return Ok(Some(Change { info, place, before, after: Some(after) }));
        }
        Ok(None)
    }

    /// An old item with what a new one changed.
    fn source(
        &self,
        change: &Change<'_>,
        images: &Images,
        info: &EntityInfo,
        there: Option<&Item>,
    ) -> Result<(Place, Item), Failure> {
        let after = images.after.clone().unwrap_or_default();
        let mapping =
            self.plan.making(change.info.at).map(|(_, each)| each).find(|each| each.of.old == info.at);
        let Some(mapping) = mapping else {
            return Err(Failure::new(sortkey_core::FailureKind::Internal, "no mapping leads back"));
        };
        let scope = self.plan.scope(Side::Old, self.now_ms);
        let mut fields =
            there.map(|item| read_whole(&scope, info, &hidden::bare(item))).transpose()?.unwrap_or_default();
        let before = images.before.clone().filter(|_| there.is_some()).unwrap_or_default();
        let back = |name: &std::sync::Arc<str>| {
            mapping.back.iter().find(|(_, new)| new == name).map(|(old, _)| old.clone())
        };
        let earlier = fields.clone();
        patch(&mut fields, &before, &after, back);
        // The new design may take an attribute away that no old item may lack: the old one keeps what it has.
        for attribute in
            info.of(self.plan.old.program()).attributes.iter().filter(|each| !each.may_be_absent())
        {
            if let (None, Some(value)) = (fields.get(&attribute.name), earlier.get(&attribute.name)) {
                fields.insert(attribute.name.clone(), value.clone());
            }
        }
        if there.is_none() {
            self.invent(change, mapping, info, &mut fields);
        } else {
            // Each of several origins has the whole of what they have in common.
            for id in &mapping.of.merge {
                let name = change.info.name_of(*id);
                if let (Some(old), Some(value)) = (back(name), after.get(name)) {
                    fields.insert(old, value.clone());
                }
            }
        }
        let (_, item) = mapped(&scope, info, fields)?;
        let item = match there {
            Some(there) => with_rest(self.plan.old.program(), info, &hidden::bare(there), &item),
            None => item,
        };
        Ok((Place::of(info, &item), item))
    }

    /// Ids that the new item does not have are made of its key: the same ones whenever they are made.
    fn invent(&self, change: &Change<'_>, mapping: &Mapping, info: &EntityInfo, fields: &mut Fields) {
        let program = self.plan.old.program();
        let entity = info.of(program);
        for (id, name) in mapping.dropped(program) {
            let attribute = &entity.attributes[id];
            let is_new =
                matches!(&attribute.fill, Some(Fill { value, .. }) if matches!(value.kind, ExprKind::New));
            let is_key = entity.key_attributes.contains(&id);
            if !(is_new || is_key) || fields.get(name).is_some() {
                continue;
            }
            let mut seed = Sha256::new();
            seed.update(change.place.table.as_bytes());
            seed.update(&**change.place.key.as_bytes());
            seed.update(name.as_bytes());
            let seed: [u8; 32] = seed.finalize().into();
            let made = match &*attribute.ty {
                Type::String { max, .. } => {
                    let most = max.and_then(|max| usize::try_from(max).ok()).unwrap_or(DIGITS).min(DIGITS);
                    Some(hex(&seed)[..most].to_owned())
                }
                ty => id_of_seed(seed, self.now_ms, ty),
            };
            if let Some(made) = made {
                fields.insert(name.clone(), Val::Text(made));
            }
        }
    }

    /// The attributes of a new item that the mapping makes otherwise of its old ones.
    async fn marks(
        &self,
        reader: &Reader<'_>,
        change: &Change<'p>,
        images: &Images,
        sources: &[Change<'p>],
    ) -> Vec<String> {
        let Some(wanted) = &images.after else { return Vec::new() };
        let mut targets: Vec<Target> = Vec::new();
        for source in sources {
            let Some(after) = &source.after else { continue };
            let made = self.targets(reader, source.info, &hidden::bare(after), &mut Vec::new()).await;
            targets.extend(made.unwrap_or_default().into_iter().filter(|each| each.place == change.place));
        }
        let Ok(Some(made)) = self.combined(targets) else { return vec![EVERYTHING.to_owned()] };
        let names = made.fields.keys().chain(wanted.keys());
        let mut names: Vec<String> = names
            .filter(|name| made.fields.get(name) != wanted.get(name))
            .map(|name| format!("{}.{name}", change.info.name))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The write of an old item, with its guards.
    fn replaced(&self, change: &Change<'_>) -> Result<Vec<Effect>, Failure> {
        let scope = self.plan.old.scope(None);
        let read =
            |item: &Option<Item>| item.as_ref().map(|item| read_whole(&scope, change.info, item)).transpose();
        let (before, after) = (read(&change.before)?, read(&change.after)?);
        let condition =
            same::unchanged(&change.place, change.before.as_ref(), self.plan.universe(&change.place.table));
        let act = match &change.after {
            Some(item) if change.before.as_ref() == Some(item) => Act::Check,
            Some(item) => Act::Put(item.clone()),
            None => Act::Delete,
        };
        let mut effects = vec![Effect::new(change.place.clone(), act, condition)];
        effects.extend(guards(
            *self,
            Side::Old,
            change.info,
            &change.place,
            before.as_ref(),
            after.as_ref(),
        )?);
        Ok(effects)
    }

    /// An item that both designs share: the attributes of the old design follow the changes of the new one.
    fn back_in_place(
        &self,
        change: &Change<'p>,
        mapping: &Mapping,
        images: &Images,
        mirrored: &mut Mirrored,
    ) -> Result<(), Failure> {
        let Some(after) = &change.after else { return Ok(()) };
        let info = self.plan.info(Side::Old, mapping.of.old);
        let (_, old) = self.source(change, images, info, change.before.as_ref())?;
        let own = stored_names(self.plan.new.program(), change.info.at);
        let mut map = after.to_map();
        for name in stored_names(self.plan.old.program(), info.at) {
            if !own.contains(&name) {
                map.remove(&name);
            }
        }
        for (name, value) in old.to_map() {
            map.entry(name).or_insert(value);
        }
        mirrored.images.push((change.place.clone(), map.into()));
        Ok(())
    }
}

/// An old item, marked with what its new one has beyond it.
fn marked(item: &Item, marks: &[String]) -> Item {
    let value = (!marks.is_empty()).then(|| AttributeValue::string_set(marks.iter().cloned()));
    hidden::with(item, hidden::AHEAD, value)
}

/// An item with attributes of an earlier image that the design does not declare.
fn with_rest(program: &sortkey_design::Program, info: &EntityInfo, there: &Item, item: &Item) -> Item {
    let declared = stored_names(program, info.at);
    let mut map = item.to_map();
    for (name, value) in there.to_map() {
        if !declared.contains(&name) {
            map.entry(name).or_insert(value);
        }
    }
    map.into()
}
