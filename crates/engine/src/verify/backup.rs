//! Compares a backup's items with its descriptor.

use sortkey_storage::Counts;

use super::{Verifier, table};
use crate::catalog::table::Table;
use crate::history::backup::Backup;
use crate::layout;

pub(super) fn verify(verifier: &mut Verifier<'_>, backup: &Backup) {
    // The items of a table without indexes, and without expiry.
    let items_only = Table { id: backup.id, indexes: Vec::new(), expiry: None, ..backup.table.clone() };
    let found = table::items(verifier, &items_only).items;
    table::check_totals(verifier, &items_only, 0, "items of a backup", found);
    let said = Counts { items: backup.item_count, bytes: backup.table_size_bytes };
    if backup.complete && found != said {
        let what = format!(
            "backup {} says {} items of {} bytes, but there are {} of {} bytes",
            backup.name, said.items, said.bytes, found.items, found.bytes
        );
        verifier.report.add(Some(&backup.table.name), &layout::backup(&backup.label), what);
    }
}
