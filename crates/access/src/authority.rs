//! The authority: verifies signatures against the identities of a file, and gives out sessions.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use sortkey_policy::{Context, Decision, Kind, Policies, Policy, Principal, Request, Values, decide};
use thiserror::Error;

use crate::identities::{ACCOUNT, Directory, Identity, IdentityError, IdentityFile, new_key};
use crate::keyring::Keyring;
use crate::session::Session;
use crate::sigv4::{Signature, SignatureError, SignedRequest, SigningKey, Timestamp};

/// Derived keys that are remembered. When there are more, all are forgotten.
const MAX_CACHED_KEYS: usize = 1024;

/// How long a session lasts at least, by default, and at most.
const SESSION_SECONDS: [i64; 3] = [900, 3600, 43_200];

/// The longest session policy, as on AWS.
const MAX_SESSION_POLICY_BYTES: usize = 2048;

/// Verifies signatures.
pub struct Authority {
    path: PathBuf,
    keyring: Keyring,
    directory: ArcSwap<Directory>,
    /// The derived key that each access key used last.
    keys: ArcSwap<HashMap<String, CachedKey>>,
    /// The file's metadata at the last read.
    stamp: Mutex<Option<Stamp>>,
}

/// Changes with every change of the file: it is replaced by another one each time.
type Stamp = (SystemTime, u64, u64);

#[derive(Clone)]
struct CachedKey {
    secret: Arc<str>,
    /// Date, region and service.
    scope: String,
    key: SigningKey,
}

/// Somebody whose signature was verified.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The identity.
    pub identity: Arc<Identity>,
    /// The session policies, which limit what the identity allows.
    pub session_policy: Option<Arc<Policy>>,
    /// When the session began.
    pub issued_seconds: Option<i64>,
}

