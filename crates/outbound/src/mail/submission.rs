//! The dialogue: greeting, name, TLS, credentials, sender, recipients, message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::error::{MailError, MailStage};
use super::message::Mail;
use super::reply::{Dialogue, Reply};
use super::{Credentials, Mailer, Security};
use crate::dial::Dialer;
use crate::progress::{Phase, Progress};

pub(super) async fn submit(
    mailer: &Mailer,
    dialer: &Dialer,
    stream: TcpStream,
    mail: &Mail,
    text: &str,
    progress: &Progress,
) -> Result<(), MailError> {
    match mailer.relay.security {
        Security::None => {
            progress.enter(Phase::Waiting);
            let mut dialogue = Dialogue::new(stream);
            dialogue.expect(MailStage::Greeting, 2).await?;
            deliver(mailer, dialogue, mail, text).await
        }
        Security::Implicit => {
            let stream = dialer.secure(stream, &mailer.host, progress).await?;
            progress.enter(Phase::Waiting);
            let mut dialogue = Dialogue::new(stream);
            dialogue.expect(MailStage::Greeting, 2).await?;
            deliver(mailer, dialogue, mail, text).await
        }
        Security::StartTls => {
            progress.enter(Phase::Waiting);
            let mut dialogue = Dialogue::new(stream);
            dialogue.expect(MailStage::Greeting, 2).await?;
            let offers = hello(mailer, &mut dialogue).await?;
            // An attacker in between could remove the offer to make the client continue without TLS.
            if !offers.has("STARTTLS") {
                return Err(MailError::Missing("STARTTLS"));
            }
            dialogue.ask("STARTTLS", MailStage::StartTls, 2).await?;
            let stream = dialer.secure(dialogue.into_stream()?, &mailer.host, progress).await?;
            progress.enter(Phase::Waiting);
            deliver(mailer, Dialogue::new(stream), mail, text).await
        }
    }
}

/// Delivers a mail, from EHLO on; offers from before TLS are not used.
async fn deliver<S: AsyncRead + AsyncWrite + Unpin>(
    mailer: &Mailer,
    mut dialogue: Dialogue<S>,
    mail: &Mail,
    text: &str,
) -> Result<(), MailError> {
    let offers = hello(mailer, &mut dialogue).await?;
    if let Some(credentials) = &mailer.relay.credentials {
        authenticate(credentials, &offers, &mut dialogue).await?;
    }
    let sender = format!("MAIL FROM:<{}>", mail.from.1.as_str());
    dialogue.ask(&sender, MailStage::Sender, 2).await?;
    for recipient in &mail.to {
        dialogue.ask(&format!("RCPT TO:<{}>", recipient.as_str()), MailStage::Recipient, 2).await?;
    }
    dialogue.ask("DATA", MailStage::Message, 3).await?;
    dialogue.send_mail(text).await?;
    dialogue.expect(MailStage::Message, 2).await?;
    // The relay has accepted the mail, so its answer to QUIT does not matter.
    let _ = dialogue.ask("QUIT", MailStage::Message, 2).await;
    Ok(())
}

/// The extensions that a relay offers.
struct Offers(Vec<String>);

impl Offers {
    fn has(&self, keyword: &str) -> bool {
        self.words(keyword).is_some()
    }

    /// The words after a keyword.
    fn words(&self, keyword: &str) -> Option<Vec<String>> {
        self.0.iter().find_map(|line| {
            let mut words = line.split([' ', '=']).map(str::to_ascii_uppercase);
            (words.next()? == keyword).then(|| words.collect())
        })
    }
}

async fn hello<S: AsyncRead + AsyncWrite + Unpin>(
    mailer: &Mailer,
    dialogue: &mut Dialogue<S>,
) -> Result<Offers, MailError> {
    let command = format!("EHLO {}", mailer.relay.own_name);
    let Reply { lines, .. } = dialogue.ask(&command, MailStage::Hello, 2).await?;
    Ok(Offers(lines.into_iter().skip(1).collect()))
}

async fn authenticate<S: AsyncRead + AsyncWrite + Unpin>(
    credentials: &Credentials,
    offers: &Offers,
    dialogue: &mut Dialogue<S>,
) -> Result<(), MailError> {
    let (user, password) = (credentials.user.as_str(), credentials.password.as_str());
    let methods = offers.words("AUTH").unwrap_or_default();
    let offered = |method: &str| methods.iter().any(|each| each == method);
    if offered("PLAIN") {
        if user.contains('\0') || password.contains('\0') {
            return Err(MailError::Settings("credentials contain a NUL"));
        }
        let encoded = STANDARD.encode(format!("\0{user}\0{password}"));
        dialogue.ask(&format!("AUTH PLAIN {encoded}"), MailStage::Authentication, 2).await?;
    } else if offered("LOGIN") {
        dialogue.ask("AUTH LOGIN", MailStage::Authentication, 3).await?;
        dialogue.ask(&STANDARD.encode(user), MailStage::Authentication, 3).await?;
        dialogue.ask(&STANDARD.encode(password), MailStage::Authentication, 2).await?;
    } else {
        return Err(MailError::Missing("AUTH PLAIN or AUTH LOGIN"));
    }
    Ok(())
}
