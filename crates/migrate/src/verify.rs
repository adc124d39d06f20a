//! The comparison: every old item with its new ones, every new item with its old ones, every guard with its owner. Answers are
//! compared in `answers.rs`.
//!
//! Writers may be at work. Items that differ are read again;
//! a difference counts if it is there when both sides have not changed.

use std::sync::Arc;

use sortkey_core::internals::{
    EntityInfo, Fields, Scope, View, guard_item, held, is_deleted, is_expired, is_reserved, owner, read_whole,
};
use sortkey_value::{Item, Map};

use crate::hidden::{self, Origin};
use crate::mapper::{Mapper, Target, Unmapped};
use crate::place::Place;
use crate::plan::Side;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::Runner;
use crate::state::{Phase, State, Verified};

/// How often a difference is looked at again.
const LOOKS: usize = 3;
/// As many differences as are described.
const LISTED: usize = 100;
/// As many items as are compared with one request for the other side.
const TOGETHER: usize = 50;
/// As many answers of each pattern as are compared unless all are asked for.
const SAMPLE: u64 = 500;

/// Something that one side has otherwise than the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The place of the item.
    pub place: Place,
    /// A description.
    pub what: String,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Items that were compared, of both sides.
    pub items: u64,
    /// How many differ.
    pub differences: u64,
    /// The first of them.
    pub listed: Vec<Difference>,
    /// The patterns of the old design, each with its successor.
    pub patterns: Vec<Answers>,
    /// Patterns of the old design that the new one has no successor of.
    pub without: Vec<Arc<str>>,
    /// Whether other programs write the old tables, and are followed.
    pub(crate) is_captured: bool,
}

/// How the answers of a pattern compare with those of its successor.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The pattern of the old design.
    pub old: Arc<str>,
    /// Its successor.
    pub new: Arc<str>,
    /// Answers that were compared.
    pub compared: u64,
    /// How many differ.
    pub differences: u64,
}

/// How many answers of each pattern are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Of about so many different arguments, spread over all.
    Sample(u64),
    /// Of all.
    Full,
}

impl Report {
    pub(crate) fn add(&mut self, found: Vec<Difference>) {
        self.differences += found.len() as u64;
        let room = LISTED.saturating_sub(self.listed.len());
        self.listed.extend(found.into_iter().take(room));
    }
}

impl Runner {
    /// Compares every item of both sides, and a sample of the answers; see [`Runner::verify_to`].
    pub async fn verify(&self, watcher: &mut (dyn FnMut(&Report) + Send)) -> Result<Report, Refusal> {
        self.verify_to(Extent::Sample(SAMPLE), watcher).await
    }

    /// Compares both sides, and the answers of both designs, and writes down what came of it.
    pub async fn verify_to(
        &self,
        extent: Extent,
        watcher: &mut (dyn FnMut(&Report) + Send),
    ) -> Result<Report, Refusal> {
        let state = self.begun().await?;
        let gate = state.reached(&self.plan).map(str::to_owned);
        if !state.is_copied(&self.plan) && gate.is_none() {
            return Err(Refusal::new(
                "the copy has reached neither its end nor a gate: there is nothing to compare yet",
            ));
        }
        // New items are compared wherever they are: each is made of old ones, by the copy or by a writer.
        let copied: Vec<Arc<str>> = state.copied(&self.plan).map(|stage| stage.table.clone()).collect();
        let is_captured = state.captured && state.phase < Phase::Switched;
        let mut report = Report { is_captured, ..Report::default() };
        let mapper = Mapper { plan: &self.plan, now_ms: state.now_ms };
        for table in &copied {
            self.each_page(table, &mut report, watcher, Side::Old, mapper).await?;
        }
        for table in self.plan.tables(Side::New) {
            self.each_page(table, &mut report, watcher, Side::New, mapper).await?;
        }
        // Answers are derived from items: while items differ, answers would only repeat the differences.
        if report.differences == 0 {
            self.verify_answers(mapper, extent, &copied, &mut report).await?;
            watcher(&report);
        }
        let verified = Verified {
            at_ms: self.backend.now_ms(),
            items: report.items,
            differences: report.differences,
            epoch: state.epoch,
            gate,
        };
        self.change(|state| {
            state.verified = Some(verified.clone());
            Ok(())
        })
        .await?;
        Ok(report)
    }

    /// Compares the answers of both designs alone; nothing is written down.
    pub async fn answers(&self, extent: Extent) -> Result<Report, Refusal> {
        let mapper = Mapper { plan: &self.plan, now_ms: self.begun().await?.now_ms };
        let mut report = Report::default();
        self.verify_answers(mapper, extent, self.plan.tables(Side::Old), &mut report).await?;
        Ok(report)
    }

