//! Policies on the DynamoDB API: whether a caller may do what a request asks for.
//!
//! A request is read into the [`accesses`] that AWS would authorise: one for most operations, one per table of a batch, one
//! per item of a transaction, one per PartiQL statement. Each needs a decision of its own, and all must be allowed.
//!
//! The request is decoded by the same code as the engine's, so the two never read it differently.

mod accesses;
mod context;
mod expressions;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use sortkey_access::Caller;
use sortkey_api::{ApiError, ErrorKind};
use sortkey_policy::{Decision, Kind, Policies, Policy, Request, Source, decide, suggest};

use self::accesses::Access;
use self::context::RequestContext;
use crate::backend::{Backend, Call, ResourcePolicy};

/// Compiled resource policies that are remembered. When there are more, all are forgotten.
const MAX_CACHED_POLICIES: usize = 256;

/// What is done about requests that no policy allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Iam {
    /// Every verified identity may do everything.
    #[default]
    Off,
    /// They pass, and the log names the statement that is missing.
    Soft,
    /// They are rejected.
    Enforce,
}

/// What a request brings along beside its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances<'a> {
    pub(crate) source_ip: IpAddr,
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) is_encrypted: bool,
    pub(crate) now_seconds: i64,
}

/// Evaluates policies.
#[derive(Debug, Default)]
pub(crate) struct Evaluator {
    /// By revision, which no two policies share.
    compiled: ArcSwap<HashMap<String, Arc<Policy>>>,
}

impl Evaluator {
    /// Whether the caller may do everything that a request asks for; the error is AWS's.
    pub(crate) fn check<B: Backend>(
        &self,
        backend: &B,
        region: &str,
        caller: &Caller,
        call: &Call,
        circumstances: Circumstances<'_>,
    ) -> Result<(), ApiError> {
        if caller.identity.admin {
            return Ok(());
        }
        // A body that cannot be decoded asks for nothing; the backend answers what is wrong with it.
        let Ok(accesses) = accesses::of(backend, region, call) else { return Ok(()) };
        for access in &accesses {
            let decision = self.decide(backend, caller, call, access, region, circumstances);
            if !decision.is_allowed() {
                return Err(denied(caller, access, &decision));
            }
        }
        Ok(())
    }

    fn decide<B: Backend>(
        &self,
        backend: &B,
        caller: &Caller,
        call: &Call,
        access: &Access,
        region: &str,
        circumstances: Circumstances<'_>,
    ) -> Decision {
        let identity = &caller.identity;
        let resource = access.owner.as_ref().and_then(|owner| {
            backend.resource_policy(call.fork.as_ref(), &owner.table, owner.stream.as_deref())
        });
        let resource = resource.map(|policy| self.compile(policy));
        let policies = Policies {
            identity: &identity.policies,
            resource: resource.as_deref(),
            boundary: identity.boundary.as_ref(),
            session: caller.session_policy.as_deref(),
        };
        let context = RequestContext { caller, access, region, circumstances };
        let request = Request {
            action: access.action,
            resource: &access.resource,
            principal: &identity.principal,
            context: &context,
        };
        decide(&policies, &request)
    }

    /// The compiled form of a resource policy. One that does not parse denies everything.
    fn compile(&self, policy: ResourcePolicy) -> Arc<Policy> {
        if let Some(known) = self.compiled.load().get(&policy.revision) {
            return Arc::clone(known);
        }
        let compiled = Policy::parse(&policy.document, Kind::Resource).unwrap_or_else(|error| {
            tracing::warn!(%error, "a resource policy cannot be read and denies everything");
            Policy::deny_all()
        });
        let compiled = Arc::new(compiled);
        self.compiled.rcu(|known| {
            let mut known =
                if known.len() < MAX_CACHED_POLICIES { HashMap::clone(known) } else { HashMap::new() };
            known.insert(policy.revision.clone(), Arc::clone(&compiled));
            known
        });
        compiled
    }
}

/// AWS's refusal.
fn denied(caller: &Caller, access: &Access, decision: &Decision) -> ApiError {
    let (action, resource) = (access.action, &access.resource);
    let why = match decision {
        Decision::Denied(source, _) => {
            let kind = match source {
                Source::Identity => "an identity-based policy",
                Source::Resource => "a resource-based policy",
                Source::Boundary => "a permissions boundary",
                Source::Session => "a session policy",
            };
            format!("with an explicit deny in {kind}")
        }
        Decision::NotAllowed(Source::Boundary) => {
            format!("because no permissions boundary allows the {action} action")
        }
        Decision::NotAllowed(Source::Session) => {
            format!("because no session policy allows the {action} action")
        }
        _ => format!("because no identity-based policy allows the {action} action"),
    };
    let arn = &caller.identity.principal.arn;
    let message = format!("User: {arn} is not authorized to perform: {action} on resource: {resource} {why}");
    tracing::debug!(%message, missing = %suggest(action, resource), "denied");
    ApiError::new(ErrorKind::AccessDeniedException, message)
}

/// The smallest statement that would have allowed what an error denies, for `--iam soft`.
pub(crate) fn missing_statement(error: &ApiError) -> Option<String> {
    let (_, rest) = error.message.split_once("perform: ")?;
    let (action, rest) = rest.split_once(" on resource: ")?;
    let resource = rest.split(' ').next()?;
    Some(suggest(action, resource))
}
