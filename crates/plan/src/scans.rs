//! The cost of a scan, which reads the items of every entity in the table or index.

use sortkey_design::program::{EntityId, Pattern, Program};

use crate::Path;
use crate::cost::{Cost, read_units};
use crate::facts::{Membership, membership};
use crate::pages::SOME;
use crate::request::entry_bytes;

/// The maximum size of one response of DynamoDB.
const ANSWER_BYTES: u64 = 1024 * 1024;

/// How many items lie in a table or an index, and how many bytes they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Items of all entities.
    pub items: u64,
    /// Their bytes, as they lie there.
    pub bytes: u64,
}

/// Everything that a scan of a table or an index reads, by the declared volumes.
pub fn extent(program: &Program, path: Path) -> Extent {
    let mut all = Extent::default();
    for entity in &program.tables[path.table].entities {
        let (items, bytes) = share(program, path, *entity);
        all.items = all.items.saturating_add(items);
        all.bytes = all.bytes.saturating_add(items.saturating_mul(bytes));
    }
    all
}

/// The items of an entity that lie there, and the bytes of one.
fn share(program: &Program, path: Path, entity: EntityId) -> (u64, u64) {
    let of = &program.entities[entity];
    let items = of.volume.items.unwrap_or(SOME);
    let own = Path { entity, ..path };
    match own.index_in(program) {
        None => (items, of.volume.bytes),
        Some(_) if matches!(membership(of, own.key(program)), Membership::Never(_)) => (0, 0),
        Some(index) => (items, entry_bytes(index, of.volume.bytes)),
    }
}

/// The cost of a pattern that scans: all items, or as many as fill a page with items of its own.
pub(crate) fn cost(program: &Program, pattern: &Pattern, path: Path, to_the_end: bool) -> Cost {
    let all = extent(program, path);
    let own: u64 = pattern.entities.iter().map(|entity| share(program, path, *entity).0).sum();
    let wanted = match to_the_end {
        true => pattern.limit,
        false => pattern.page.or(pattern.limit),
    };
    let bytes = match wanted {
        // Of so many items that are read, one is of the pattern.
        Some(wanted) if wanted < own => (all.bytes as f64 * wanted as f64 / own as f64).ceil() as u64,
        _ => all.bytes,
    };
    let requests = bytes.div_ceil(ANSWER_BYTES).max(1);
    Cost { requests: requests as f64, rcu: read_units(bytes, pattern.strong), wcu: 0.0 }
}
