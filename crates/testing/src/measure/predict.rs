//! The cost of a planned request with the actual sizes of the items it touched, and whether an observed request is an
//! instance of it at all.

use sortkey_diagnostics::a;
use std::collections::BTreeMap;

use sortkey_design::Program;
use sortkey_design::program::{Index, IndexId, Table, TableId};
use sortkey_plan::{Act, Arm, Ask, Entry, Images, Part, Query, Request, Role, read_units};
use sortkey_value::{Item, Map, ValueRef};

use super::observed::{Asked, Charge, Kind, Observed, Written};
use sortkey_core::internals::{Shared, deployed};

/// The charges that a plan predicts, or why the request does not match it.
pub(super) fn predict(
    (shared, program): (&Shared, &Program),
    planned: &Request,
    seen: &Observed,
) -> Result<Vec<Charge>, String> {
    let names = Names { shared, program };
    let mut charges = match (&planned.ask, &seen.asked) {
        (Ask::Item { table, strong, .. }, Asked::Items { batch: false, .. })
        | (Ask::Items { table, strong, .. }, Asked::Items { .. }) => names.items(*table, *strong, seen)?,
        (Ask::Query(query), Asked::Query { .. }) => names.query(query, seen)?,
        (Ask::Write(parts), Asked::Writes { kind: Kind::Alone | Kind::Together, items }) => {
            names.writes(parts, items)?
        }
        // A check by itself is a read.
        (Ask::Write(parts), Asked::Items { batch: false, .. }) => names.check(parts, seen)?,
        (Ask::Batch(part), Asked::Writes { kind: Kind::Batch, items }) => names.batch(part, items)?,
        _ => return Err(format!("the plan sends {}", planned.name())),
    };
    charges.sort_by(|left, right| left.table.cmp(&right.table));
    Ok(charges)
}

struct Names<'a> {
    shared: &'a Shared,
    /// The program that the plan is of.
    program: &'a Program,
}

impl Names<'_> {
    fn index(&self, table: TableId, index: IndexId) -> &Index {
        &self.program.tables[table].indexes[index]
    }

    fn table(&self, table: TableId, seen: &str) -> Result<(), String> {
        let name = deployed(self.program, table, &self.shared.settings);
        if name == seen { Ok(()) } else { Err(format!("the plan names {name}, not {seen}")) }
    }

    fn items(&self, table: TableId, strong: bool, seen: &Observed) -> Result<Vec<Charge>, String> {
        let Asked::Items { table: name, strong: really, bytes, .. } = &seen.asked else {
            return Ok(Vec::new());
        };
        self.table(table, name)?;
        same_consistency(strong, *really)?;
        let units = bytes.iter().map(|bytes| read_units(*bytes, strong)).sum();
        let mut charges = Vec::new();
        Charge::add(&mut charges, name, units, BTreeMap::new());
        Ok(charges)
    }

    fn query(&self, query: &Query, seen: &Observed) -> Result<Vec<Charge>, String> {
        let Asked::Query { table: name, index, strong, scan, bytes, .. } = &seen.asked else {
            return Ok(Vec::new());
        };
        self.table(query.table, name)?;
        same_consistency(query.strong, *strong)?;
        let planned = query.index.map(|index| self.index(query.table, index).deployed.as_str());
        if planned != index.as_deref() || query.scan != *scan {
            return Err(format!("the plan reads through {planned:?}, not {index:?}"));
        }
        let units = read_units(*bytes, query.strong);
        let mut charges = Vec::new();
        match planned {
            Some(index) => Charge::add(&mut charges, name, 0.0, [(index.to_owned(), units)].into()),
            None => Charge::add(&mut charges, name, units, BTreeMap::new()),
        }
        Ok(charges)
    }

    /// The case of a single item that is only checked, or that does not change.
    fn check(&self, parts: &[Part], seen: &Observed) -> Result<Vec<Charge>, String> {
        let must: Vec<&Part> = parts.iter().filter(|part| !may_be_left_out(part)).collect();
        let checks = |part: &&Part| matches!(part.act, Act::Check | Act::Update | Act::Upsert);
        let found = match must.as_slice() {
            [] => parts.iter().find(checks),
            [part] => Some(*part).filter(checks),
            _ => None,
        };
        match found {
            Some(part) => self.items(part.table, true, seen),
            None => Err("the plan writes".to_owned()),
        }
    }

    /// Every item is a part of the plan, and no part is missing that must be there.
    fn writes(&self, parts: &[Part], items: &[Written]) -> Result<Vec<Charge>, String> {
        let mut search = Search { parts, taken: vec![false; parts.len()], of: Vec::new(), steps: MAX_STEPS };
        if !search.assign(items, &|part, item| self.is_instance(part, item)) {
            return Err(self.unlike(parts, items));
        }
        let mut charges = Vec::new();
        for (item, part) in items.iter().zip(search.of) {
            self.charge(&parts[part], item, if items.len() > 1 { 2.0 } else { 1.0 }, &mut charges);
        }
        Ok(charges)
    }

    /// Describes the item that is no part of the plan, or the part that is missing.
    fn unlike(&self, parts: &[Part], items: &[Written]) -> String {
        let odd = items.iter().find(|item| !parts.iter().any(|part| self.is_instance(part, item)));
        match (odd, parts.iter().find(|part| !may_be_left_out(part))) {
            (Some(item), _) => {
                format!("the plan has no {} of {:?} in {}", item.act.request(), item.key, item.table)
            }
            (None, Some(part)) => {
                format!(
                    "the plan also has {} in {}",
                    a(part.act.request()),
                    self.program.tables[part.table].name
                )
            }
            (None, None) => "the plan has fewer items".to_owned(),
        }
    }

    fn batch(&self, part: &Part, items: &[Written]) -> Result<Vec<Charge>, String> {
        let mut charges = Vec::new();
        for item in items {
            if !self.is_instance(part, item) {
                return Err(format!("the plan sends no {} in {}", item.act.request(), item.table));
            }
            self.charge(part, item, 1.0, &mut charges);
        }
        Ok(charges)
    }

    fn is_instance(&self, part: &Part, item: &Written) -> bool {
        let acts = match (part.act, item.act) {
            // An `upsert` that has read the item stores a new one whole; a write that changes nothing is a check.
            (Act::Upsert, act) => matches!(act, Act::Put | Act::Update | Act::Check),
            (Act::Update, act) => matches!(act, Act::Update | Act::Check),
            (planned, act) => planned == act,
        };
        let role = match part.role {
            // A value that moves from one item to the other is freed and taken at once.
            Role::Guard(..) => item.is_guard(),
            Role::Receipt => item.is_receipt() && acts,
            Role::Item(entity) => {
                let image = item.after.as_ref().or(item.before.as_ref());
                let info = self.shared.entities.get(entity);
                let owns = match (info, image) {
                    (Some(info), Some(image)) => info.owns(&self.shared.program, image),
                    _ => true,
                };
                acts && owns && !item.is_guard() && !item.is_receipt()
            }
        };
        role && self.table(part.table, &item.table).is_ok()
    }

    fn charge(&self, part: &Part, item: &Written, twice: f64, into: &mut Vec<Charge>) {
        let bytes = |image: &Option<Item>| image.as_ref().map(|item| item.size_bytes() as u64);
        let before = bytes(&item.before);
        let after = if item.act == Act::Check { None } else { bytes(&item.after) };
        let own = Images { before, after }.units() as f64 * twice;
        let arm = |arm: &Arm| {
            let index = self.index(part.table, arm.index);
            let entry = entry(&self.program.tables[part.table], index, item);
            (index.deployed.clone(), arm.units(entry, before.is_none()) as f64)
        };
        Charge::add(into, &item.table, own, part.arms.iter().map(arm).collect());
    }
}

