//! The decision from identity, resource, boundary and session policies together, within one account.
//!
//! 1. An explicit deny anywhere denies.
//! 2. A resource policy that names the very user or session allows.
//! 3. Otherwise an identity policy or the resource policy must allow, and so must the boundary and the session policy where
//!    there are any.

use crate::Request;
use crate::policy::{Policy, Which};
use crate::principal::Naming;
use crate::statement::Effect;

/// Everything that applies to a request.
#[derive(Clone, Copy, Default)]
pub struct Policies<'a> {
    /// Of the user, or of the role behind a session.
    pub identity: &'a [Policy],
    /// Of the table or stream.
    pub resource: Option<&'a Policy>,
    /// The most that the identity policies can allow.
    pub boundary: Option<&'a Policy>,
    /// The most that a session can do.
    pub session: Option<&'a Policy>,
}

/// The sort of policy that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A policy of the identity.
    Identity,
    /// The policy of the table or stream.
    Resource,
    /// The boundary.
    Boundary,
    /// The session policy.
    Session,
}

/// The decision on a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may go on, by a statement.
    Allowed(Source, Which),
    /// A statement denies it.
    Denied(Source, Which),
    /// No statement allows it.
    NotAllowed(Source),
}

impl Decision {
    /// Whether the request may go on.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Decision::Allowed(..))
    }
}

/// Decides about a request.
pub fn decide(policies: &Policies<'_>, request: &Request<'_>) -> Decision {
    let limits = [
        (Source::Resource, policies.resource),
        (Source::Boundary, policies.boundary),
        (Source::Session, policies.session),
    ];
    let identity = policies.identity.iter().map(|policy| (Source::Identity, Some(policy)));
    for (source, policy) in identity.chain(limits) {
        let Some(policy) = policy else { continue };
        if let Some((at, _)) = policy.find(Effect::Deny, request) {
            return Decision::Denied(source, policy.which(at));
        }
    }
    let find = |source, policy: &'_ Policy| {
        policy.find(Effect::Allow, request).map(|(at, naming)| (source, policy.which(at), naming))
    };
    let resource = policies.resource.and_then(|policy| find(Source::Resource, policy));
    if let Some((source, which, Naming::Itself)) = resource {
        return Decision::Allowed(source, which);
    }
    let identity = policies.identity.iter().find_map(|policy| find(Source::Identity, policy));
    let by_resource = resource.filter(|(_, _, naming)| *naming == Naming::Role);
    let Some((source, which, _)) = identity.or(by_resource) else {
        return Decision::NotAllowed(Source::Identity);
    };
    for (limit, policy) in [(Source::Boundary, policies.boundary), (Source::Session, policies.session)] {
        if policy.is_some_and(|policy| policy.find(Effect::Allow, request).is_none()) {
            return Decision::NotAllowed(limit);
        }
    }
    Decision::Allowed(source, which)
}

/// Whether a trust policy allows a request by naming the account of who asks, which leaves the decision to their own policies.
pub fn trusts_account(trust: &Policy, request: &Request<'_>) -> bool {
    trust.find(Effect::Deny, request).is_none() && trust.find(Effect::Allow, request).is_some()
}
