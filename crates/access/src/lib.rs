//! Authentication and the record of decisions: AWS signatures, identities with access keys, roles with sessions, the
//! keyring that seals secrets, and the audit log.
//!
//! The crate is independent of HTTP servers and of DynamoDB's operations. [`Authority::verify`] takes the raw parts of
//! a request and returns its [`Caller`]; the caller's permissions are evaluated by `sortkey-policy`.
//!
//! Invariants:
//! - A secret is never written unsealed, never logged, and never kept next to the key that seals it.
//! - Codes and secrets are compared in constant time.
//! - A file that cannot be read lets nobody in.

mod audit;
mod authority;
mod hex;
mod hmac;
mod identities;
mod keyring;
mod session;
mod sigv4;

pub use audit::{
    Anchor, AuditError, AuditLog, Checked, Decided, Event, Line, files_of as audit_files,
    verify as verify_audit,
};
pub use authority::{AssumeError, AssumeRole, Authority, Caller, Credentials, Rejected};
pub use identities::{
    ACCOUNT, AccessKey, Attached, Identity, IdentityError, IdentityFile, NewAccessKey, OwnerKind, Role, User,
    attach, detach, document,
};
pub use keyring::{KeyService, Keyring, KeyringError, KeyringSource, check_apart};
pub use session::is_session_token;
pub use sigv4::{Credential, Scope, Signature, SignatureError, SignedRequest, SigningKey, Timestamp};
