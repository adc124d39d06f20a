//! Reading a page: entries of a range, in order, until a limit, a megabyte or the end.
//!
//! AWS checks the size after an item: the one that reaches the megabyte still belongs to the page, and the page
//! indicates that there may be more even if nothing follows.

use std::ops::Bound;

use sortkey_api::ApiError;
use sortkey_expression::Condition;
use sortkey_storage::{Key, Order, Snapshot};
use sortkey_value::Item;

use crate::reply::storage_failure;

/// The bytes of items, before filters and projections, at which a page ends.
pub(crate) const PAGE_BYTES: usize = 1024 * 1024;

/// The range and limits of a read.
pub(crate) struct PageRequest<'a> {
    pub(crate) low: Bound<Vec<u8>>,
    pub(crate) high: Bound<Vec<u8>>,
    pub(crate) order: Order,
    /// Entries to look at, whether they pass the filter or not.
    pub(crate) limit: Option<usize>,
    pub(crate) filter: Option<&'a Condition>,
}

/// The result of a read.
#[derive(Default)]
pub(crate) struct Page {
    /// The items that passed the filter, each with its key in the store.
    pub(crate) items: Vec<(Key, Item)>,
    /// How many were looked at.
    pub(crate) scanned: usize,
    /// Their size, filtered ones included: it is what the read costs.
    pub(crate) size_bytes: usize,
    /// The last item looked at, if there may be more behind it.
    pub(crate) last: Option<Item>,
}

impl PageRequest<'_> {
    pub(crate) fn read(&self, snapshot: &dyn Snapshot) -> Result<Page, ApiError> {
        let (low, high) = (self.low.as_ref().map(Vec::as_slice), self.high.as_ref().map(Vec::as_slice));
        let mut page = Page::default();
        for entry in snapshot.range(low, high, self.order) {
            let (key, value) = entry.map_err(|error| storage_failure(&error))?;
            let item = Item::from_bytes(value);
            page.size_bytes += item.size_bytes();
            page.scanned += 1;
            if self.filter.is_none_or(|filter| filter.matches(&item)) {
                page.items.push((key, item.clone()));
            }
            if self.limit.is_some_and(|limit| page.scanned >= limit) || page.size_bytes >= PAGE_BYTES {
                page.last = Some(item);
                return Ok(page);
            }
        }
        Ok(page)
    }
}
