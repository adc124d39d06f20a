//! Checks the caller against the declaration of the design.

use std::sync::Arc;

use crate::evaluate::Scope;
use crate::values::{Admit, Fields, Origin, Val};
use crate::{Failure, FailureKind};

/// The caller as values, checked against what the design declares; a test may leave out what it does not need.
pub fn caller(
    scope: &Scope<'_>,
    attributes: Fields,
    origin: Origin,
    whole: bool,
) -> Result<Arc<Fields>, Failure> {
    let declared = &scope.shared.program.caller;
    let admit = Admit::argument(scope, origin).keeping_empty();
    let mut fields = Fields::new();
    for (name, value) in attributes {
        let id = declared
            .find(&name)
            .ok_or_else(|| Failure::invalid(format!("caller.{name}"), format!("a caller has no `{name}`")))?;
        let value = admit.attribute(&declared[id], value, &format!("caller.{name}"))?;
        fields.insert(declared[id].name.clone(), value);
    }
    for attribute in declared.iter().filter(|each| whole && !each.may_be_absent()) {
        if fields.get(&attribute.name).is_none_or(Val::is_absent) {
            let name = &attribute.name;
            return Err(Failure::new(FailureKind::Unauthenticated, format!("the caller has no `{name}`"))
                .at(format!("caller.{name}")));
        }
    }
    Ok(Arc::new(fields))
}
