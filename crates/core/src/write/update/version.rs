//! Versions: a write that relies on an item as it was read, or on the caller's copy of it,
//! is conditional on its version.

use sortkey_value::AttributeValue;

use super::{Plan, Write};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::values::Fields;
use crate::write::Test;
use crate::{Failure, FailureKind};

/// A write that relies on an item with a version, read before, is conditional on that version.
pub(super) fn version_demands(scope: &Scope<'_>, plan: &Plan<'_>, write: &mut Write) -> Result<(), Failure> {
    let info = plan.info;
    let entity = info.of(&scope.shared.program);
    let Some((id, version)) = entity.attributes.entries().find(|(_, each)| each.flags.version) else {
        return Ok(());
    };
    let name = &version.name;
    expected_version(scope, info, write)?;
    let same_key = |fields: &Fields| {
        let mut keys = info.keys.iter().map(|id| info.name_of(*id));
        keys.all(|key| fields.get(key) == plan.known.get(key))
    };
    let read = scope.items().find(|(entity, fields)| *entity == info.at && same_key(fields));
    let expected = match read {
        Some((_, fields)) => match fields.get(name) {
            Some(value) => info.encode(&scope.shared.program, id, value),
            // The item was written in a transaction, and its version is unknown.
            None => return Ok(()),
        },
        None if scope.missed(info.at, &write.key) => None,
        None => return Ok(()),
    };
    let changed =
        Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name)).at(&**name);
    write.demand(scope, Test::Version(name.clone(), expected), changed)?;
    Ok(())
}

/// A call that expects a version changes the item only if it has that version.
pub(in crate::write) fn expected_version(
    scope: &Scope<'_>,
    info: &EntityInfo,
    write: &mut Write,
) -> Result<(), Failure> {
    let attributes = &info.of(&scope.shared.program).attributes;
    let version = attributes.iter().find(|each| each.flags.version);
    let expected = scope.expected.filter(|(entity, _)| *entity == info.at);
    let (Some((_, expected)), Some(version)) = (expected, version) else { return Ok(()) };
    let why = format!("the {} does not have version {expected} any more; read it again", info.name);
    let differs = Failure::new(FailureKind::VersionDiffers, why).at(&*version.name);
    let value = AttributeValue::from(expected);
    write.demand(scope, Test::Version(version.name.clone(), Some(value)), differs)?;
    Ok(())
}
