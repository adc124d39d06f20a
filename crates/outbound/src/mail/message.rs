//! A mail as text (RFC 5322). Bodies are base64, so that no line of theirs is long, bare or a lonely full stop.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::address::{MailAddress, MailText};
use super::error::MailError;

/// The most recipients of one mail.
const MAX_RECIPIENTS: usize = 50;

/// The largest body, text and HTML together.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// A mail.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The sender, with the name that is shown.
    pub from: (MailText, MailAddress),
    /// The recipients.
    pub to: Vec<MailAddress>,
    /// The address for answers, if it is not the sender's.
    pub reply_to: Option<MailAddress>,
    /// Its subject.
    pub subject: MailText,
    /// The text.
    pub text: String,
    /// The text as HTML.
    pub html: Option<String>,
    /// An id that is the same in every attempt: letters, digits, `-` and `_`.
    pub id: String,
}

impl Mail {
    /// The lines of the mail, each ended by CR LF.
    pub(super) fn render(&self, now_seconds: i64) -> Result<String, MailError> {
        if !(1..=MAX_RECIPIENTS).contains(&self.to.len()) {
            return Err(MailError::Mail("expected 1 to 50 recipients"));
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !(1..=128).contains(&self.id.len()) || !self.id.bytes().all(plain) {
            return Err(MailError::Mail("expected an id of 1 to 128 letters, digits, `-` and `_`"));
        }
        if self.text.len() + self.html.as_ref().map_or(0, String::len) > MAX_BODY_BYTES {
            return Err(MailError::Mail("expected at most 1 MB of text"));
        }
        let (name, from) = &self.from;
        let sender =
            if name.is_empty() { from.as_str().to_owned() } else { format!("{name} <{}>", from.as_str()) };
        // One recipient in a line: a line of a mail has at most 998 characters.
        let recipients: Vec<&str> = self.to.iter().map(MailAddress::as_str).collect();
        let mut lines = format!(
            "Date: {}\r\nMessage-ID: <{}@{}>\r\nFrom: {sender}\r\nTo: {}\r\n",
            date(now_seconds),
            self.id,
            from.domain(),
            recipients.join(",\r\n ")
        );
        if let Some(address) = &self.reply_to {
            lines.push_str(&format!("Reply-To: {}\r\n", address.as_str()));
        }
        lines.push_str(&format!("Subject: {}\r\nMIME-Version: 1.0\r\n", self.subject));
        match &self.html {
            None => lines.push_str(&part("plain", &self.text)),
            Some(html) => {
                // Base64 has no hyphens, so that no body contains the boundary.
                let boundary = format!("=-{}-=", &self.id[..self.id.len().min(40)]);
                lines.push_str(&format!(
                    "Content-Type: multipart/alternative; boundary=\"{boundary}\"\r\n\r\n--{boundary}\r\n{}--{boundary}\r\n{}\
                     --{boundary}--\r\n",
                    part("plain", &self.text),
                    part("html", html)
                ));
            }
        }
        Ok(lines)
    }
}

/// A part with its headers and its body.
fn part(kind: &str, body: &str) -> String {
    let mut lines =
        format!("Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n");
    let encoded = STANDARD.encode(body);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(76));
        lines.push_str(line);
        lines.push_str("\r\n");
        rest = after;
    }
    lines
}

/// `Sun, 06 Nov 1994 08:49:37 +0000`: the date of HTTP with the zone of mail.
fn date(now_seconds: i64) -> String {
    // HTTP dates end with the year 9999.
    let seconds = u64::try_from(now_seconds).unwrap_or(0).min(253_402_300_799);
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    date.replace("GMT", "+0000")
}
