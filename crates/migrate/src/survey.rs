//! Counts the effects of a migration on the stored items, without writing anything.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_core::Failure;
use sortkey_core::internals::{EntityInfo, View, held, is_expired, is_pure, read_whole};
use sortkey_diagnostics::counted_with;
use sortkey_value::Item;

use crate::copy::LOOKS;
use crate::mapper::{Mapper, Target, Unmapped};
use crate::place::Place;
use crate::plan::{Side, Source};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::Runner;

/// As many items as are listed where they do not fit.
const LISTED: usize = 20;
/// The bytes of a write unit.
const UNIT_BYTES: usize = 1024;

/// The counted effects of a migration.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// By mapping, in their order.
    pub rows: Vec<Row>,
    /// Items that do not fit, the first of them.
    pub unfit: Vec<String>,
    /// How many do not fit.
    pub unfit_count: u64,
    /// Old items that have expired by the rules of either design and are not copied.
    pub expired: u64,
    /// Write units of the copy: a check of each old item, and the new items with their guards.
    pub write_units: u64,
    /// Read units of one strong read of everything.
    pub read_units: u64,
}

/// The survey of the items of one mapping.
#[derive(Clone, Debug)]
pub struct Row {
    /// The old entity.
    pub old: Arc<str>,
    /// The new entity.
    pub new: Arc<str>,
    /// The new table.
    pub table: String,
    /// Whether all items stay under their keys.
    pub in_place: bool,
    /// Old items that have a new one.
    pub items: u64,
    /// Different keys that they have.
    pub keys: u64,
    /// Attributes that are left behind, with the number of items that have them.
    pub dropped: Vec<(Arc<str>, u64)>,
    /// Attributes that are computed from now on, with the number of items that had another value.
    pub recomputed: Vec<(Arc<str>, u64)>,
    /// Attributes whose value the old item does not have: constants, defaults, computed values.
    pub invented: Vec<Arc<str>>,
    /// Attributes that have no way back: the old design cannot show it if the new one changes them.
    pub one_way: Vec<Arc<str>>,
}

