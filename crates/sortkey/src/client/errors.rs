//! The errors of calls, by kind.

use sortkey_core::{Failure, FailureKind, Fault};
use thiserror::Error;

/// Why a call was refused: a sentence, and what is to blame.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{message}")]
pub struct Refused {
    /// The cause, and the next step.
    pub message: String,
    /// The argument or attribute that is to blame.
    pub field: Option<String>,
    /// Everything that is wrong, where it is more than one thing.
    pub faults: Vec<Fault>,
}

/// A request that got no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no answer to {operation}: {message}")]
pub struct Lost {
    /// The request.
    pub operation: &'static str,
    /// Whether it was one that writes, and may have reached DynamoDB.
    pub may_have_happened: bool,
    /// The reason why there is none.
    pub message: String,
}

/// The errors that every call may return, beside the errors of its design.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CommonError {
    /// An argument is missing, unknown or of the wrong form.
    #[error("invalid: {0}")]
    Invalid(Refused),
    /// There is no such item.
    #[error("not found: {0}")]
    NotFound(Refused),
    /// There is already such an item.
    #[error("already there: {0}")]
    AlreadyExists(Refused),
    /// Somebody else changed the item at the same time, again and again.
    #[error("conflict: {0}")]
    Conflict(Refused),
    /// The item does not have the version that the call expects.
    #[error("another version: {0}")]
    VersionDiffers(Refused),
    /// The caller may not do this.
    #[error("forbidden: {0}")]
    Forbidden(Refused),
    /// Nobody is named as the caller.
    #[error("unauthenticated: {0}")]
    Unauthenticated(Refused),
    /// The item's state does not allow this move.
    #[error("invalid transition: {0}")]
    InvalidTransition(Refused),
    /// A `check` of the design does not hold.
    #[error("check failed: {0}")]
    CheckFailed(Refused),
    /// The item or the transaction would be above DynamoDB's limits.
    #[error("too large: {0}")]
    TooLarge(Refused),
    /// A stored item does not fit the design: another version of it may have written it. It is left as it is.
    #[error("unreadable: {0}")]
    Unreadable(Refused),
    /// DynamoDB asked to slow down, longer than the client was ready to wait.
    #[error("throttled: {0}")]
    Throttled(Refused),
    /// DynamoDB cannot be reached, or an effect could not be carried out.
    #[error("unavailable: {0}")]
    Unavailable(Refused),
    /// Something is wrong with the tables or with this crate.
    #[error("internal: {0}")]
    Internal(Refused),
    /// There are no credentials, or DynamoDB does not accept them.
    #[error("credentials are refused: {0}")]
    WrongCredentials(Refused),
    /// The credentials are accepted, but their policy does not allow a request of this call.
    #[error("access is denied: {0}")]
    AccessDenied(Refused),
    /// The network dropped.
    #[error("connection lost: {0}")]
    ConnectionLost(Lost),
}

/// Why a client cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The client was generated from another design than the program that it is to run.
    #[error(
        "this client was generated from design {expected}, and the program is {found}: run `sortkey generate rust` again"
    )]
    WrongDesign {
        /// The fingerprint of the client's own design.
        expected: String,
        /// That of the program.
        found: String,
    },
    /// The program is newer than this crate.
    #[error("{0}: use a newer version of the crate `sortkey`")]
    OldCore(String),
    /// The program is older than this crate.
    #[error("{0}: run `sortkey generate rust` again")]
    OldProgram(String),
    /// The program is damaged, or an option is not as it must be.
    #[error("{0}")]
    Invalid(String),
}

/// The errors of one design, which its client declares.
pub trait DesignError: Sized {
    /// The error that the design declares under a name; the refusal itself if it declares none.
    fn declared(name: &str, refused: Refused) -> Result<Self, Refused>;
    /// An error that every call may fail with.
    fn common(error: CommonError) -> Self;
}

/// The error of a failed call.
pub(super) fn error<E: DesignError>(failure: Failure) -> E {
    let Failure { kind, message, field, faults } = failure;
    let refused = Refused { message, field, faults };
    let common = match &kind {
        FailureKind::Invalid => CommonError::Invalid,
        FailureKind::NotFound => CommonError::NotFound,
        FailureKind::AlreadyExists => CommonError::AlreadyExists,
        FailureKind::Conflict => CommonError::Conflict,
        FailureKind::VersionDiffers => CommonError::VersionDiffers,
        FailureKind::Forbidden => CommonError::Forbidden,
        FailureKind::Unauthenticated => CommonError::Unauthenticated,
        FailureKind::InvalidTransition => CommonError::InvalidTransition,
        FailureKind::CheckFailed => CommonError::CheckFailed,
        FailureKind::TooLarge => CommonError::TooLarge,
        FailureKind::Unreadable => CommonError::Unreadable,
        FailureKind::Throttled => CommonError::Throttled,
        FailureKind::Unavailable => CommonError::Unavailable,
        FailureKind::Internal => CommonError::Internal,
        FailureKind::Declared(name) => {
            let declared = E::declared(name, refused);
            return declared.unwrap_or_else(|refused| E::common(CommonError::Internal(refused)));
        }
    };
    E::common(common(refused))
}

#[cfg(test)]
mod tests {
    /// Python called two of them by other names, so that a guide for one language was wrong in the next.
    #[test]
    fn every_language_has_the_same_names() {
        let own = include_str!("errors.rs");
        let typescript = include_str!("../../../../bindings/javascript/src/index.d.ts");
        let python = include_str!("../../../python/python/sortkey/errors.py");
        let variants = |name: &str| {
            let body = own.split_once(&format!("pub enum {name} {{")).map_or("", |(_, rest)| rest);
            let body = body.split_once("\n}").map_or("", |(body, _)| body);
            let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
            let names = lines.filter(|line| line.starts_with(char::is_uppercase));
            let names = names.map(|line| line.chars().take_while(|each| each.is_alphanumeric()).collect());
            names.collect::<Vec<String>>()
        };
        let names = [variants("CommonError"), variants("OpenError")].concat();
        assert!(names.len() > 15, "{names:?}");
        // Other languages report a damaged program or option in classes of their own.
        for name in names {
            assert!(typescript.contains(&format!("export class {name} ")), "{name} in TypeScript");
            assert!(python.contains(&format!("class {name}(")), "{name} in Python");
        }
    }
}
