//! The error that an operation returns instead of its output.
//!
//! An error is a kind, a message in AWS's words, and for some kinds details that travel beside the
//! message. The kind decides the HTTP status, the `__type` and the spelling of the message member; the
//! well-known messages have a constructor each, further below.

mod kind;
mod meaning;
mod read;
mod well_known;

pub use self::kind::ErrorKind;
pub use self::meaning::{Again, Cause, Fault};

use crate::Wording;
use crate::json::Writer;
use crate::shape::Encode;
use sortkey_value::Item;
use std::fmt;

/// An error as it goes to the client.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The exception.
    pub kind: ErrorKind,
    /// The description, in AWS's words. Empty for the few exceptions that AWS sends without a message.
    pub message: String,
    /// The data that accompanies the message.
    pub details: Option<Box<ErrorDetails>>,
    /// The framework of AWS whose form the error has.
    pub wording: Wording,
}

/// The data that accompanies the message of some kinds of errors.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorDetails {
    /// The item that failed its condition, when `ReturnValuesOnConditionCheckFailure` asked for it.
    Item(Item),
    /// Why a transaction was cancelled: one reason per request, in order.
    CancellationReasons(Vec<CancellationReason>),
    /// The limits that throttled the request.
    ThrottlingReasons(Vec<ThrottlingReason>),
    /// A refusal by a layer between the program and DynamoDB, such as a migration. It is never sent over the wire.
    Refused(Refused),
    /// There is no answer: the request was not sent, or its answer was lost. It never crosses the wire.
    NoAnswer {
        /// Whether it was a write that may have been carried out.
        may_have_happened: bool,
    },
    /// The store is being opened again, and nothing was changed: the request is sent again when it is there. It never
    /// crosses the wire.
    Reopening,
}

/// Why a layer between a program and DynamoDB refuses a request that DynamoDB alone might have taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A value has no place in what the request is also written to.
    Unfit,
    /// A value or a key belongs to another item there.
    Taken,
    /// It writes more than one transaction takes.
    TooLarge,
    /// Writes are not taken at the moment.
    NotNow,
}

/// Why one request of a transaction let it be cancelled.
#[derive(Clone, Debug, PartialEq)]
pub struct CancellationReason {
    /// `None`, `ConditionalCheckFailed`, `TransactionConflict`, ...
    pub code: String,
    /// Absent for `None`.
    pub message: Option<String>,
    /// The item that failed its condition, if asked for.
    pub item: Option<Item>,
}

/// A limit that throttled a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrottlingReason {
    /// `TableReadProvisionedThroughputExceeded`, `IndexWriteKeyRangeThroughputExceeded`, ...
    pub reason: String,
    /// The ARN of the table or index.
    pub resource: String,
}

impl ApiError {
    /// An error without details.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: None, wording: Wording::Classic }
    }

    /// Adds details to the error.
    pub fn with_details(mut self, details: ErrorDetails) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// The HTTP status of the answer.
    pub fn status(&self) -> u16 {
        self.kind.status()
    }

    /// How the message member is spelled. The older framework capitalises it beside the item that failed its condition.
    fn message_member(&self) -> &'static str {
        match (self.details.as_deref(), self.wording) {
            (Some(ErrorDetails::Item(_)), Wording::Classic) => "Message",
            _ => self.kind.message_member(),
        }
    }

    /// The body of the answer, appended to `out`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::new(out);
        writer.begin_object();
        writer.quoted_name("\"__type\":");
        writer.plain_string(format_args!("{}#{}", self.kind.namespace(), self.kind.name()));
        if !self.message.is_empty() {
            writer.name(self.message_member());
            writer.string(&self.message);
        }
        if let Some(details) = &self.details {
            details.write_json(self.kind, &mut writer);
        }
        writer.end_object();
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for ApiError {}

impl ErrorDetails {
    fn write_json(&self, kind: ErrorKind, writer: &mut Writer<'_>) {
        match self {
            Self::Item(item) => {
                writer.quoted_name("\"Item\":");
                item.encode(writer);
            }
            Self::CancellationReasons(reasons) => {
                writer.quoted_name("\"CancellationReasons\":");
                writer.begin_array();
                reasons.iter().for_each(|reason| reason.write_json(writer));
                writer.end_array();
            }
            Self::ThrottlingReasons(reasons) => {
                writer.name(kind.throttling_reasons_member());
                writer.begin_array();
                reasons.iter().for_each(|reason| reason.write_json(writer));
                writer.end_array();
            }
            Self::Refused(_) | Self::NoAnswer { .. } | Self::Reopening => {}
        }
    }
}

impl CancellationReason {
    /// The reason of a request that was fine: `None`.
    pub fn none() -> Self {
        Self { code: "None".to_owned(), message: None, item: None }
    }

    /// A reason with its message.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: Some(message.into()), item: None }
    }

    fn write_json(&self, writer: &mut Writer<'_>) {
        writer.begin_object();
        writer.quoted_name("\"Code\":");
        writer.string(&self.code);
        if let Some(item) = &self.item {
            writer.quoted_name("\"Item\":");
            item.encode(writer);
        }
        if let Some(message) = &self.message {
            writer.quoted_name("\"Message\":");
            writer.string(message);
        }
        writer.end_object();
    }
}

impl ThrottlingReason {
    fn write_json(&self, writer: &mut Writer<'_>) {
        writer.begin_object();
        writer.quoted_name("\"reason\":");
        writer.string(&self.reason);
        writer.quoted_name("\"resource\":");
        writer.string(&self.resource);
        writer.end_object();
    }
}

#[cfg(test)]
mod tests;