impl Runner {
    /// Counts what the migration would do.
    pub async fn survey(&self, watcher: &mut (dyn FnMut(u64) + Send)) -> Result<Survey, Refusal> {
        let mut survey = Survey { rows: self.rows(), ..Survey::default() };
        let mut keys: Vec<HashSet<u64>> = vec![HashSet::new(); survey.rows.len()];
        let state = self.state().await?;
        if state.is_none() {
            self.is_current().await?;
        }
        let now_ms = state.map_or_else(|| self.backend.now_ms(), |state| state.now_ms);
        let mapper = Mapper { plan: &self.plan, now_ms };
        let mut holders = Holders::new();
        let mut seen = 0;
        for table in self.plan.tables(Side::Old) {
            let mut after = None;
            loop {
                let (items, next) = self.page(table, after, None).await?;
                let reader = Reader::new(&self.backend);
                for item in &items {
                    let Some(info) = self.plan.owner(Side::Old, table, item) else { continue };
                    seen += 1;
                    survey.read_units += item.size_bytes().div_ceil(4 * UNIT_BYTES) as u64;
                    self.count(mapper, &reader, info, item, &mut survey, &mut keys, &mut holders).await?;
                }
                watcher(seen);
                match next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
        }
        for (row, keys) in survey.rows.iter_mut().zip(&keys) {
            row.keys = keys.len() as u64;
        }
        Ok(survey)
    }

    /// Refuses to go on with old items that do not fit, with their keys, before anything is written.
    pub(crate) async fn fits(&self) -> Result<(), Refusal> {
        let survey = self.survey(&mut |_| ()).await?;
        if survey.unfit_count == 0 {
            return Ok(());
        }
        let why = format!(
            "{} not fit the new design, so nothing was started: repair them, or say in the mapping what becomes of them",
            counted_with(survey.unfit_count, "item", ("does", "do"))
        );
        let more = survey.unfit_count - survey.unfit.len() as u64;
        let more = (more > 0).then(|| format!("and {more} more"));
        Err(Refusal::all([why].into_iter().chain(survey.unfit).chain(more)))
    }

    fn rows(&self) -> Vec<Row> {
        let old_program = self.plan.old.program();
        let of = |mapping: &crate::plan::Mapping| {
            let (old, new) =
                (self.plan.info(Side::Old, mapping.of.old), self.plan.info(Side::New, mapping.of.new));
            let entity = new.of(self.plan.new.program());
            let is_computed = |name: &Arc<str>| {
                let attribute = entity.attributes.find(name).map(|id| &entity.attributes[id]);
                attribute
                    .and_then(|each| each.fill.as_ref())
                    .is_some_and(|fill| fill.derived && is_pure(&fill.value))
            };
            let has_way_back = |name: &Arc<str>| mapping.back.iter().any(|(_, new)| new == name);
            let named = |wanted: &dyn Fn(&Arc<str>, &Source) -> bool| -> Vec<Arc<str>> {
                let all = mapping.sources.iter().filter(|(name, source)| wanted(name, source));
                all.map(|(name, _)| name.clone()).collect()
            };
            Row {
                old: old.name.clone(),
                new: new.name.clone(),
                table: new.table.name().to_owned(),
                in_place: old.table == new.table,
                items: 0,
                keys: 0,
                dropped: mapping.dropped(old_program).map(|(_, name)| (name.clone(), 0)).collect(),
                recomputed: named(&|name, source| is_computed(name) && matches!(source, Source::Name(_)))
                    .into_iter()
                    .map(|name| (name, 0))
                    .collect(),
                invented: named(&|_, source| *source == Source::Nothing),
                one_way: named(&|name, _| !has_way_back(name) && !is_computed(name)),
            }
        };
        self.plan.mappings.iter().map(of).collect()
    }

    #[allow(clippy::too_many_arguments, reason = "what is read, and everything that is counted")]
    async fn count(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        info: &EntityInfo,
        item: &Item,
        survey: &mut Survey,
        keys: &mut [HashSet<u64>],
        holders: &mut Holders,
    ) -> Result<(), Refusal> {
        let scope = self.plan.old.scope(None);
        let fields = match read_whole(&scope, info, item) {
            Ok(fields) => fields,
            Err(failure) => {
                unfit(survey, failure.message);
                return Ok(());
            }
        };
        if is_expired(&scope, View::of(info.at, &fields)) {
            survey.expired += 1;
            return Ok(());
        }
        let place = Place::of(info, item);
        let targets = match self.targets_steadily(mapper, reader, info, item).await? {
            Some(Ok(targets)) => targets,
            Some(Err(failure)) => {
                unfit(survey, failure.message);
                return Ok(());
            }
            None => return Ok(()),
        };
        let is_copied = targets.iter().any(|target| target.place != place);
        if is_copied && targets.iter().all(|target| target.place != place) {
            // It is checked in the transaction that stores its new items.
            survey.write_units += units(item);
        }
        for target in &targets {
            let stored = match target.place == place {
                true => mapper.in_place(info, item, target).map(|image| {
                    // Written with what the new design adds, or checked beside other new items.
                    let is_sent = image != *item || is_copied;
                    survey.write_units += if is_sent { units(&image) } else { 0 };
                }),
                false => mapper.apart(info, item, target),
            };
            if let Err(failure) = stored {
                unfit(survey, failure.message);
                continue;
            }
            if let Some(message) = mapper.shared_value(info, &place, target, holders)? {
                unfit(survey, message);
                continue;
            }
            if target.place != place && mapper.is_over(target) {
                survey.expired += 1;
                continue;
            }
            let Some(at) = self.row(info, target) else { continue };
            let key = digest(&target.place);
            let is_taken = self.plan.making(target.new).any(|(maker, _)| keys[maker].contains(&key));
            if is_taken && !self.plan.making(target.new).any(|(_, mapping)| mapping.merges()) {
                unfit(survey, shared_key(info, &place, target));
                continue;
            }
            keys[at].insert(key);
            let row = &mut survey.rows[at];
            row.items += 1;
            row.in_place &= target.place == place;
            for (name, count) in &mut row.dropped {
                *count += u64::from(fields.get(name).is_some());
            }
            for (name, count) in &mut row.recomputed {
                *count += u64::from(fields.get(name) != target.fields.get(name));
            }
            if target.place != place {
                let new = self.plan.info(Side::New, target.new);
                let guards = new.of(self.plan.new.program()).uniques.len() as u64;
                survey.write_units += units(&target.item) + 2 * guards;
            }
        }
        Ok(())
    }

    /// The new items of an old one; none if it was deleted. One that does not fit is read again: a cascade may be deleting it
    /// with what it points to.
    async fn targets_steadily(
        &self,
        mapper: Mapper<'_>,
        reader: &Reader<'_>,
        info: &EntityInfo,
        item: &Item,
    ) -> Result<Option<Result<Vec<Target>, Failure>>, ApiError> {
        let mut targets = mapper.targets(reader, info, item, &mut Vec::new()).await;
        for _ in 0..LOOKS {
            if !matches!(targets, Err(Unmapped::Unfit(_))) {
                break;
            }
            let now = Reader::new(&self.backend);
            let Some(item) = now.get(&Place::of(info, item)).await? else { return Ok(None) };
            targets = mapper.targets(&now, info, &item, &mut Vec::new()).await;
        }
        match targets {
            Ok(targets) => Ok(Some(Ok(targets))),
            Err(Unmapped::Backend(error)) => Err(error),
            Err(Unmapped::Unfit(failure)) => Ok(Some(Err(failure))),
        }
    }

    fn row(&self, info: &EntityInfo, target: &Target) -> Option<usize> {
        self.plan.reading(info.at).find(|(_, mapping)| mapping.of.new == target.new).map(|(at, _)| at)
    }
}

/// The new item that has a unique value: by the digest of its guard's key, the digest of its own.
type Holders = HashMap<u64, u64>;

impl Mapper<'_> {
    /// Why a new item cannot have its unique values: another one has them already.
    fn shared_value(
        &self,
        old: &EntityInfo,
        source: &Place,
        target: &Target,
        holders: &mut Holders,
    ) -> Result<Option<String>, Refusal> {
        let info = self.plan.info(Side::New, target.new);
        let entity = info.of(self.plan.new.program());
        let scope = self.plan.new.scope(None);
        for unique in entity.uniques.ids() {
            let Some(key) = held(&scope, info, unique, &target.fields)? else { continue };
            let (guard, own) = (digest(&Place::at(info, key)), digest(&target.place));
            if *holders.entry(guard).or_insert(own) != own {
                let names: Vec<&str> =
                    entity.uniques[unique].attributes.iter().map(|id| &**info.name_of(*id)).collect();
                return Ok(Some(format!(
                    "the {} at {source} would be a second {} with this {}",
                    old.name,
                    info.name,
                    names.join(" and ")
                )));
            }
        }
        Ok(None)
    }
}

/// Why a new item cannot be made: another old one has made it.
fn shared_key(old: &EntityInfo, source: &Place, target: &Target) -> String {
    format!(
        "the {} at {source} becomes {}, as another item does: say how they combine with `merge`, or keep what tells them apart \
         in the key",
        old.name, target.place
    )
}

fn digest(place: &Place) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    hasher.finish()
}

/// Transactions cost twice the units.
fn units(item: &Item) -> u64 {
    2 * item.size_bytes().div_ceil(UNIT_BYTES) as u64
}

fn unfit(survey: &mut Survey, message: String) {
    survey.unfit_count += 1;
    if survey.unfit.len() < LISTED {
        survey.unfit.push(message);
    }
}
