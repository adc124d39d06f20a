//! AWS policies: read, compiled to matchers, and evaluated against requests.
//!
//! The crate implements the policy language and is independent of DynamoDB, identities and HTTP: a [`Request`] names an
//! action, a resource and a principal, and provides the values of condition keys through [`Context`]. [`decide`]
//! combines identity, resource, boundary and session policies as AWS does within one account.
//!
//! Invariants:
//! - A policy that cannot be interpreted never allows: one that does not parse denies everything, and so does a
//!   statement with a condition key that the context does not support.
//! - An explicit deny wins over every allow.
//! - Values that come from a request are never read as wildcards.

mod condition;
mod context;
mod decide;
mod json;
mod operator;
mod pattern;
mod policy;
mod principal;
mod statement;
mod suggest;

pub use context::{Context, Values};
pub use decide::{Decision, Policies, Source, decide, trusts_account};
pub use policy::{Kind, Policy, PolicyError, Which};
pub use principal::Principal;
pub use statement::Effect;
pub use suggest::suggest;

/// A request to decide on.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// `dynamodb:GetItem`.
    pub action: &'a str,
    /// The ARN of what is acted on.
    pub resource: &'a str,
    /// The caller.
    pub principal: &'a Principal,
    /// The values of condition keys.
    pub context: &'a dyn Context,
}