/// The maximum number of comparisons before a transaction counts as not matching.
const MAX_STEPS: usize = 100_000;

/// Assigns the items of a transaction to different parts of the plan. An optional part must not take the item of a
/// required one, so the first part that an item matches is not always the right one.
struct Search<'p> {
    parts: &'p [Part],
    taken: Vec<bool>,
    /// The part of each item so far.
    of: Vec<usize>,
    steps: usize,
}

impl Search<'_> {
    /// A transaction has at most a hundred items, so this may recurse.
    fn assign(&mut self, items: &[Written], is_instance: &dyn Fn(&Part, &Written) -> bool) -> bool {
        let Some((item, rest)) = items.split_first() else {
            return self.parts.iter().zip(&self.taken).all(|(part, taken)| *taken || may_be_left_out(part));
        };
        for (at, part) in self.parts.iter().enumerate() {
            self.steps = self.steps.saturating_sub(1);
            let was = self.taken[at];
            if (was && !part.many) || self.steps == 0 || !is_instance(part, item) {
                continue;
            }
            self.taken[at] = true;
            self.of.push(at);
            if self.assign(rest, is_instance) {
                return true;
            }
            self.of.pop();
            self.taken[at] = was;
        }
        false
    }
}

fn may_be_left_out(part: &Part) -> bool {
    part.sometimes || part.many
}

fn same_consistency(planned: bool, really: bool) -> Result<(), String> {
    let word = |strong| if strong { "strongly" } else { "eventually" };
    match planned == really {
        true => Ok(()),
        false => Err(format!("the plan reads {} consistently, not {}", word(planned), word(really))),
    }
}

/// The entry of an item in an index before and after.
fn entry(table: &Table, index: &Index, item: &Written) -> Entry {
    let (before, after) = (view(table, index, item.before.as_ref()), view(table, index, item.after.as_ref()));
    let key = |view: &Option<Map>| -> Vec<Option<sortkey_value::AttributeValue>> {
        let names = index.key.names().chain(table.key.names());
        names.map(|name| view.as_ref().and_then(|view| view.get(&**name).cloned())).collect()
    };
    let bytes = |view: &Option<Map>| view.as_ref().map(|view| Item::from(view).size_bytes() as u64);
    Entry {
        same_key: key(&before) == key(&after),
        same: before == after,
        images: Images { before: bytes(&before), after: bytes(&after) },
    }
}

/// The attributes of an item that an index holds; none if it lacks a key attribute, or has it in another type.
fn view(table: &Table, index: &Index, item: Option<&Item>) -> Option<Map> {
    let item = item?;
    let scalar =
        |name: &str| matches!(item.get(name), Some(ValueRef::S(_) | ValueRef::N(_) | ValueRef::B(_)));
    if !index.key.names().all(|name| scalar(name)) {
        return None;
    }
    let held = |name: &str| {
        let key = table.key.contains(name) || index.key.contains(name);
        key || index.projects.as_ref().is_none_or(|names| names.iter().any(|each| **each == *name))
    };
    let held = item.iter().filter(|(name, _)| held(name));
    Some(held.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
