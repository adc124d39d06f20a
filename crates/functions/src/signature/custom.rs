//! Schemes with one signature in one header: GitHub, Shopify, Slack, Discord and everybody's own.

use super::key::VerifyingKeys;
use super::{
    DeliveryId, IdSource, Incoming, SchemeError, SignatureError, TOLERANCE_SECONDS, TimestampHeader,
    delivery, malformed, only, timestamp,
};
use crate::config::is_header_name;
use crate::encoding::Encoding;
use crate::hmac::Algorithm;

/// How a signature is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// With a secret that both sides have.
    Hmac(Algorithm),
    /// With a private key, and verified with its public half.
    Ed25519,
}

/// A piece of what is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// These characters.
    Text(String),
    /// The value of a header.
    Header(String),
    /// The body.
    Body,
}

/// A scheme with one signature in one header.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// The header with the signature.
    pub header: String,
    /// The text before the signature, such as `sha256=`; empty for nothing.
    pub prefix: String,
    /// How the signature is written.
    pub encoding: Encoding,
    /// How it is made.
    pub method: Method,
    /// The signed content, piece after piece.
    pub content: Vec<Part>,
    /// The place of the time, if a time is signed.
    pub timestamp: Option<TimestampHeader>,
    /// The place of the delivery's id, if there is one.
    pub delivery_id: Option<IdSource>,
}

impl Custom {
    /// HMAC-SHA256 over the body, in hexadecimal.
    pub fn new(header: &str) -> Custom {
        Custom {
            header: header.to_owned(),
            prefix: String::new(),
            encoding: Encoding::Hex,
            method: Method::Hmac(Algorithm::Sha256),
            content: vec![Part::Body],
            timestamp: None,
            delivery_id: None,
        }
    }

    pub(super) fn github() -> Custom {
        Custom {
            prefix: "sha256=".to_owned(),
            delivery_id: Some(IdSource::headers(["X-GitHub-Delivery"])),
            ..Custom::new("X-Hub-Signature-256")
        }
    }

    pub(super) fn shopify() -> Custom {
        Custom {
            encoding: Encoding::Base64,
            // The webhook's id is that of the delivery and stays the same in every attempt; the event's id is shared by all topics
            // that one action of a merchant causes.
            delivery_id: Some(IdSource::headers(["X-Shopify-Webhook-Id", "X-Shopify-Event-Id"])),
            ..Custom::new("X-Shopify-Hmac-Sha256")
        }
    }

    pub(super) fn slack() -> Custom {
        let time = "X-Slack-Request-Timestamp";
        Custom {
            prefix: "v0=".to_owned(),
            content: vec![
                Part::Text("v0:".to_owned()),
                Part::Header(time.to_owned()),
                Part::Text(":".to_owned()),
                Part::Body,
            ],
            timestamp: Some(TimestampHeader {
                header: time.to_owned(),
                tolerance_seconds: TOLERANCE_SECONDS,
            }),
            ..Custom::new("X-Slack-Signature")
        }
    }

    pub(super) fn discord() -> Custom {
        let time = "X-Signature-Timestamp";
        Custom {
            method: Method::Ed25519,
            content: vec![Part::Header(time.to_owned()), Part::Body],
            timestamp: Some(TimestampHeader {
                header: time.to_owned(),
                tolerance_seconds: TOLERANCE_SECONDS,
            }),
            ..Custom::new("X-Signature-Ed25519")
        }
    }

    /// Refuses a scheme whose signature does not cover the body, or the time that is checked.
    pub(super) fn check(&self) -> Result<(), SchemeError> {
        let content_headers = self.content.iter().filter_map(|part| match part {
            Part::Header(name) => Some(name),
            Part::Text(_) | Part::Body => None,
        });
        let id_headers = match &self.delivery_id {
            Some(IdSource::Headers(names)) => names.as_slice(),
            Some(IdSource::Body(_)) | None => &[],
        };
        let time_header = self.timestamp.as_ref().map(|time| &time.header);
        let names = [&self.header].into_iter().chain(content_headers).chain(id_headers).chain(time_header);
        if let Some(wrong) = names.into_iter().find(|name| !is_header_name(name)) {
            return Err(SchemeError::HeaderName { name: wrong.clone() });
        }
        if self.content.iter().filter(|part| **part == Part::Body).count() != 1 {
            return Err(SchemeError::Content { expected: "the body, once" });
        }
        match &self.timestamp {
            Some(time) if !self.signs_header(&time.header) => {
                Err(SchemeError::Content { expected: "the header with the time" })
            }
            _ => Ok(()),
        }
    }

    fn signs_header(&self, header: &str) -> bool {
        self.content
            .iter()
            .any(|part| matches!(part, Part::Header(name) if name.eq_ignore_ascii_case(header)))
    }

    pub(super) fn verify(&self, keys: &VerifyingKeys, incoming: &Incoming<'_>) -> Result<(), SignatureError> {
        let signature = self.signature(only(incoming.headers, &self.header)?)?;
        let mut pieces = Vec::with_capacity(self.content.len());
        for part in &self.content {
            pieces.push(match part {
                Part::Text(text) => text.as_bytes(),
                Part::Header(name) => only(incoming.headers, name)?.as_bytes(),
                Part::Body => incoming.body,
            });
        }
        let time = self.timestamp.as_ref().map(|time| self.seconds(time, incoming)).transpose()?;
        if !keys.verify(&pieces, &signature) {
            return Err(SignatureError::Mismatch);
        }
        match time {
            Some((seconds, tolerance)) => timestamp::check(seconds, incoming.now_seconds, tolerance),
            None => Ok(()),
        }
    }

    fn signature(&self, value: &str) -> Result<Vec<u8>, SignatureError> {
        let text =
            value.strip_prefix(&self.prefix).ok_or_else(|| malformed(&self.header, "the scheme's prefix"))?;
        let expected = match self.encoding {
            Encoding::Hex => "a signature in hexadecimal",
            Encoding::Base64 | Encoding::Base64Url => "a signature in base64",
        };
        let bytes = self.encoding.decode(text).filter(|bytes| !bytes.is_empty());
        bytes.ok_or_else(|| malformed(&self.header, expected))
    }

    fn seconds(&self, time: &TimestampHeader, incoming: &Incoming<'_>) -> Result<(i64, u32), SignatureError> {
        let text = only(incoming.headers, &time.header)?;
        let seconds =
            timestamp::seconds(text).ok_or_else(|| malformed(&time.header, "seconds since 1970"))?;
        Ok((seconds, time.tolerance_seconds))
    }

    pub(super) fn delivery_id(&self, incoming: &Incoming<'_>) -> Option<DeliveryId> {
        let source = self.delivery_id.as_ref()?;
        let signed = match source {
            IdSource::Headers(names) => names.iter().all(|name| self.signs_header(name)),
            IdSource::Body(_) => true,
        };
        delivery::find(source, incoming, signed)
    }
}
