//! Why a call was refused: a few kinds that a program can act on, and a sentence for people.

use std::fmt;

/// A call that did not succeed. Nothing is half-done,
/// unless the design itself declares that a statement is not atomic.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The cause, and the next step.
    pub message: String,
    /// The argument or attribute that is to blame.
    pub field: Option<String>,
    /// Everything that is wrong, where it is more than one thing; this failure is the first.
    pub faults: Vec<Fault>,
}

/// One of several things that are wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The argument that is to blame.
    pub field: Option<String>,
    /// Its problem.
    pub message: String,
}

/// The sorts of failures.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// An argument is missing, unknown or of the wrong form.
    Invalid,
    /// There is no such item, or no such pattern or operation.
    NotFound,
    /// There is already such an item.
    AlreadyExists,
    /// Somebody else changed the item at the same time, again and again.
    Conflict,
    /// The item does not have the version that the call expects.
    VersionDiffers,
    /// The caller may not do this.
    Forbidden,
    /// Nobody is named as the caller.
    Unauthenticated,
    /// An error that the design declares with `else`.
    Declared(String),
    /// The item's state does not allow this move.
    InvalidTransition,
    /// A `check` of the design or the condition of a statement does not hold.
    CheckFailed,
    /// The item or the transaction would be above DynamoDB's limits.
    TooLarge,
    /// A stored item does not fit the design. It is left as it is.
    Unreadable,
    /// The backend asked to slow down, longer than we were ready to wait.
    Throttled,
    /// The backend cannot be reached.
    Unavailable,
    /// Something is wrong with the tables or with us.
    Internal,
}

impl Failure {
    /// A failure that no field is to blame for.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), field: None, faults: Vec::new() }
    }

    /// An argument that is not as it must be.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Invalid, message).at(field)
    }

    /// Something that cannot happen unless the tables were changed behind our back.
    pub fn internal(message: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Internal, message)
    }

    /// Blames the failure on a field.
    pub fn at(mut self, field: impl Into<String>) -> Failure {
        self.field = Some(field.into());
        self
    }
}

impl FailureKind {
    /// The kind with a name; an error that the design declares if none of the runtime's own has it.
    pub(crate) fn of_name(name: &str) -> FailureKind {
        match name {
            "Invalid" => FailureKind::Invalid,
            "NotFound" => FailureKind::NotFound,
            "AlreadyExists" => FailureKind::AlreadyExists,
            "Conflict" => FailureKind::Conflict,
            "Forbidden" => FailureKind::Forbidden,
            "Unauthenticated" => FailureKind::Unauthenticated,
            "InvalidTransition" => FailureKind::InvalidTransition,
            "CheckFailed" => FailureKind::CheckFailed,
            "TooLarge" => FailureKind::TooLarge,
            "Throttled" => FailureKind::Throttled,
            "Unavailable" => FailureKind::Unavailable,
            "Internal" => FailureKind::Internal,
            _ => FailureKind::Declared(name.to_owned()),
        }
    }

    /// Its name in designs and for clients: `NotFound`, or the declared error's own.
    pub fn name(&self) -> &str {
        match self {
            FailureKind::Invalid => "Invalid",
            FailureKind::NotFound => "NotFound",
            FailureKind::AlreadyExists => "AlreadyExists",
            FailureKind::Conflict => "Conflict",
            FailureKind::VersionDiffers => "VersionDiffers",
            FailureKind::Forbidden => "Forbidden",
            FailureKind::Unauthenticated => "Unauthenticated",
            FailureKind::Declared(name) => name,
            FailureKind::InvalidTransition => "InvalidTransition",
            FailureKind::CheckFailed => "CheckFailed",
            FailureKind::TooLarge => "TooLarge",
            FailureKind::Unreadable => "Unreadable",
            FailureKind::Throttled => "Throttled",
            FailureKind::Unavailable => "Unavailable",
            FailureKind::Internal => "Internal",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Failure {}
