//! The indexes that a write can touch: what it is charged for besides the item itself.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{EntityId, FilledKey, Program, Source};

use super::{Change, Effects};
use crate::facts::{Membership, membership, slots};
use crate::request::{Arm, EntryChange, entry_bytes};

/// The indexes that a write can touch: an entry comes, goes, changes in place or moves.
pub fn arms(program: &Program, entity: EntityId, change: &Change, effects: &Effects) -> Vec<Arm> {
    let of = &program.entities[entity];
    let Some(table) = of.table else {
        return Vec::new();
    };
    let changes = change.changes(of);
    let is_touched = |source: Source| match source {
        Source::Attribute(id) => effects.touched.contains(id),
        Source::Template(id) => {
            effects.templates.contains(&id)
                || slots(of, source).into_iter().any(|slot| effects.touched.contains(slot))
        }
    };
    let held = |key: &FilledKey| !matches!(membership(of, key), Membership::Never(_));
    let mut arms = Vec::new();
    for ((index, declared), key) in program.tables[table].indexes.entries().zip(&of.indexes) {
        let moves = key.parts().filter_map(|part| part.source).any(is_touched);
        let rewritten = match &key.copies {
            Some(copies) => copies.iter().copied().any(is_touched),
            None => !effects.touched.is_empty(),
        };
        let change = match change.verb {
            _ if !held(key) => continue,
            _ if !changes || moves => EntryChange::Moved,
            _ if rewritten => EntryChange::InPlace,
            WriteVerb::Upsert => EntryChange::Born,
            _ => continue,
        };
        arms.push(Arm { index, change, bytes: entry_bytes(declared, of.volume.bytes) });
    }
    arms
}
