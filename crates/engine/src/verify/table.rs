//! A table's items against everything that is derived from them.

use sortkey_storage::{Counts, Key, Value};
use sortkey_value::Item;

use super::{TableReport, Verifier};
use crate::catalog::schema::{Index, IndexStatus};
use crate::catalog::table::Table;
use crate::jobs::expiry;
use crate::layout;

/// The counts that follow from the items of a table.
pub(super) struct Expected {
    pub(super) items: Counts,
    /// In the order of the table's indexes.
    indexes: Vec<Counts>,
}

pub(super) fn verify(verifier: &mut Verifier<'_>, table: &Table) {
    let expected = items(verifier, table);
    check_totals(verifier, table, 0, "items", expected.items);
    let mut index_entries = 0;
    for (index, expected) in table.indexes.iter().zip(expected.indexes) {
        let found = entries(verifier, table, index);
        index_entries += found.items.unsigned_abs();
        if index.status == IndexStatus::Active && found != expected {
            let space = layout::index_entries(table.id, index.id);
            let what = format!(
                "index {} has {} entries of {} bytes, but the items make {} of {} bytes",
                index.name, found.items, found.bytes, expected.items, expected.bytes
            );
            verifier.report.add(Some(&table.name), &space, what);
        }
        check_totals(verifier, table, index.id, "index entries", found);
    }
    verifier.report.tables.push(TableReport {
        name: table.name.to_string(),
        items: expected.items.items.unsigned_abs(),
        index_entries,
        stream_records: 0,
        changes: 0,
    });
}

pub(super) fn items(verifier: &mut Verifier<'_>, table: &Table) -> Expected {
    let none = Counts::default();
    let mut expected = Expected { items: none, indexes: vec![none; table.indexes.len()] };
    let name = Some(&*table.name);
    verifier.each(name, layout::starting_with(&layout::items(table.id)), |verifier, key, value| {
        let Some(item) = readable(verifier, table, &key, value) else { return };
        if table.key.fault(&item).is_some() || table.item_key(&item).as_ref() != Some(&key) {
            verifier.report.add(name, &key, "the item's key attributes belong to another place");
            return;
        }
        expected.items += count(&item);
        for (index, expected) in table.indexes.iter().zip(&mut expected.indexes) {
            if let Some(entry) = index.entry(table, &key, &item) {
                *expected += count(&entry.item);
            }
        }
        check_expiry(verifier, table, &key, &item);
    });
    expected
}

/// Every entry must be the one that its item makes. Together with the count this leaves no room for others.
fn entries(verifier: &mut Verifier<'_>, table: &Table, index: &Index) -> Counts {
    let mut found = Counts::default();
    let (name, space) = (Some(&*table.name), layout::index_entries(table.id, index.id));
    verifier.each(name, layout::starting_with(&space), |verifier, key, value| {
        let Some(entry) = readable(verifier, table, &key, value) else { return };
        found += count(&entry);
        let item_key = (table.key.fault(&entry).is_none()).then(|| table.item_key(&entry)).flatten();
        let item = item_key.as_ref().and_then(|item_key| verifier.get(name, item_key));
        let made = item_key
            .zip(item)
            .and_then(|(item_key, item)| index.entry(table, &item_key, &Item::from_bytes(item)));
        if made.is_none_or(|made| *made.key != *key || made.item != entry) {
            let what = format!("an entry of index {} is not what its item makes", index.name);
            verifier.report.add(name, &key, what);
        }
    });
    found
}

pub(super) fn check_totals(
    verifier: &mut Verifier<'_>,
    table: &Table,
    index: u16,
    what: &str,
    counted: Counts,
) {
    let key = layout::totals(table.id, index);
    let kept = verifier.get(Some(&table.name), &key);
    let kept = kept.map(|kept| Counts::from_value(&kept)).unwrap_or_default();
    if kept != counted {
        let what = format!(
            "{} {what} of {} bytes are accounted for, but there are {} of {} bytes",
            kept.items, kept.bytes, counted.items, counted.bytes
        );
        verifier.report.add(Some(&table.name), &key, what);
    }
}

/// An item that expires must be found by its second. Entries that lead to no such item are harmless: whoever removes
/// items looks again.
fn check_expiry(verifier: &mut Verifier<'_>, table: &Table, key: &[u8], item: &Item) {
    let setting = table.expiry.as_ref().filter(|setting| setting.complete);
    let Some(second) = setting.and_then(|setting| expiry::second(item, &setting.attribute)) else { return };
    let entry = layout::expiry(table.id, second, key);
    if verifier.get(Some(&table.name), &entry).is_none() {
        verifier.report.add(Some(&table.name), key, "the item expires, but will not be found when it does");
    }
}

/// An item whose bytes are those that writing it would give.
fn readable(verifier: &mut Verifier<'_>, table: &Table, key: &Key, value: Value) -> Option<Item> {
    let item = Item::from_bytes(value);
    if Item::from_map(&item.to_map()) == item {
        return Some(item);
    }
    verifier.report.add(Some(&table.name), key, "the bytes of an item cannot be read");
    None
}

fn count(item: &Item) -> Counts {
    Counts { items: 1, bytes: i64::try_from(item.size_bytes()).unwrap_or(i64::MAX) }
}
