//! Policies on the DynamoDB API: whether a caller may do what a request asks for.
//!
//! A request is read into the [`accesses`] that AWS would authorise: one for most operations, one per table of a batch, one
//! per item of a transaction, one per PartiQL statement. Each needs a decision of its own, and all must be allowed.
//!
//! The request is decoded by the same code as the engine's, so the two never read it differently.

mod accesses;
pub(crate) mod attached;
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
use sortkey_policy::{Context, Decision, Kind, Policies, Policy, Request, Source, decide, suggest};

use self::accesses::Access;
use self::context::RequestContext;
use crate::backend::{Backend, Call, ResourcePolicy};
use crate::guard::AccessMode;

/// Compiled resource policies that are remembered. When there are more, all are forgotten.
const MAX_CACHED_POLICIES: usize = 256;

/// The treatment of requests that no policy allows.
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

/// The properties of a request besides its body.
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
    /// By revision. Policies of two tables that are made within one millisecond share it, so the document is compared as well.
    compiled: ArcSwap<HashMap<String, (String, Arc<Policy>)>>,
}

/// A request to decide on, and its caller.
#[derive(Clone, Copy)]
pub(crate) struct Matter<'a> {
    pub(crate) region: &'a str,
    pub(crate) caller: &'a Caller,
    pub(crate) call: &'a Call,
    pub(crate) circumstances: Circumstances<'a>,
}

/// The decision on a request, and its reasons.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// Why it is not allowed.
    pub(crate) denied: Option<Denied>,
    /// The resources it acts on, each once, if they were requested.
    pub(crate) resources: Vec<String>,
    /// The statements that decided, if that was asked for.
    pub(crate) why: String,
}

/// A request that no policy allows, or that one denies.
#[derive(Debug)]
pub(crate) struct Denied {
    /// AWS's refusal.
    pub(crate) error: ApiError,
    /// The smallest statement that would allow it.
    pub(crate) missing: String,
}

/// Lets something look at the condition keys of a request that is not about tables.
pub(crate) fn with_context<T>(
    region: &str,
    caller: &Caller,
    circumstances: Circumstances<'_>,
    look: impl FnOnce(&dyn Context) -> T,
) -> T {
    let access = Access::default();
    look(&RequestContext { caller, access: &access, region, circumstances })
}

/// The record of a request that needs no credential.
pub(crate) fn without_credential<B: Backend>(
    backend: &B,
    region: &str,
    call: &Call,
    mode: AccessMode,
) -> Judged {
    let why = match mode {
        AccessMode::Open => "--insecure-open",
        _ => "a program on this machine",
    };
    Judged { denied: None, resources: resources(&accesses(backend, region, call)), why: why.to_owned() }
}

/// The accesses of a request. A body that cannot be decoded asks for nothing; the backend answers what is wrong with it.
fn accesses<B: Backend>(backend: &B, region: &str, call: &Call) -> Vec<Access> {
    accesses::of(backend, region, call).unwrap_or_default()
}

fn resources(accesses: &[Access]) -> Vec<String> {
    let mut resources: Vec<String> = Vec::new();
    for access in accesses {
        if !resources.contains(&access.resource) {
            resources.push(access.resource.clone());
        }
    }
    resources
}

impl Evaluator {
    /// Whether the caller may do everything that a request asks for. Reasons are collected only if `wants_reasons`.
    pub(crate) fn judge<B: Backend>(
        &self,
        backend: &B,
        matter: &Matter<'_>,
        iam: Iam,
        wants_reasons: bool,
    ) -> Judged {
        let is_settled = iam == Iam::Off || matter.caller.identity.admin;
        if is_settled && !wants_reasons {
            return Judged::default();
        }
        let accesses = accesses(backend, matter.region, matter.call);
        let mut judged = Judged::default();
        if wants_reasons {
            judged.resources = resources(&accesses);
        }
        if is_settled {
            judged.why = if matter.caller.identity.admin { "administrator" } else { "--iam off" }.to_owned();
            return judged;
        }
        let mut reasons: Vec<String> = Vec::new();
        for access in &accesses {
            let decision = self.decide(backend, matter, access);
            if !decision.is_allowed() {
                judged.why = reason(&decision);
                judged.denied = Some(denied(matter.caller, access, &decision));
                return judged;
            }
            if wants_reasons {
                let reason = reason(&decision);
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        judged.why = reasons.join("; ");
        judged
    }

    fn decide<B: Backend>(&self, backend: &B, matter: &Matter<'_>, access: &Access) -> Decision {
        let resource = access.owner.as_ref().and_then(|owner| {
            backend.resource_policy(matter.call.fork.as_ref(), &owner.table, owner.stream.as_deref())
        });
        let resource = resource.map(|policy| self.compile(policy));
        decide_with(matter, access, resource.as_deref())
    }

    /// The compiled form of a resource policy. One that does not parse denies everything.
    fn compile(&self, policy: ResourcePolicy) -> Arc<Policy> {
        if let Some((document, known)) = self.compiled.load().get(&policy.revision)
            && *document == policy.document
        {
            return Arc::clone(known);
        }
        let compiled = Policy::parse(&policy.document, Kind::Resource);
        let compiled = compiled.unwrap_or_else(|error| {
            tracing::warn!(%error, "a resource policy cannot be read and denies everything");
            Policy::deny_all()
        });
        let compiled = Arc::new(compiled);
        self.compiled.rcu(|known| {
            let mut known =
                if known.len() < MAX_CACHED_POLICIES { HashMap::clone(known) } else { HashMap::new() };
            known.insert(policy.revision.clone(), (policy.document.clone(), Arc::clone(&compiled)));
            known
        });
        compiled
    }
}

/// Decides about one access with this policy of the table or stream.
fn decide_with(matter: &Matter<'_>, access: &Access, resource: Option<&Policy>) -> Decision {
    let Matter { region, caller, circumstances, .. } = *matter;
    let identity = &caller.identity;
    let policies = Policies {
        identity: &identity.policies,
        resource,
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

/// The policy that decided, for the audit log.
fn reason(decision: &Decision) -> String {
    match decision {
        Decision::Allowed(source, which) | Decision::Denied(source, which) => {
            format!("{which}, {}", kind(*source))
        }
        Decision::NotAllowed(source) => format!("no statement of {}", kind(*source)),
    }
}

fn kind(source: Source) -> &'static str {
    match source {
        Source::Identity => "an identity-based policy",
        Source::Resource => "a resource-based policy",
        Source::Boundary => "a permissions boundary",
        Source::Session => "a session policy",
    }
}

/// AWS's refusal.
fn denied(caller: &Caller, access: &Access, decision: &Decision) -> Denied {
    let (action, resource) = (access.action, &access.resource);
    let why = match decision {
        Decision::Denied(source, _) => format!("with an explicit deny in {}", kind(*source)),
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
    let missing = suggest(action, resource);
    tracing::debug!(%message, %missing, "denied");
    Denied { error: ApiError::new(ErrorKind::AccessDeniedException, message), missing }
}
