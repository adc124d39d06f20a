//! The pages of queries and scans, once the order of the entries is known.

use sortkey_value::Map;

use super::condition::Condition;
use super::cost::{Cost, read_units};
use super::path::{Path, project};
use super::size;
use super::table::Table;
use crate::shape::IndexShape;

/// A page ends with the item that makes it reach this size.
const PAGE_BYTES: usize = 1024 * 1024;

/// The part of a table or an index that is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r> {
    pub(crate) table: &'r Table,
    pub(crate) index: Option<&'r IndexShape>,
    pub(crate) limit: Option<usize>,
    pub(crate) filter: Option<&'r Condition>,
    pub(crate) projection: Option<&'r [Path]>,
    pub(crate) consistent: bool,
    pub(crate) count_only: bool,
    /// All attributes, whatever the index keeps.
    pub(crate) whole_items: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Page {
    pub(crate) items: Option<Vec<Map>>,
    pub(crate) count: usize,
    pub(crate) scanned: usize,
    pub(crate) last_key: Option<Map>,
}

impl Reading<'_> {
    /// All pages of entries in this order, each with its cost.
    pub(crate) fn pages(&self, ordered: &[Map]) -> Vec<(Page, Cost)> {
        let mut pages = Vec::new();
        let mut rest = ordered;
        loop {
            let (page, cost) = self.page(rest);
            rest = &rest[page.scanned..];
            let ended = page.last_key.is_none();
            pages.push((page, cost));
            if ended {
                return pages;
            }
        }
    }

    fn page(&self, entries: &[Map]) -> (Page, Cost) {
        let mut seen: Vec<&Map> = Vec::new();
        let mut bytes = 0;
        let mut last_key = None;
        for entry in entries {
            seen.push(entry);
            bytes += size::of_item(entry);
            if self.limit == Some(seen.len()) || bytes >= PAGE_BYTES {
                last_key = Some(self.entry_key(entry));
                break;
            }
        }
        let passes = |entry: &&&Map| self.filter.is_none_or(|filter| filter.holds(Some(entry)));
        let found: Vec<&Map> = seen.iter().filter(passes).copied().collect();
        let units = read_units(bytes, self.consistent);
        let mut cost = match self.index {
            Some(index) => Cost::on_index(index, units),
            None => Cost::on_table(units),
        };
        let items =
            (!self.count_only).then(|| found.iter().map(|entry| self.shown(entry, &mut cost)).collect());
        (Page { items, count: found.len(), scanned: seen.len(), last_key }, cost)
    }

    /// The attributes of an entry that are returned. A local index gets missing ones from the table, item by item.
    fn shown(&self, entry: &Map, cost: &mut Cost) -> Map {
        let lacks = |index: &IndexShape| match self.projection {
            Some(paths) => paths.iter().any(|path| !self.table.is_kept(index, &path.attribute)),
            None => self.whole_items && index.keeps != crate::shape::Keeps::All,
        };
        let mut shown = entry;
        if self.index.is_some_and(lacks) {
            shown = self.table.get(entry).unwrap();
            cost.add(&Cost::on_table(read_units(size::of_item(shown), self.consistent)));
        }
        self.projection.map_or_else(|| shown.clone(), |paths| project(shown, paths))
    }

    fn entry_key(&self, entry: &Map) -> Map {
        let mut key = self.table.shape.key.of(entry);
        key.extend(self.index.map(|index| index.key.of(entry)).unwrap_or_default());
        key
    }
}
