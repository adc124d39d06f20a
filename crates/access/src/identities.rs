//! Identities: users and roles with their access keys and policies, kept in one file.
//!
//! Secrets of access keys must be known to verify signatures, so the file contains them sealed by a [`Keyring`] that is kept
//! elsewhere. The file can be changed while a server runs: the server reads it again when it changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sortkey_policy::{Kind, Policy};
use thiserror::Error;

use crate::keyring::{self, Keyring, KeyringError};

/// The account that all identities belong to, which is also the one that ARNs of tables name.
pub const ACCOUNT: &str = "000000000000";

/// Letters of access keys and secrets.
const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A file of identities that cannot be used, or a change that makes no sense.
#[derive(Debug, Error)]
pub enum IdentityError {
    /// It cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// It is not what we write.
    #[error("{0} is not a file of identities: {1}")]
    Content(PathBuf, serde_json::Error),
    /// The keyring does not fit.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    /// A change that cannot be made.
    #[error("{0}")]
    Invalid(String),
}

/// The contents of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct IdentityFile {
    /// Seals session tokens; itself sealed by the keyring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_key: Option<String>,
    /// People and programs with access keys of their own.
    #[serde(default)]
    pub users: Vec<User>,
    /// Roles that users can assume for a limited time.
    #[serde(default)]
    pub roles: Vec<Role>,
}

/// A user.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct User {
    /// Unique among users, whatever its case.
    pub name: String,
    /// Made anew for every user, for `aws:userid`; files of earlier versions have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// May do everything, and use the administration routes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub admin: bool,
    /// The policies that give it permissions.
    #[serde(default)]
    pub policies: Vec<Attached>,
    /// The most that its policies can allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<serde_json::Value>,
    /// The access keys for its signatures.
    #[serde(default)]
    pub keys: Vec<AccessKey>,
}

/// A role.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Role {
    /// Unique among roles, whatever its case.
    pub name: String,
    /// Made anew for every role, so that sessions of a deleted one do not belong to another of its name.
    #[serde(default)]
    pub id: String,
    /// The policy on the principals that may assume it.
    pub trust: serde_json::Value,
    /// The policies that give it permissions.
    #[serde(default)]
    pub policies: Vec<Attached>,
    /// The most that its policies can allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<serde_json::Value>,
}

/// A policy of a user or role.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Attached {
    /// Unique within its owner.
    pub name: String,
    /// The policy.
    pub document: serde_json::Value,
}

/// An access key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AccessKey {
    /// `AKIA...`.
    pub id: String,
    /// The secret, sealed for this id.
    sealed: String,
    /// Whether signatures are rejected for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

/// The owner of policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerKind {
    /// A user.
    User,
    /// A role.
    Role,
}

/// An access key that was just made.
#[derive(Clone, Debug)]
pub struct NewAccessKey {
    /// `AKIA...`.
    pub id: String,
    /// Shown once.
    pub secret: String,
}

