//! AssumeRole: sessions of a role, for callers that its trust policy and their own policies allow it.

use sortkey_policy::{Context, Decision, Kind, Policies, Policy, Request, Values, decide};
use thiserror::Error;

use super::{Authority, Caller, session_arn, session_id};
use crate::identities::{ACCOUNT, new_key};
use crate::session::Session;

/// How long a session lasts at least, by default, and at most.
const SESSION_SECONDS: [i64; 3] = [900, 3600, 43_200];

/// How long a session lasts at most that another session asks for, as on AWS.
const MAX_CHAINED_SECONDS: i64 = 3600;

/// The longest session policy, as on AWS.
const MAX_SESSION_POLICY_BYTES: usize = 2048;

/// A role that cannot be assumed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssumeError {
    /// The request makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// The role does not exist, or does not trust the caller.
    #[error("{0}")]
    Denied(String),
    /// A session policy that is not one.
    #[error("{0}")]
    MalformedPolicy(String),
    /// A session policy that is too long.
    #[error("{0}")]
    PolicyTooLarge(String),
}

/// The parameters of an `AssumeRole` request.
#[derive(Clone, Copy, Debug)]
pub struct AssumeRole<'a> {
    /// The role's ARN.
    pub role_arn: &'a str,
    /// The name of the session.
    pub session_name: &'a str,
    /// How long it lasts; an hour by default.
    pub duration_seconds: Option<i64>,
    /// The session policy.
    pub policy: Option<&'a str>,
}

/// Temporary credentials.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// `ASIA...`.
    pub access_key: String,
    /// The secret access key that signs requests.
    pub secret: String,
    /// The session token that every request carries.
    pub token: String,
    /// When they end.
    pub expires_seconds: i64,
    /// `arn:aws:sts::000000000000:assumed-role/reader/session`.
    pub arn: String,
    /// The role and the session.
    pub user_id: String,
}

impl Authority {
    /// Gives out a session of a role to a caller that the role trusts. The context is that of the request, for conditions.
    pub fn assume_role(
        &self,
        caller: &Caller,
        asked: &AssumeRole<'_>,
        context: &dyn Context,
        now_seconds: i64,
    ) -> Result<Credentials, AssumeError> {
        let [least, usual, most] = SESSION_SECONDS;
        let duration_seconds = asked.duration_seconds.unwrap_or(usual);
        if !(least..=most).contains(&duration_seconds) {
            return Err(AssumeError::Invalid(format!(
                "The requested DurationSeconds must be between {least} and {most}"
            )));
        }
        if caller.issued_seconds.is_some() && duration_seconds > MAX_CHAINED_SECONDS {
            let why = "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining";
            return Err(AssumeError::Invalid(why.to_owned()));
        }
        check_session_name(asked.session_name)?;
        if let Some(policy) = asked.policy {
            check_session_policy(policy)?;
        }
        let principal = &caller.identity.principal;
        let denied = || {
            AssumeError::Denied(format!(
                "User: {} is not authorized to perform: sts:AssumeRole on resource: {}",
                principal.arn, asked.role_arn
            ))
        };
        let directory = self.directory.load();
        let name =
            asked.role_arn.strip_prefix(&format!("arn:aws:iam::{ACCOUNT}:role/")).ok_or_else(denied)?;
        let role = directory.roles.get(name).ok_or_else(denied)?;
        let key = directory.session_key.as_ref().ok_or_else(denied)?;
        let context = Asking { request: context, session_name: asked.session_name };
        if !may_assume(caller, &role.trust, &role.arn, &context) {
            return Err(denied());
        }
        let internal = |error: crate::KeyringError| AssumeError::Invalid(error.to_string());
        let (access_key, secret) = new_key("ASIA").map_err(internal)?;
        let session = Session {
            access_key: access_key.clone(),
            secret: secret.clone(),
            role: name.to_owned(),
            role_id: role.id.clone(),
            name: asked.session_name.to_owned(),
            issued_seconds: now_seconds,
            expires_seconds: now_seconds.saturating_add(duration_seconds),
            policy: asked.policy.map(str::to_owned),
        };
        Ok(Credentials {
            access_key,
            secret,
            token: session.seal(key).map_err(internal)?,
            expires_seconds: session.expires_seconds,
            arn: session_arn(name, asked.session_name),
            user_id: session_id(role, name, asked.session_name),
        })
    }
}

/// Whether a trust policy names the caller: itself, or its account, in which case its own policies must allow it.
fn may_assume(caller: &Caller, trust: &Policy, role_arn: &str, context: &dyn Context) -> bool {
    let identity = &caller.identity;
    let request =
        Request { action: "sts:AssumeRole", resource: role_arn, principal: &identity.principal, context };
    let own = Policies {
        identity: &identity.policies,
        resource: None,
        boundary: identity.boundary.as_ref(),
        session: caller.session_policy.as_deref(),
    };
    // Boundary and session policy limit what a trust policy gives to others than the very caller, too.
    let trusting = Policies { identity: &[], resource: Some(trust), ..own };
    let own_decision = decide(&own, &request);
    match decide(&trusting, &request) {
        Decision::Allowed(..) => !matches!(own_decision, Decision::Denied(..)),
        Decision::Denied(..) => false,
        Decision::NotAllowed(_) => {
            let trusts_account = sortkey_policy::trusts_account(trust, &request);
            trusts_account && (identity.admin || own_decision.is_allowed())
        }
    }
}

/// The condition keys of a request for a session.
struct Asking<'a> {
    request: &'a dyn Context,
    session_name: &'a str,
}

impl Context for Asking<'_> {
    fn values(&self, key: &str) -> Option<Values<'_>> {
        match key.to_ascii_lowercase().as_str() {
            "sts:rolesessionname" => Some(Values::one(self.session_name)),
            // A request with one of these is rejected.
            "sts:externalid" | "sts:sourceidentity" => Some(Values::Absent),
            _ => self.request.values(key),
        }
    }
}

fn check_session_name(name: &str) -> Result<(), AssumeError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+=,.@_-".contains(&byte);
    match (2..=64).contains(&name.len()) && name.bytes().all(allowed) {
        true => Ok(()),
        false => Err(AssumeError::Invalid(format!(
            "1 validation error detected: Value '{name}' at 'roleSessionName' failed to satisfy constraint: Member must \
             satisfy regular expression pattern: [\\w+=,.@-]*"
        ))),
    }
}

fn check_session_policy(policy: &str) -> Result<(), AssumeError> {
    if policy.len() > MAX_SESSION_POLICY_BYTES {
        let why = format!("The session policy is longer than {MAX_SESSION_POLICY_BYTES} bytes");
        return Err(AssumeError::PolicyTooLarge(why));
    }
    match Policy::parse(policy, Kind::Identity) {
        Ok(_) => Ok(()),
        Err(error) => Err(AssumeError::MalformedPolicy(format!("The policy is not valid: {error}"))),
    }
}