/// Why somebody is not let in. The texts are AWS's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Rejected {
    /// The signature itself.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// No such access key, or a session token that is not ours.
    #[error("The security token included in the request is invalid.")]
    UnknownKey,
    /// The session is over.
    #[error("The security token included in the request is expired")]
    Expired,
}

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
    /// The identities of a file.
    pub fn open(path: &Path, keyring: Keyring) -> Result<Authority, IdentityError> {
        let stamp = stamp(path);
        let mut file = IdentityFile::read(path)?;
        if stamp.is_some() && !file.roles.is_empty() {
            // Written once, so that tokens outlive a restart.
            IdentityFile::change(path, |file| file.ensure_session_key(&keyring))?;
            file = IdentityFile::read(path)?;
        }
        let directory = Directory::build(&file, &keyring)?;
        Ok(Authority {
            path: path.to_owned(),
            keyring,
            directory: ArcSwap::from_pointee(directory),
            keys: ArcSwap::default(),
            stamp: Mutex::new(stamp),
        })
    }

    /// Reads the file again if it changed. A file that became unreadable leaves nobody in.
    pub fn refresh(&self) {
        let now = stamp(&self.path);
        let mut known = self.stamp.lock();
        if *known == now {
            return;
        }
        let read = IdentityFile::read(&self.path);
        let built = read.and_then(|file| Directory::build(&file, &self.keyring));
        let directory = built.unwrap_or_else(|error| {
            tracing::warn!(%error, "no signature is accepted");
            Directory { keys: HashMap::new(), roles: HashMap::new(), session_key: None }
        });
        self.directory.store(Arc::new(directory));
        self.keys.store(Arc::default());
        *known = now;
    }

    /// How many access keys there are.
    pub fn count(&self) -> usize {
        self.directory.load().keys.len()
    }

    /// Verifies the signature of a request for one of these services, and returns the caller.
    pub fn verify(
        &self,
        request: &SignedRequest<'_>,
        services: &[&str],
        now_seconds: i64,
    ) -> Result<Caller, Rejected> {
        let mut credential = String::new();
        let signature = Signature::read(request, &mut credential)?;
        let (secret, caller, expires_seconds) = self.find(&signature).ok_or(Rejected::UnknownKey)?;
        let now = Timestamp { seconds: now_seconds };
        signature.check_coverage(request)?;
        signature.check_scope(services)?;
        signature.check_time(now)?;
        self.check_match(&signature, request, &secret)?;
        if expires_seconds.is_some_and(|expires_seconds| expires_seconds <= now_seconds) {
            return Err(Rejected::Expired);
        }
        Ok(caller)
    }

    /// Whether a request names an access key, or carries a session token, that is known. Nothing is proved by that.
    pub fn knows(&self, request: &SignedRequest<'_>) -> bool {
        let mut credential = String::new();
        Signature::read(request, &mut credential).is_ok_and(|signature| self.find(&signature).is_some())
    }

    /// The secret that a signature should have been made with, whom it belongs to, and when it ends.
    fn find(&self, signature: &Signature<'_>) -> Option<(Arc<str>, Caller, Option<i64>)> {
        let directory = self.directory.load();
        match &signature.token {
            None => directory.keys.get(signature.access_key).map(|(secret, identity)| {
                let identity = Arc::clone(identity);
                (Arc::clone(secret), Caller { identity, session_policy: None, issued_seconds: None }, None)
            }),
            Some(token) => session(&directory, token, signature.access_key),
        }
    }

    fn check_match(
        &self,
        signature: &Signature<'_>,
        request: &SignedRequest<'_>,
        secret: &Arc<str>,
    ) -> Result<(), SignatureError> {
        let keys = self.keys.load();
        let cached = keys.get(signature.access_key);
        if let Some(cached) =
            cached.filter(|cached| cached.scope == signature.scope_text && cached.secret == *secret)
        {
            return signature.matches(request, &cached.key);
        }
        let key = SigningKey::derive(secret, &signature.scope);
        signature.matches(request, &key)?;
        // Only a good signature is remembered, so that strangers cannot fill the cache.
        let cached = CachedKey { secret: Arc::clone(secret), scope: signature.scope_text.to_owned(), key };
        self.keys.rcu(|keys| {
            let mut keys = if keys.len() < MAX_CACHED_KEYS { HashMap::clone(keys) } else { HashMap::new() };
            keys.insert(signature.access_key.to_owned(), cached.clone());
            keys
        });
        Ok(())
    }

    /// Gives out a session of a role to a caller that the role trusts.
    pub fn assume_role(
        &self,
        caller: &Caller,
        asked: &AssumeRole<'_>,
        now_seconds: i64,
    ) -> Result<Credentials, AssumeError> {
        let [least, usual, most] = SESSION_SECONDS;
        let duration_seconds = asked.duration_seconds.unwrap_or(usual);
        if !(least..=most).contains(&duration_seconds) {
            return Err(AssumeError::Invalid(format!(
                "The requested DurationSeconds must be between {least} and {most}"
            )));
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
        if !may_assume(caller, &role.trust, &role.arn) {
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
            user_id: format!("AROA{}:{}", name.to_ascii_uppercase(), asked.session_name),
        })
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The secret, the caller and the end of a session.
fn session(directory: &Directory, token: &str, access_key: &str) -> Option<(Arc<str>, Caller, Option<i64>)> {
    let session = Session::open(token, directory.session_key.as_ref()?)?;
    let role = directory.roles.get(&session.role).filter(|role| {
        let is_its_own = session.access_key == access_key;
        is_its_own && session.role_id == role.id
    })?;
    let principal = Principal {
        account: ACCOUNT.to_owned(),
        arn: session_arn(&session.role, &session.name),
        role: Some(role.arn.clone()),
    };
    let identity = Identity {
        principal,
        user: None,
        user_id: format!("AROA{}:{}", session.role.to_ascii_uppercase(), session.name),
        admin: false,
        policies: role.policies.clone(),
        boundary: role.boundary.clone(),
    };
    let policy = session
        .policy
        .as_deref()
        .map(|text| Arc::new(Policy::parse(text, Kind::Identity).unwrap_or_else(|_| Policy::deny_all())));
    let caller = Caller {
        identity: Arc::new(identity),
        session_policy: policy,
        issued_seconds: Some(session.issued_seconds),
    };
    Some((session.secret.into(), caller, Some(session.expires_seconds)))
}

fn session_arn(role: &str, name: &str) -> String {
    format!("arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{name}")
}

/// Whether a trust policy names the caller: itself, or its account, in which case its own policies must allow it.
fn may_assume(caller: &Caller, trust: &Policy, role_arn: &str) -> bool {
    let identity = &caller.identity;
    let request = Request {
        action: "sts:AssumeRole",
        resource: role_arn,
        principal: &identity.principal,
        context: &NoContext,
    };
    let own = Policies {
        identity: &identity.policies,
        resource: None,
        boundary: identity.boundary.as_ref(),
        session: caller.session_policy.as_deref(),
    };
    let trusting = Policies { resource: Some(trust), ..Policies::default() };
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

/// Nothing is known about a request but who makes it.
struct NoContext;

impl Context for NoContext {
    fn values(&self, _: &str) -> Option<Values<'_>> {
        None
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

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.modified().ok()?, metadata.len(), number))
}