impl IdentityFile {
    /// Reads a file; empty if it is not there yet.
    pub fn read(path: &Path) -> Result<IdentityFile, IdentityError> {
        match std::fs::read(path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| IdentityError::Content(path.to_owned(), error))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(IdentityFile::default()),
            Err(error) => Err(IdentityError::File(path.to_owned(), error)),
        }
    }

    /// Changes a file while no other process does.
    pub fn change<T>(
        path: &Path,
        change: impl FnOnce(&mut IdentityFile) -> Result<T, IdentityError>,
    ) -> Result<T, IdentityError> {
        let failed = |error| IdentityError::File(path.to_owned(), error);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let lock = path.with_extension("lock");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(lock).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut file = IdentityFile::read(path)?;
        let changed = change(&mut file)?;
        let text = serde_json::to_vec_pretty(&file);
        let text = text.map_err(|error| IdentityError::Content(path.to_owned(), error))?;
        keyring::write_private(path, &text).map_err(failed)?;
        Ok(changed)
    }

    /// The user of a name.
    pub fn user(&mut self, name: &str) -> Result<&mut User, IdentityError> {
        let found = self.users.iter_mut().find(|user| user.name == name);
        found.ok_or_else(|| IdentityError::Invalid(format!("there is no user `{name}`")))
    }

    /// The role of a name.
    pub fn role(&mut self, name: &str) -> Result<&mut Role, IdentityError> {
        let found = self.roles.iter_mut().find(|role| role.name == name);
        found.ok_or_else(|| IdentityError::Invalid(format!("there is no role `{name}`")))
    }

    /// The policies and the boundary of a user or role.
    pub fn permissions(
        &mut self,
        kind: OwnerKind,
        name: &str,
    ) -> Result<(&mut Vec<Attached>, &mut Option<serde_json::Value>), IdentityError> {
        match kind {
            OwnerKind::User => self.user(name).map(|user| (&mut user.policies, &mut user.boundary)),
            OwnerKind::Role => self.role(name).map(|role| (&mut role.policies, &mut role.boundary)),
        }
    }

    /// Removes a user or role.
    pub fn delete(&mut self, kind: OwnerKind, name: &str) -> Result<(), IdentityError> {
        self.permissions(kind, name)?;
        match kind {
            OwnerKind::User => self.users.retain(|user| user.name != name),
            OwnerKind::Role => self.roles.retain(|role| role.name != name),
        }
        Ok(())
    }

    /// Adds a user.
    pub fn create_user(&mut self, name: &str, admin: bool) -> Result<(), IdentityError> {
        check_name(name)?;
        check_free(name, "user", self.users.iter().map(|user| user.name.as_str()))?;
        let (id, _) = new_key("AIDA")?;
        let user = User { name: name.to_owned(), id, admin, policies: vec![], boundary: None, keys: vec![] };
        self.users.push(user);
        Ok(())
    }

    /// Adds a role.
    pub fn create_role(&mut self, name: &str, trust: &str) -> Result<(), IdentityError> {
        check_name(name)?;
        check_free(name, "role", self.roles.iter().map(|role| role.name.as_str()))?;
        let trust = document(trust, Kind::Trust)?;
        let (id, _) = new_key("AROA")?;
        self.roles.push(Role { name: name.to_owned(), id, trust, policies: vec![], boundary: None });
        Ok(())
    }

    /// Makes an access key for a user.
    pub fn create_key(&mut self, user: &str, keyring: &Keyring) -> Result<NewAccessKey, IdentityError> {
        self.check_opens(keyring)?;
        let user = self.user(user)?;
        let (id, secret) = new_key("AKIA")?;
        user.keys.push(AccessKey {
            id: id.clone(),
            sealed: keyring.seal(secret.as_bytes(), &id)?,
            disabled: false,
        });
        Ok(NewAccessKey { id, secret })
    }

    /// The access key of an id, and the name of its user.
    pub fn key(&mut self, id: &str) -> Result<(&mut User, usize), IdentityError> {
        let unknown = || IdentityError::Invalid(format!("there is no access key `{id}`"));
        let user = self
            .users
            .iter_mut()
            .find(|user| user.keys.iter().any(|key| key.id == id))
            .ok_or_else(unknown)?;
        let at = user.keys.iter().position(|key| key.id == id).ok_or_else(unknown)?;
        Ok((user, at))
    }

    /// Seals all secrets anew, with the newest key of the keyring.
    pub fn reseal(&mut self, keyring: &Keyring) -> Result<(), IdentityError> {
        for key in self.users.iter_mut().flat_map(|user| &mut user.keys) {
            let secret = keyring.open_sealed(&key.sealed, &key.id, "an access key")?;
            key.sealed = keyring.seal(&secret, &key.id)?;
        }
        if let Some(sealed) = &mut self.session_key {
            let secret = keyring.open_sealed(sealed, "sessions", "the key of sessions")?;
            *sealed = keyring.seal(&secret, "sessions")?;
        }
        Ok(())
    }

    /// Whether something in the file is sealed, so that only the keyring that sealed it is of use.
    pub fn is_sealed(&self) -> bool {
        self.session_key.is_some() || self.users.iter().any(|user| !user.keys.is_empty())
    }

    /// Rejects a keyring that does not open what is sealed already: secrets of two keyrings in one file would open for nobody.
    fn check_opens(&self, keyring: &Keyring) -> Result<(), IdentityError> {
        if let Some(key) = self.users.iter().flat_map(|user| &user.keys).next() {
            keyring.open_sealed(&key.sealed, &key.id, "an access key")?;
        }
        if let Some(sealed) = &self.session_key {
            keyring.open_sealed(sealed, "sessions", "the key of sessions")?;
        }
        Ok(())
    }

    /// The key that seals session tokens; it is made if there is none.
    pub fn ensure_session_key(&mut self, keyring: &Keyring) -> Result<(), IdentityError> {
        self.check_opens(keyring)?;
        if self.session_key.is_none() {
            let key: [u8; 32] = keyring::random()?;
            self.session_key = Some(keyring.seal(&key, "sessions")?);
        }
        Ok(())
    }
}

/// Puts a policy among others, in place of one of the same name.
pub fn attach(policies: &mut Vec<Attached>, name: &str, text: &str) -> Result<(), IdentityError> {
    check_name(name)?;
    let document = document(text, Kind::Identity)?;
    policies.retain(|policy| policy.name != name);
    policies.push(Attached { name: name.to_owned(), document });
    Ok(())
}

/// Takes a policy away.
pub fn detach(policies: &mut Vec<Attached>, name: &str) -> Result<(), IdentityError> {
    let before = policies.len();
    policies.retain(|policy| policy.name != name);
    match policies.len() < before {
        true => Ok(()),
        false => Err(IdentityError::Invalid(format!("there is no policy `{name}`"))),
    }
}

/// A policy document as JSON, once it is known to be a policy.
pub fn document(text: &str, kind: Kind) -> Result<serde_json::Value, IdentityError> {
    let invalid = |why: &dyn std::fmt::Display| IdentityError::Invalid(format!("the policy: {why}"));
    Policy::parse(text, kind).map_err(|error| invalid(&error))?;
    serde_json::from_str(text).map_err(|error| invalid(&error))
}

