//! Why a write did not happen, derived from the item that a refused condition returns.

use sortkey_api::{ApiError, Cause, ErrorDetails, ErrorKind, Fault};
use sortkey_value::Item;

use super::belongs::explained;
use super::update::from_state;
use super::{Test, Write};
use crate::evaluate::Scope;
use crate::session::{failure, faulty};
use crate::{Failure, FailureKind};

/// Why a write did not happen.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The inputs have changed since they were read: prepare it again.
    Stale,
    Failed(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Failed(failure)
    }
}

/// Why a write of one item was refused.
pub(super) fn refused(scope: &Scope<'_>, write: &Write, error: ApiError) -> Result<Refusal, Failure> {
    Ok(match (error.kind, error.details.as_deref()) {
        (ErrorKind::ConditionalCheckFailedException, Some(ErrorDetails::Item(stored))) => {
            explain(scope, write, Some(stored))?
        }
        (ErrorKind::ConditionalCheckFailedException, _) => explain(scope, write, None)?,
        // Read first, the item gets the whole object.
        _ if error.fault() == Some(Fault::NoParent) => Refusal::Stale,
        _ => Refusal::Failed(failure(error)),
    })
}

/// Why a transaction was cancelled: the first statement that was refused,
/// unless every reason is a concurrent change.
pub(super) fn cancelled(scope: &Scope<'_>, writes: &[Write], error: ApiError) -> Result<Refusal, Failure> {
    let Some(reasons) = error.reasons() else { return Ok(Refusal::Failed(failure(error))) };
    let mut stale = false;
    for (write, reason) in writes.iter().zip(reasons) {
        match reason.cause() {
            Cause::None => {}
            Cause::Condition => match explain(scope, write, reason.item.as_ref())? {
                Refusal::Stale => stale = true,
                refused => return Ok(refused),
            },
            Cause::Conflict | Cause::Fault(Some(Fault::NoParent)) => stale = true,
            cause => {
                let message = reason.message.as_ref().unwrap_or(&error.message);
                return Ok(Refusal::Failed(match cause {
                    Cause::Fault(Some(fault)) => faulty(fault, message),
                    Cause::Throttled => Failure::new(FailureKind::Throttled, message),
                    _ => Failure::internal(message),
                }));
            }
        }
    }
    Ok(if stale { Refusal::Stale } else { Refusal::Failed(failure(error)) })
}

/// Explains a refused write by the stored item.
pub(super) fn explain(scope: &Scope<'_>, write: &Write, stored: Option<&Item>) -> Result<Refusal, Failure> {
    Ok(match write.unmet(scope, stored)? {
        // The whole operation relied on the version; preparing this statement again would not help.
        Some(demand) if matches!(demand.test, Test::Version(..)) => Refusal::Failed(demand.failure.clone()),
        Some(demand) if demand.failure.kind == FailureKind::Unreadable => {
            let info = &scope.shared.entities[write.entity];
            let named = stored.map(|item| explained(scope, info, item));
            Refusal::Failed(named.unwrap_or_else(|| demand.failure.clone()))
        }
        Some(demand) if demand.failure.kind == FailureKind::Conflict => Refusal::Stale,
        Some(demand) if demand.failure.kind == FailureKind::InvalidTransition => {
            let info = &scope.shared.entities[write.entity];
            let item = stored.map(|item| info.decode_leniently(scope, item)).unwrap_or_default();
            Refusal::Failed(from_state(scope, info, &item, demand.failure.clone()))
        }
        Some(demand) => Refusal::Failed(demand.failure.clone()),
        None => Refusal::Stale,
    })
}
