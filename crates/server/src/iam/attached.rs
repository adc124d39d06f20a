//! Resource policies that a request attaches to a table or stream.
//!
//! The engine keeps every document that has the form of a policy. Where policies count, one that the evaluator cannot read
//! would deny everybody everything, and one that does not allow its author to change it could not be taken back; both are
//! rejected while that can still be answered.

use sortkey_api::operations::{CreateTableInput, PutResourcePolicyInput};
use sortkey_api::{ApiError, OperationId, decode};
use sortkey_policy::{Kind, Policy};

use super::{Iam, Matter, accesses, decide_with};
use crate::backend::Backend;

/// Checks the policy that a request attaches, if it attaches one.
pub(crate) fn check<B: Backend>(backend: &B, matter: &Matter<'_>, iam: Iam) -> Result<(), ApiError> {
    let body = &matter.call.body;
    match matter.call.operation {
        _ if iam == Iam::Off => Ok(()),
        OperationId::CreateTable => {
            let input: CreateTableInput = decode(body)?;
            input.resource_policy.map_or(Ok(()), |document| read(&document).map(drop))
        }
        OperationId::PutResourcePolicy => {
            let input: PutResourcePolicyInput = decode(body)?;
            let policy = read(&input.policy)?;
            let may_lock_out = input.confirm_remove_self_resource_access == Some(true);
            let is_limited = iam == Iam::Enforce && !matter.caller.identity.admin;
            match is_limited && !may_lock_out && locks_out(backend, matter, &policy) {
                true => Err(ApiError::invalid_parameter(format_args!(
                    "{} could not change this policy afterwards: allow dynamodb:PutResourcePolicy, or set \
                     ConfirmRemoveSelfResourceAccess to true",
                    matter.caller.identity.principal.arn
                ))),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn read(document: &str) -> Result<Policy, ApiError> {
    Policy::parse(document, Kind::Resource)
        .map_err(|why| ApiError::invalid_parameter(format_args!("Invalid policy document: {why}")))
}

/// Whether the caller, who may attach a policy now, may not do so once this one is attached.
fn locks_out<B: Backend>(backend: &B, matter: &Matter<'_>, policy: &Policy) -> bool {
    let accesses = accesses(backend, matter.region, matter.call);
    accesses.iter().any(|access| !decide_with(matter, access, Some(policy)).is_allowed())
}