fn check_name(name: &str) -> Result<(), IdentityError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+=,.@_-".contains(&byte);
    match (1..=64).contains(&name.len()) && name.bytes().all(allowed) {
        true => Ok(()),
        false => {
            Err(IdentityError::Invalid(format!("`{name}`: a name is 1 to 64 letters, digits or +=,.@_-")))
        }
    }
}

/// Rejects a name that is taken. As on AWS, names that differ only in their case count as one.
fn check_free<'n>(
    name: &str,
    kind: &str,
    mut taken: impl Iterator<Item = &'n str>,
) -> Result<(), IdentityError> {
    match taken.find(|other| other.eq_ignore_ascii_case(name)) {
        None => Ok(()),
        Some(other) => {
            Err(IdentityError::Invalid(format!("there is a {kind} `{other}` already: choose another name")))
        }
    }
}

/// The id of an identity. Those of earlier versions were made of the name.
pub(crate) fn id_or_name(id: &str, prefix: &str, name: &str) -> String {
    match id {
        "" => format!("{prefix}{}", name.to_ascii_uppercase()),
        id => id.to_owned(),
    }
}

/// An id and a secret that nobody can guess.
pub(crate) fn new_key(prefix: &str) -> Result<(String, String), KeyringError> {
    let id: [u8; 16] = keyring::random()?;
    let id = id.iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)]));
    let secret: [u8; 30] = keyring::random()?;
    Ok((prefix.chars().chain(id).collect(), STANDARD.encode(secret)))
}

/// An identity that a signature has proved.
#[derive(Debug)]
pub struct Identity {
    /// For policies and errors.
    pub principal: sortkey_policy::Principal,
    /// For `aws:username`; none for sessions.
    pub user: Option<String>,
    /// For `aws:userid`.
    pub user_id: String,
    /// May do everything, and use the administration routes.
    pub admin: bool,
    /// The policies that give it permissions.
    pub policies: Vec<Policy>,
    /// The most that its policies can allow.
    pub boundary: Option<Policy>,
}

/// A file of identities, ready to verify signatures.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) keys: HashMap<String, (Arc<str>, Arc<Identity>)>,
    pub(crate) roles: HashMap<String, ReadyRole>,
    pub(crate) session_key: Option<[u8; 32]>,
}

/// A role, ready to be assumed.
#[derive(Debug)]
pub(crate) struct ReadyRole {
    pub(crate) arn: String,
    pub(crate) id: String,
    pub(crate) trust: Policy,
    pub(crate) policies: Vec<Policy>,
    pub(crate) boundary: Option<Policy>,
}

impl Directory {
    pub(crate) fn build(file: &IdentityFile, keyring: &Keyring) -> Result<Directory, IdentityError> {
        let mut keys = HashMap::new();
        for user in &file.users {
            let arn = format!("arn:aws:iam::{ACCOUNT}:user/{}", user.name);
            let identity = Arc::new(Identity {
                principal: sortkey_policy::Principal { account: ACCOUNT.to_owned(), arn, role: None },
                user: Some(user.name.clone()),
                user_id: id_or_name(&user.id, "AIDA", &user.name),
                admin: user.admin,
                policies: compile(&user.policies),
                boundary: user.boundary.as_ref().map(compiled),
            });
            for key in user.keys.iter().filter(|key| !key.disabled) {
                let secret = keyring.open_sealed(&key.sealed, &key.id, "an access key")?;
                let secret = String::from_utf8(secret).map_err(|_| KeyringError::Forged("an access key"))?;
                keys.insert(key.id.clone(), (secret.into(), Arc::clone(&identity)));
            }
        }
        let roles = file.roles.iter().map(|role| {
            let ready = ReadyRole {
                arn: format!("arn:aws:iam::{ACCOUNT}:role/{}", role.name),
                id: role.id.clone(),
                trust: compiled_as(&role.trust, Kind::Trust),
                policies: compile(&role.policies),
                boundary: role.boundary.as_ref().map(compiled),
            };
            (role.name.clone(), ready)
        });
        let roles = roles.collect();
        let session_key = match &file.session_key {
            None => None,
            Some(sealed) => {
                let key = keyring.open_sealed(sealed, "sessions", "the key of sessions")?;
                Some(<[u8; 32]>::try_from(key).map_err(|_| KeyringError::Forged("the key of sessions"))?)
            }
        };
        Ok(Directory { keys, roles, session_key })
    }
}

fn compile(policies: &[Attached]) -> Vec<Policy> {
    policies.iter().map(|policy| compiled(&policy.document).named(&policy.name)).collect()
}

fn compiled(document: &serde_json::Value) -> Policy {
    compiled_as(document, Kind::Identity)
}

/// A policy that does not parse denies everything.
fn compiled_as(document: &serde_json::Value, kind: Kind) -> Policy {
    Policy::parse(&document.to_string(), kind).unwrap_or_else(|error| {
        tracing::warn!(%error, "a policy cannot be read and denies everything");
        Policy::deny_all()
    })
}
