//! The authority: verifies signatures against the identities of a file, and gives out sessions.

mod assume;
#[cfg(test)]
mod tests;

pub use self::assume::{AssumeError, AssumeRole, Credentials};

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use sortkey_policy::{Kind, Policy, Principal};
use thiserror::Error;

use crate::identities::{ACCOUNT, Directory, Identity, IdentityError, IdentityFile, ReadyRole, id_or_name};
use crate::keyring::Keyring;
use crate::session::Session;
use crate::sigv4::{Credential, Signature, SignatureError, SignedRequest, SigningKey, Timestamp};

/// Derived keys that are remembered. When there are more, all are forgotten.
const MAX_CACHED_KEYS: usize = 1024;

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
    ///
    /// The order of checks is AWS's: the time of the signature, what it covers, its scope, its access key, then the signature
    /// itself. An unknown key in a request that has expired is answered with the expiry.
    pub fn verify(
        &self,
        request: &SignedRequest<'_>,
        services: &[&str],
        now_seconds: i64,
    ) -> Result<Caller, Rejected> {
        let mut credential = String::new();
        let signature = Signature::read(request, &mut credential)?;
        signature.check_time(Timestamp { seconds: now_seconds })?;
        signature.check_coverage(request)?;
        let credential = signature.credential()?;
        signature.check_scope(&credential, services)?;
        let found = self.find(&signature, credential.access_key);
        let (secret, caller, expires_seconds) = found.ok_or(Rejected::UnknownKey)?;
        self.check_match(&signature, &credential, request, &secret)?;
        if expires_seconds.is_some_and(|expires_seconds| expires_seconds <= now_seconds) {
            return Err(Rejected::Expired);
        }
        Ok(caller)
    }

    /// Whether a request names an access key, or carries a session token, that is known. Nothing is proved by that.
    pub fn knows(&self, request: &SignedRequest<'_>) -> bool {
        let mut credential = String::new();
        let Ok(signature) = Signature::read(request, &mut credential) else { return false };
        signature.credential().is_ok_and(|credential| self.find(&signature, credential.access_key).is_some())
    }

    /// The secret that a signature should have been made with, whom it belongs to, and when it ends.
    fn find(&self, signature: &Signature<'_>, access_key: &str) -> Option<(Arc<str>, Caller, Option<i64>)> {
        let directory = self.directory.load();
        match &signature.token {
            None => directory.keys.get(access_key).map(|(secret, identity)| {
                let identity = Arc::clone(identity);
                (Arc::clone(secret), Caller { identity, session_policy: None, issued_seconds: None }, None)
            }),
            Some(token) => session(&directory, token, access_key),
        }
    }

    fn check_match(
        &self,
        signature: &Signature<'_>,
        credential: &Credential<'_>,
        request: &SignedRequest<'_>,
        secret: &Arc<str>,
    ) -> Result<(), SignatureError> {
        let keys = self.keys.load();
        let cached = keys.get(credential.access_key);
        if let Some(cached) =
            cached.filter(|cached| cached.scope == credential.scope_text && cached.secret == *secret)
        {
            return signature.matches(request, credential, &cached.key);
        }
        let key = SigningKey::derive(secret, &credential.scope);
        signature.matches(request, credential, &key)?;
        // Only a good signature is remembered, so that strangers cannot fill the cache.
        let cached = CachedKey { secret: Arc::clone(secret), scope: credential.scope_text.to_owned(), key };
        self.keys.rcu(|keys| {
            let mut keys = if keys.len() < MAX_CACHED_KEYS { HashMap::clone(keys) } else { HashMap::new() };
            keys.insert(credential.access_key.to_owned(), cached.clone());
            keys
        });
        Ok(())
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
        user_id: session_id(role, &session.role, &session.name),
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

/// The id of a session, for `aws:userid`.
fn session_id(role: &ReadyRole, role_name: &str, name: &str) -> String {
    format!("{}:{name}", id_or_name(&role.id, "AROA", role_name))
}

fn session_arn(role: &str, name: &str) -> String {
    format!("arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{name}")
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.modified().ok()?, metadata.len(), number))
}
