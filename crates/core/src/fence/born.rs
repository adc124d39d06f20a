//! Items that are put and due at once: they are put with their lease, which saves the write of a claim.

use sortkey_design::program::WorkerId;
use sortkey_value::limits::ITEM_SIZE_BYTES;
use sortkey_value::{AttributeValue, Item};

use super::{FENCE, Fence, LEASE, TRIES, writes_last};
use crate::workers::{number, whole};
use crate::{Claim, Due, Runtime};

/// The room that a lease takes in an item, with the names of its attributes.
const MARKS_BYTES: usize = 256;

impl Claim {
    /// The item with its lease, as it is stored.
    pub fn image(&self) -> &Item {
        &self.image
    }

    /// When the lease ends, in milliseconds since 1970.
    pub fn until_ms(&self) -> i64 {
        self.until_ms
    }
}

impl Runtime {
    /// Leases an item that is about to be put and due at once: it is put with its lease. None if nobody could take that
    /// lease over from a process that ends before the run, or if the item would become too large.
    pub fn born_leased(&self, worker: WorkerId, due: &Due, image: &Item) -> Option<Claim> {
        let declared = &self.program().workers[worker];
        let entity = self.entity_of(worker).ok()?;
        let info = &self.shared().entities[entity];
        let (is_alone, is_small) = (self.is_alone(), image.size_bytes() + MARKS_BYTES <= ITEM_SIZE_BYTES);
        if !is_alone || !is_small {
            return None;
        }
        let token = self.lease_token().ok()?;
        let until_ms = self.now_ms().saturating_add(whole(declared.lease_ms));
        let marks =
            vec![(LEASE, number(until_ms)), (FENCE, AttributeValue::S(token.clone())), (TRIES, number(1))];
        let mut map = image.to_map();
        map.extend(marks.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let ends_with_write = writes_last(self.program(), declared.operation);
        let (table, key) = (info.table.clone(), due.key.clone());
        let fence = Fence { entity, table, key, token, ends_with_write, marks };
        Some(Claim { image: map.into(), fence, until_ms, tries: 1 })
    }
}
