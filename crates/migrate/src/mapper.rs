//! The mapping as a function from an old item to its new items.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_core::internals::{EntityInfo, Fields, Scope, Val, View, is_expired, key_of, mapped, read_whole};
use sortkey_core::{Failure, FailureKind};
use sortkey_design::program::{EntityId, ExprKind, Fill, Type};
use sortkey_value::{AttributeValue, Item};

use crate::place::Place;
use crate::plan::{Mapping, Plan, Side, Source};
use crate::reader::Reader;

/// A new item that an old item is mapped to.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) new: EntityId,
    pub(crate) place: Place,
    /// The old item.
    pub(crate) source: Place,
    pub(crate) fields: Fields,
    /// As the new design stores it, without what the migration keeps beside it.
    pub(crate) item: Item,
}

/// An attribute of another old item that a value was taken from: a write that relies on it demands that it is unchanged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Referred {
    pub(crate) place: Place,
    pub(crate) name: Arc<str>,
    pub(crate) value: Option<AttributeValue>,
}

/// Evaluates the mappings of a plan.
#[derive(Clone, Copy)]
pub(crate) struct Mapper<'p> {
    pub(crate) plan: &'p Plan,
    /// The value of `now`.
    pub(crate) now_ms: i64,
}

/// Why an item has no image in the other design.
#[derive(Clone, Debug)]
pub(crate) enum Unmapped {
    /// Its values do not fit.
    Unfit(Failure),
    /// The backend refused to read something.
    Backend(ApiError),
}

impl From<Failure> for Unmapped {
    fn from(failure: Failure) -> Unmapped {
        Unmapped::Unfit(failure)
    }
}

impl From<ApiError> for Unmapped {
    fn from(error: ApiError) -> Unmapped {
        Unmapped::Backend(error)
    }
}

impl<'p> Mapper<'p> {
    /// The new items of an old item. An error names the item.
    pub(crate) async fn targets(
        &self,
        reader: &Reader<'_>,
        info: &EntityInfo,
        item: &Item,
        referred: &mut Vec<Referred>,
    ) -> Result<Vec<Target>, Unmapped> {
        let fields = read_whole(&self.plan.scope(Side::Old, self.now_ms), info, item)?;
        let source = Place::of(info, item);
        let mut targets = Vec::new();
        for (_, mapping) in self.plan.reading(info.at) {
            let named = |failure: Failure| self.named(info, item, mapping, failure);
            let mut scope = self.plan.scope(Side::Old, self.now_ms);
            self.refer(reader, &mut scope, mapping, info, &fields, Some(referred)).await.map_err(
                |unmapped| match unmapped {
                    Unmapped::Unfit(failure) => Unmapped::Unfit(named(failure)),
                    other => other,
                },
            )?;
            let Some(given) = self.given(&scope, mapping, info, &fields).map_err(named)? else { continue };
            let new = self.plan.info(Side::New, mapping.of.new);
            let (fields, item) =
                mapped(&self.plan.scope(Side::New, self.now_ms), new, given).map_err(named)?;
            let place = Place::of(new, &item);
            targets.push(Target { new: new.at, place, source: source.clone(), fields, item });
        }
        Ok(targets)
    }

    /// Whether a new item has expired by the rules of its design. It need not be there: DynamoDB may remove it at any time.
    pub(crate) fn is_over(&self, target: &Target) -> bool {
        is_expired(&self.plan.new.scope(None), View::of(target.new, &target.fields))
    }

    /// The places of an old item's new items. References to deleted items are absent: an item may outlive the items it
    /// points to, and must still be removable.
    pub(crate) async fn places(
        &self,
        reader: &Reader<'_>,
        info: &EntityInfo,
        item: &Item,
    ) -> Result<Vec<(usize, Place)>, Unmapped> {
        let all = self.all_places(reader, info, item).await?;
        Ok(all.into_iter().filter_map(|(at, place)| Some((at, place?))).collect())
    }

    /// The places of an old item's new items; none for a new item whose key depends on an item that is gone.
    pub(crate) async fn all_places(
        &self,
        reader: &Reader<'_>,
        info: &EntityInfo,
        item: &Item,
    ) -> Result<Vec<(usize, Option<Place>)>, Unmapped> {
        let fields = read_whole(&self.plan.scope(Side::Old, self.now_ms), info, item)?;
        let mut places = Vec::new();
        for (at, mapping) in self.plan.reading(info.at) {
            let mut scope = self.plan.scope(Side::Old, self.now_ms);
            self.refer(reader, &mut scope, mapping, info, &fields, None).await?;
            let Some(given) = self.given(&scope, mapping, info, &fields)? else { continue };
            let new = self.plan.info(Side::New, mapping.of.new);
            let scope = self.plan.scope(Side::New, self.now_ms);
            // A key that is computed needs the whole item; any other needs its own attributes alone.
            let key = mapped(&scope, new, given.clone()).ok().map(|(_, item)| new.key_of(&item));
            let key = key.or_else(|| key_of(&scope, new, &given));
            places.push((at, key.map(|key| Place::at(new, key))));
        }
        Ok(places)
    }

