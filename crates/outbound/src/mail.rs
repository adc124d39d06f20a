//! Mail, handed to one relay by SMTP submission (RFC 6409).
//!
//! The relay is reached as every other destination is: through the policy, at a vetted address, within one deadline. Passwords are sent over TLS only.
//!
//! `lettre` was weighed and left out. It adds eight crates, resolves and connects on its own, so that no address could be vetted, and has a timeout per
//! command instead of one deadline; what is needed of it is the dialogue below.

mod address;
mod error;
mod message;
mod reply;
mod submission;

pub use address::{MailAddress, MailText, MailTextError};
pub use error::{MailError, MailStage};
pub use message::Mail;

use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::progress::Progress;
use crate::target::Destination;
use crate::{Client, Error};

/// How the connection to a relay is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// From the first byte, usually on port 465.
    Implicit,
    /// After `STARTTLS`, usually on port 587. A relay that does not offer it is refused.
    StartTls,
    /// Not at all, for a relay on the same machine or in a test. Credentials are refused.
    None,
}

/// The sender.
#[derive(Clone)]
pub struct Credentials {
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Credentials({:?})", self.user)
    }
}

/// The server that delivers.
#[derive(Clone, Debug)]
pub struct Relay {
    /// Its name or address.
    pub host: String,
    /// Its port. The operator chooses it, so that the policy's ports do not apply.
    pub port: u16,
    /// How the connection is secured.
    pub security: Security,
    /// The sender.
    pub credentials: Option<Credentials>,
    /// The name of this machine in EHLO.
    pub own_name: String,
    /// How long one mail may take, from the lookup to the last reply.
    pub timeout: Duration,
}

/// Hands mail to a relay.
#[derive(Clone)]
pub struct Mailer {
    client: Client,
    relay: Relay,
    host: Destination,
}

impl Mailer {
    /// A mailer for a relay, unless its settings contradict each other.
    pub fn new(client: Client, relay: Relay) -> Result<Mailer, MailError> {
        let host = Destination::parse(&relay.host)
            .ok_or(MailError::Settings("the relay's host is not a name or an address"))?;
        if !address::is_domain(&relay.own_name) {
            return Err(MailError::Settings("the machine's own name is not a domain"));
        }
        if relay.security == Security::None && relay.credentials.is_some() {
            return Err(MailError::Settings("credentials are sent over TLS only"));
        }
        Ok(Mailer { client, relay, host })
    }

    /// Another time that one mail may take.
    pub fn with_timeout(mut self, timeout: Duration) -> Mailer {
        self.relay.timeout = timeout;
        self
    }

    /// Hands over one mail. When it returns, the relay has taken responsibility for it, or has not.
    pub async fn send(&self, mail: &Mail, now_seconds: i64) -> Result<(), MailError> {
        let progress = Progress::default();
        let deadline = Instant::now() + self.relay.timeout;
        match timeout_at(deadline, self.attempt(mail, now_seconds, deadline, &progress)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(MailError::Connection(Error::Timeout { during: progress.phase(), status: None })),
        }
    }

    async fn attempt(
        &self,
        mail: &Mail,
        now_seconds: i64,
        deadline: Instant,
        progress: &Progress,
    ) -> Result<(), MailError> {
        let text = mail.render(now_seconds)?;
        let dialer = &self.client.dialer;
        let addresses = dialer.addresses(&self.host, progress).await?;
        let (stream, _) = dialer.connect(&addresses, self.relay.port, deadline, progress).await?;
        submission::submit(self, dialer, stream, mail, &text, progress).await
    }
}