    /// Compares every new item with its old ones, wherever the copy is; nothing is written down.
    pub(crate) async fn compare_new_items(&self, state: &State) -> Result<Report, Refusal> {
        let mapper = Mapper { plan: &self.plan, now_ms: state.now_ms };
        let mut report = Report::default();
        for table in self.plan.tables(Side::New) {
            self.each_page(table, &mut report, &mut |_| (), Side::New, mapper).await?;
        }
        Ok(report)
    }

    async fn each_page(
        &self,
        table: &str,
        report: &mut Report,
        watcher: &mut (dyn FnMut(&Report) + Send),
        side: Side,
        mapper: Mapper<'_>,
    ) -> Result<(), Refusal> {
        let mut after = None;
        loop {
            let (items, next) = self.page(table, after, None).await?;
            let mut suspects = Vec::new();
            for chunk in items.chunks(TOGETHER) {
                let reader = Reader::new(&self.backend);
                match side {
                    Side::Old => self.prefetch_targets(mapper, &reader, table, chunk).await?,
                    Side::New => self.prefetch_sources(&reader, table, chunk).await?,
                }
                for item in chunk {
                    let found = match side {
                        Side::Old => self.look_at_old(mapper, &reader, table, item, report).await?,
                        Side::New => self.look_at_new(mapper, &reader, table, item, report).await?,
                    };
                    match report.is_captured && !found.is_empty() {
                        true => suspects.push(item.clone()),
                        false => report.add(found),
                    }
                }
            }
            if !suspects.is_empty() {
                report.add(self.still_different(mapper, side, table, suspects).await?);
            }
            watcher(report);
            match next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// Reads the new items of some old ones at once.
    async fn prefetch_targets(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        table: &str,
        items: &[Item],
    ) -> Result<(), Refusal> {
        let mut places = Vec::new();
        for item in items {
            let Some(info) = self.plan.owner(Side::Old, table, item) else { continue };
            if let Ok(targets) = mapper.targets(reader, info, &hidden::bare(item), &mut Vec::new()).await {
                places.extend(targets.into_iter().map(|each| each.place));
            }
        }
        Ok(reader.fetch(&places).await?)
    }

    async fn prefetch_sources(
        &self,
        reader: &Reader<'_>,
        table: &str,
        items: &[Item],
    ) -> Result<(), Refusal> {
        let mut places = Vec::new();
        for item in items.iter().filter(|item| self.plan.owner(Side::New, table, item).is_some()) {
            for origin in hidden::origins(item).unwrap_or_default() {
                let info = self.plan.old_called(&origin.entity);
                places.extend(info.map(|info| Place::at(info, origin.key)));
            }
        }
        Ok(reader.fetch(&places).await?)
    }

    /// Compares an old item with its new ones.
    pub(crate) async fn look_at_old(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        table: &str,
        item: &Item,
        report: &mut Report,
    ) -> Result<Vec<Difference>, Refusal> {
        let Some(info) = self.plan.owner(Side::Old, table, item) else { return Ok(Vec::new()) };
        report.items += 1;
        let mut found = self.compare_old(mapper, reader, info, item).await?;
        let place = Place::of(info, item);
        for _ in 0..LOOKS {
            if found.is_empty() {
                break;
            }
            // Both sides are read again, the old one first and last.
            let reader = Reader::new(&self.backend);
            let Some(now) = reader.get(&place).await? else { return Ok(Vec::new()) };
            found = self.compare_old(mapper, &reader, info, &now).await?;
            if Reader::new(&self.backend).get(&place).await?.as_ref() == Some(&now) {
                break;
            }
            self.backend.rest().await;
        }
        Ok(found)
    }

    pub(crate) async fn compare_old(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        info: &EntityInfo,
        item: &Item,
    ) -> Result<Vec<Difference>, Refusal> {
        let place = Place::of(info, item);
        let old = self.plan.old.scope(None);
        if let Ok(fields) = read_whole(&old, info, &hidden::bare(item))
            && is_expired(&old, View::of(info.at, &fields))
        {
            return Ok(Vec::new());
        }
        let targets = match mapper.targets(reader, info, &hidden::bare(item), &mut Vec::new()).await {
            Ok(targets) => targets,
            Err(Unmapped::Backend(error)) => return Err(error.into()),
            Err(Unmapped::Unfit(failure)) => return Ok(vec![Difference { place, what: failure.message }]),
        };
        let allowed = hidden::ahead(item);
        let mut found = Vec::new();
        for target in targets {
            let new = self.plan.info(Side::New, target.new);
            if target.place == place {
                found.extend(self.compare_in_place(mapper, item, &target));
                continue;
            }
            if mapper.is_over(&target) {
                continue;
            }
            let there = reader.get(&target.place).await?;
            let Some(there) = there else {
                found.push(difference(
                    &target.place,
                    format!("the {} is missing; it is made of {place}", new.name),
                ));
                continue;
            };
            let origins = hidden::origins(&there).unwrap_or_default();
            if !origins.contains(&Origin::of(info, &place)) {
                found.push(difference(
                    &target.place,
                    format!("the {} does not name {place} as its origin", new.name),
                ));
            }
            // An item made of several old ones is compared from the new side.
            if origins.len() == 1 {
                found.extend(self.compare_images(new, &there, &target, &allowed)?);
            }
        }
        Ok(found)
    }

    /// How a stored new item differs from what the mapping makes.
    fn compare_images(
        &self,
        info: &EntityInfo,
        there: &Item,
        target: &Target,
        allowed: &[String],
    ) -> Result<Vec<Difference>, Refusal> {
        let scope = self.plan.new.scope(None);
        let may = |name: &str| {
            allowed.iter().any(|each| {
                each == "*" || each.split_once('.').is_some_and(|(_, attribute)| attribute == name)
            })
        };
        let (stored, wanted) = (hidden::bare(there).to_map(), target.item.to_map());
        let mut wrong: Vec<&String> = stored
            .keys()
            .chain(wanted.keys())
            .filter(|name| stored.get(*name) != wanted.get(*name))
            .collect();
        wrong.sort_unstable();
        wrong.dedup();
        wrong.retain(|name| !may(name) && !name.starts_with("sortkey#"));
        if wrong.is_empty() {
            return Ok(Vec::new());
        }
        // Encrypted values are stored otherwise each time.
        let fields = read_whole(&scope, info, &hidden::bare(there)).ok();
        let is_same = |name: &str| {
            info.is_encrypted(name)
                && fields.as_ref().is_some_and(|fields| fields.get(name) == target.fields.get(name))
        };
        wrong.retain(|name| !is_same(name));
        if wrong.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<String> = wrong.iter().map(|name| format!("`{name}`")).collect();
        let what = format!(
            "{} of the {} is not what the mapping makes of {}",
            names.join(", "),
            info.name,
            target.source
        );
        Ok(vec![difference(&target.place, what)])
    }

    /// How an item of both designs differs from what the mapping makes of it.
    fn compare_in_place(&self, mapper: Mapper<'_>, item: &Item, target: &Target) -> Vec<Difference> {
        let info = self.plan.info(Side::New, target.new);
        let is_otherwise =
            |(name, value): &(&str, sortkey_value::ValueRef<'_>)| item.get(name) != Some(*value);
        let names: Vec<String> =
            target.item.iter().filter(is_otherwise).map(|(name, _)| name.to_owned()).collect();
        let what = match mapper.misread(target, item, &names) {
            Ok(wrong) if wrong.is_empty() => return Vec::new(),
            Ok(wrong) => {
                let wrong: Vec<String> = wrong.into_iter().map(|name| format!("`{name}`")).collect();
                format!("{} of the {} is not what the mapping makes", wrong.join(", "), info.name)
            }
            Err(failure) => failure.message,
        };
        vec![difference(&target.place, what)]
    }

    /// Compares a new item with its old ones.
    pub(crate) async fn look_at_new(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        table: &str,
        item: &Item,
        report: &mut Report,
    ) -> Result<Vec<Difference>, Refusal> {
        let first = self.plan.entities(Side::New).find(|info| info.table.name() == table);
        let Some(first) = first else { return Ok(Vec::new()) };
        let place = Place::of(first, item);
        if is_reserved(item, &first.partition) {
            return self.look_at_guard(first, &place, item).await;
        }
        let Some(info) = self.plan.owner(Side::New, table, item) else { return Ok(Vec::new()) };
        if self.plan.concerns(Side::Old, table) && !hidden::is_migrated(item) {
            return Ok(Vec::new());
        }
        report.items += 1;
        let mut found = self.compare_new(mapper, reader, info, &place, item).await?;
        for _ in 0..LOOKS {
            if found.is_empty() {
                break;
            }
            let reader = Reader::new(&self.backend);
            let Some(now) = reader.get(&place).await? else { return Ok(Vec::new()) };
            found = self.compare_new(mapper, &reader, info, &place, &now).await?;
            if Reader::new(&self.backend).get(&place).await?.as_ref() == Some(&now) {
                break;
            }
            self.backend.rest().await;
        }
        Ok(found)
    }

    pub(crate) async fn compare_new(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        info: &EntityInfo,
        place: &Place,
        item: &Item,
    ) -> Result<Vec<Difference>, Refusal> {
        let scope = self.plan.new.scope(None);
        let fields = match read_whole(&scope, info, &hidden::bare(item)) {
            Ok(fields) => fields,
            Err(failure) => return Ok(vec![difference(place, failure.message)]),
        };
        if is_expired(&scope, View::of(info.at, &fields)) {
            return Ok(Vec::new());
        }
        let mut found = self.compare_guards(&scope, reader, info, place, &fields).await?;
        let Some(origins) = hidden::origins(item) else {
            found.push(difference(place, format!("the {} was not made by the migration", info.name)));
            return Ok(found);
        };
        let mut targets = Vec::new();
        let mut allowed: Vec<String> = Vec::new();
        for origin in &origins {
            let Some(old) = self.plan.old_called(&origin.entity) else { continue };
            let source = Place::at(old, origin.key.clone());
            let Some(there) = reader.get(&source).await? else {
                found.push(difference(
                    place,
                    format!("the {} has no old item any more at {source}", info.name),
                ));
                continue;
            };
            allowed.extend(hidden::ahead(&there));
            match mapper.targets(reader, old, &hidden::bare(&there), &mut Vec::new()).await {
                Ok(made) => targets.extend(made.into_iter().filter(|each| each.place == *place)),
                Err(Unmapped::Backend(error)) => return Err(error.into()),
                // It was reported when the old item was compared.
                Err(Unmapped::Unfit(_)) => return Ok(found),
            }
        }
        if origins.is_empty() || !found.is_empty() {
            return Ok(found);
        }
        match mapper.combined(targets).map_err(Refusal::from)? {
            Some(target) => found.extend(self.compare_images(info, item, &target, &allowed)?),
            None if allowed.iter().any(|each| each == "*") => {}
            None => found
                .push(difference(place, format!("the mapping makes no {} here of its old items", info.name))),
        }
        Ok(found)
    }

    /// Guards that a new item lacks.
    async fn compare_guards(
        &self,
        scope: &Scope<'_>,
        reader: &Reader<'_>,
        info: &EntityInfo,
        place: &Place,
        fields: &Fields,
    ) -> Result<Vec<Difference>, Refusal> {
        let mut found = Vec::new();
        if is_deleted(scope, View::of(info.at, fields))? {
            return Ok(found);
        }
        for unique in info.of(self.plan.new.program()).uniques.ids() {
            let Some(key) = held(scope, info, unique, fields)? else { continue };
            let guard = Place::at(info, key.clone());
            let wanted: Map = guard_item(scope, info, &key, &place.map(), fields);
            match reader.get(&guard).await? {
                Some(there) if there.to_map() == wanted => {}
                Some(_) => found.push(difference(
                    &guard,
                    format!("the guard does not belong to the {} at {place}", info.name),
                )),
                None => found.push(difference(
                    &guard,
                    format!("the guard of the {} at {place} is missing", info.name),
                )),
            }
        }
        Ok(found)
    }

    /// A guard whose owner is gone, or does not have the value.
    async fn look_at_guard(
        &self,
        first: &EntityInfo,
        place: &Place,
        guard: &Item,
    ) -> Result<Vec<Difference>, Refusal> {
        let here = self.plan.entities(Side::New).filter(|info| info.table == first.table);
        let text = place.key.get(&first.partition).map(|value| format!("{value:?}")).unwrap_or_default();
        for info in here {
            let Some(at) = info.guards.iter().position(|prefix| text.contains(prefix.as_str())) else {
                continue;
            };
            let Some(owner) = owner(info, guard) else { continue };
            let scope = self.plan.new.scope(None);
            let reader = Reader::new(&self.backend);
            let item = reader.get(&Place::at(info, owner.clone())).await?;
            let uniques = &info.of(self.plan.new.program()).uniques;
            let holds = match &item {
                Some(item) => match (read_whole(&scope, info, &hidden::bare(item)), uniques.ids().nth(at)) {
                    (Ok(fields), Some(unique)) => held(&scope, info, unique, &fields)? == Some(place.map()),
                    _ => false,
                },
                None => false,
            };
            let is_still_there = Reader::new(&self.backend).get(place).await?.as_ref() == Some(guard);
            if !holds && is_still_there && !self.plan.concerns(Side::Old, &place.table) {
                return Ok(vec![difference(
                    place,
                    format!("the guard belongs to a {} that does not have its value", info.name),
                )]);
            }
        }
        Ok(Vec::new())
    }
}

fn difference(place: &Place, what: String) -> Difference {
    Difference { place: place.clone(), what }
}
