//! Addresses and texts of mail that cannot contain a line's end.

use std::fmt;

use thiserror::Error;

/// The address of a mailbox, in ASCII, without a display name. It contains neither spaces nor angle brackets nor a line's
/// end, so that it can be used verbatim in a command and in a header.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MailAddress(String);

/// One line of text: a subject or a display name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct MailText(String);

/// Why a text cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MailTextError {
    /// Not an address.
    #[error(
        "expected an address such as `ada@example.com`: visible ASCII without quotes, at most 254 characters"
    )]
    Address,
    /// Not one line.
    #[error("expected one line of at most 500 bytes without control characters")]
    Line,
}

impl MailAddress {
    /// Reads an address: atoms with full stops between them, an at sign and a domain. Quoted names and address literals are refused; nobody's mailbox needs
    /// them, and readers disagree about them.
    pub fn parse(text: &str) -> Result<MailAddress, MailTextError> {
        let (local, domain) = text.rsplit_once('@').ok_or(MailTextError::Address)?;
        let atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
        let is_local = (1..=64).contains(&local.len())
            && local.split('.').all(|part| !part.is_empty() && part.bytes().all(atom));
        if is_local && is_domain(domain) && text.len() <= 254 {
            Ok(MailAddress(text.to_owned()))
        } else {
            Err(MailTextError::Address)
        }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the at sign.
    pub(super) fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl MailText {
    /// One line without control characters.
    pub fn parse(text: &str) -> Result<MailText, MailTextError> {
        // Line and paragraph separators of Unicode are ends of lines to some readers.
        let breaks = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
        if text.len() > 500 || text.contains(breaks) {
            Err(MailTextError::Line)
        } else {
            Ok(MailText(text.to_owned()))
        }
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for MailText {
    /// The text for a header: as it is if it is plain, and as encoded words of RFC 2047 otherwise, each of at most 75 characters and on a line of its own.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use base64::Engine as _;
        // `=?` would begin an encoded word, and quotes, commas and brackets have a meaning beside addresses.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" !#$%&'*+-/^_`{|}~.".contains(&byte);
        let is_plain = self.0.len() <= 60 && self.0.bytes().all(plain) && self.0.trim() == self.0;
        if is_plain {
            return formatter.write_str(&self.0);
        }
        let mut rest = self.0.as_str();
        let mut separator = "";
        while !rest.is_empty() {
            // 45 bytes are 60 characters of base64. A character is never divided.
            let end =
                (0..=rest.len().min(45)).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let encoded = base64::engine::general_purpose::STANDARD.encode(word);
            write!(formatter, "{separator}=?utf-8?B?{encoded}?=")?;
            (separator, rest) = ("\r\n ", after);
        }
        Ok(())
    }
}

/// Labels of letters, digits and hyphens with full stops between them.
pub(super) fn is_domain(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}
