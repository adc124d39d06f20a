//! The guards of an item's unique values: put, moved and freed with the item.

use sortkey_design::Program;
use sortkey_design::program::UniqueId;
use sortkey_diagnostics::a;
use sortkey_value::Map;

use super::{Act, Test, Write, declared};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::read::{is_deleted, is_expired};
use crate::values::Fields;
use crate::{Failure, FailureKind, guard};

/// The moves of guards from old images (at most one) to a new one; `gone` leaves none.
pub(super) fn guards(
    scope: &Scope<'_>,
    info: &EntityInfo,
    old: &[Fields],
    new: &Fields,
    owner: &Map,
    gone: bool,
) -> Result<Vec<Write>, Failure> {
    let program = &scope.shared.program;
    // A deleted item holds no guards; those of an expired one may belong to another item by now.
    let gone = gone || is_deleted(scope, View::of(info.at, new))?;
    let mut held_before = Vec::with_capacity(old.len());
    for fields in old {
        let view = View::of(info.at, fields);
        if !is_expired(scope, view) && !is_deleted(scope, view)? {
            held_before.push(fields);
        }
    }
    let mut writes = Vec::new();
    for unique in info.of(program).uniques.ids() {
        let wanted = if gone { None } else { guard::held(scope, info, unique, new)? };
        for fields in &held_before {
            let held = guard::held(scope, info, unique, fields)?;
            if let Some(held) = held.filter(|held| wanted.as_ref() != Some(held)) {
                let mut write = Write::new(info, held, Act::Delete);
                let conflict = Failure::new(FailureKind::Conflict, "a unique value was moved meanwhile");
                write.demand(scope, Test::Free(owner.clone()), conflict)?;
                writes.push(write);
            }
        }
        let Some(key) = wanted else { continue };
        let item = guard::item(scope, info, &key, owner, new);
        let mut write = Write::new(info, key, Act::Put(item.into()));
        write.demand(scope, Test::Free(owner.clone()), not_unique(program, info, unique))?;
        writes.push(write);
    }
    Ok(writes)
}

fn not_unique(program: &Program, info: &EntityInfo, unique: UniqueId) -> Failure {
    let unique = &info.of(program).uniques[unique];
    let names: Vec<&str> = unique.attributes.iter().map(|id| &**info.name_of(*id)).collect();
    let message = format!("there is already {} with this {}", a(&info.name), names.join(" and "));
    let failure = Failure::new(FailureKind::AlreadyExists, message);
    let failure = declared(program, unique.error, failure);
    match names.as_slice() {
        [name] => failure.at(*name),
        _ => failure,
    }
}
