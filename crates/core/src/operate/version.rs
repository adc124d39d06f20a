//! The version that a call expects of the item it changes: what `If-Match` is over HTTP.

use sortkey_design::Program;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, EntityId, OperationId};
use sortkey_plan::actions;

use crate::{Failure, FailureKind};

/// The entity whose items must have the expected version; none if the call expects none. An operation that changes no item
/// with a version cannot keep the promise, so it is refused.
pub(crate) fn expected(
    program: &Program,
    id: OperationId,
    version: Option<i64>,
) -> Result<Option<(EntityId, i64)>, Failure> {
    let Some(version) = version else { return Ok(None) };
    let operation = &program.operations[id];
    let has_version = |entity: EntityId| {
        program.entities[entity].attributes.iter().any(|attribute| attribute.flags.version)
    };
    let changes = |action: &&Action| {
        !matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Check | WriteVerb::Get)
            && has_version(action.entity)
    };
    match actions(operation).into_iter().find(changes) {
        Some(action) => Ok(Some((action.entity, version))),
        None => {
            let why = format!(
                "`{}` changes no item with `@version`, so no version can be expected of it",
                operation.name
            );
            Err(Failure::new(FailureKind::Invalid, why))
        }
    }
}