    /// Reads the items that `->` follows.
    async fn refer(
        &self,
        reader: &Reader<'_>,
        scope: &mut Scope<'_>,
        mapping: &Mapping,
        info: &EntityInfo,
        fields: &Fields,
        mut referred: Option<&mut Vec<Referred>>,
    ) -> Result<(), Unmapped> {
        for arrow in &mapping.arrows {
            let ExprKind::Arrow { base, to, attribute, .. } = &arrow.kind else { continue };
            let value = scope.eval(base, Some(View::of(info.at, fields)))?;
            if value.is_absent() {
                continue;
            }
            let other = self.plan.info(Side::Old, to.entity);
            let target = other.name_of(to.attribute);
            let known: Fields = [(target.clone(), value.clone())].into();
            let key = key_of(scope, other, &known).ok_or_else(|| {
                let message = format!("a {} cannot be read by its `{target}` alone", other.name);
                Failure::new(FailureKind::Internal, message)
            })?;
            let place = Place::at(other, key);
            match (reader.get(&place).await?, &mut referred) {
                (Some(item), referred) => {
                    let name = other.name_of(*attribute).clone();
                    if let Some(referred) = referred {
                        let value = item.get(&name).map(|value| value.to_owned());
                        let check = Referred { place, name, value };
                        if !referred.contains(&check) {
                            referred.push(check);
                        }
                    }
                    scope
                        .bring(other.at, read_whole(&self.plan.scope(Side::Old, self.now_ms), other, &item)?);
                }
                (None, None) => scope.bring(other.at, known),
                (None, Some(_)) => {
                    let message = format!("it points to a {} that is not there: {place}", other.name);
                    return Err(Unmapped::Unfit(Failure::new(FailureKind::NotFound, message)));
                }
            }
        }
        Ok(())
    }

    /// The values that a mapping gives; none if the item has no new one.
    fn given(
        &self,
        scope: &Scope<'_>,
        mapping: &Mapping,
        info: &EntityInfo,
        fields: &Fields,
    ) -> Result<Option<Fields>, Failure> {
        let view = View::of(info.at, fields);
        if let Some(condition) = &mapping.of.condition
            && !scope.accepts(condition, view)?
        {
            return Ok(None);
        }
        let mut given = Fields::new();
        for (name, source) in &mapping.sources {
            let value = match source {
                Source::Expression(at) => scope.eval(mapping.expression(*at), Some(view))?,
                Source::Name(old) => fields.get(old).cloned().unwrap_or_default(),
                Source::Nothing => Val::Absent,
            };
            if !value.is_absent() {
                given.insert(name.clone(), value);
            }
        }
        Ok(Some(given))
    }

    /// The image of several old items that have one new key.
    pub(crate) fn combined(&self, mut targets: Vec<Target>) -> Result<Option<Target>, Failure> {
        let Some(new) = targets.first().map(|each| each.new) else { return Ok(None) };
        let info = self.plan.info(Side::New, new);
        targets.sort_by_key(|each| self.age(each));
        let Some(mut newest) = targets.pop() else { return Ok(None) };
        if targets.is_empty() {
            return Ok(Some(newest));
        }
        let merged = self.plan.making(new).flat_map(|(_, mapping)| mapping.of.merge.iter().copied());
        let merged: Vec<Arc<str>> = merged.map(|id| info.name_of(id).clone()).collect();
        let mut given = newest.fields.clone();
        for name in merged {
            let mut members: Vec<Val> = Vec::new();
            for target in targets.iter().chain([&newest]) {
                let Some(Val::Set(own)) = target.fields.get(&name) else { continue };
                members
                    .extend(own.iter().filter(|each| !members.contains(each)).cloned().collect::<Vec<_>>());
            }
            if !members.is_empty() {
                given.insert(name, Val::Set(members));
            }
        }
        let (fields, item) = mapped(&self.plan.scope(Side::New, self.now_ms), info, given)?;
        newest.fields = fields;
        newest.item = item;
        Ok(Some(newest))
    }

    /// The order of old items with one new key: the time of their last change, or of their creation; then their keys.
    fn age(&self, target: &Target) -> (i64, Vec<u8>) {
        let entity = &self.plan.new.program().entities[target.new];
        let is_now =
            |fill: &Fill, derived: bool| fill.derived == derived && matches!(fill.value.kind, ExprKind::Now);
        let mut times = [true, false].into_iter().flat_map(|derived| {
            entity.attributes.iter().filter(move |each| {
                matches!(*each.ty, Type::Time { .. })
                    && each.fill.as_ref().is_some_and(|fill| is_now(fill, derived))
            })
        });
        let time = times.find_map(|each| match target.fields.get(&each.name) {
            Some(Val::Time(time)) => Some(*time),
            _ => None,
        });
        (time.unwrap_or(i64::MIN), target.source.key.as_bytes().to_vec())
    }

    /// Adds the name of the item to a failure.
    fn named(&self, info: &EntityInfo, item: &Item, mapping: &Mapping, failure: Failure) -> Failure {
        let new = self.plan.info(Side::New, mapping.of.new);
        let message = format!(
            "the {} at {} does not fit `{}` of the new design: {}",
            info.name,
            Place::of(info, item),
            new.name,
            failure.message
        );
        Failure { message, ..failure }
    }
}
