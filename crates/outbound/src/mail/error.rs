//! Why a mail was not handed over.

use std::fmt;

use thiserror::Error;

/// Why a mail was not handed over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MailError {
    /// The settings contradict each other.
    #[error("the relay cannot be used: {0}")]
    Settings(&'static str),
    /// The mail itself cannot be sent.
    #[error("the mail is not valid: {0}")]
    Mail(&'static str),
    /// The relay was not reached, or the connection broke.
    #[error("the relay was not reached: {0}")]
    Connection(#[from] crate::Error),
    /// The relay does not offer what is needed.
    #[error("the relay does not offer {0}")]
    Missing(&'static str),
    /// The relay refused a command.
    #[error("the relay refused {stage} with {code}: {text}")]
    Rejected {
        /// The refused part.
        stage: MailStage,
        /// Its code. 4xx is for now, 5xx is for good.
        code: u16,
        /// Its words, without control characters and cut.
        text: String,
    },
    /// The answer of the relay is not SMTP.
    #[error("the relay does not speak SMTP: {0}")]
    Protocol(&'static str),
}

impl MailError {
    /// Whether another attempt may succeed.
    pub fn is_transient(&self) -> bool {
        match self {
            MailError::Connection(error) => !matches!(error, crate::Error::Refused { .. }),
            MailError::Rejected { code, .. } => (400..500).contains(code),
            MailError::Settings(_) | MailError::Mail(_) | MailError::Missing(_) | MailError::Protocol(_) => {
                false
            }
        }
    }
}

/// The parts that a relay can refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailStage {
    /// The connection.
    Greeting,
    /// The name of this machine.
    Hello,
    /// TLS.
    StartTls,
    /// The credentials.
    Authentication,
    /// The sender.
    Sender,
    /// A recipient.
    Recipient,
    /// The message.
    Message,
}

impl fmt::Display for MailStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            MailStage::Greeting => "the connection",
            MailStage::Hello => "the name of this machine",
            MailStage::StartTls => "TLS",
            MailStage::Authentication => "the credentials",
            MailStage::Sender => "the sender",
            MailStage::Recipient => "a recipient",
            MailStage::Message => "the message",
        })
    }
}
