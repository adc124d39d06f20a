//! Signatures of webhooks: incoming ones are verified over the raw bytes, outgoing ones are made.
//!
//! A [`Scheme`] describes how a provider signs. A [`Verifier`] is a scheme with its secrets, of which there may be several
//! while one is replaced by the next. The signature is checked before the time,
//! so that an expired webhook is an authentic one.
//!
//! Invariants:
//! - Signatures are compared in constant time, and no error contains the expected one.
//! - A header that decides is given once: a request with two signatures in two headers is refused rather than interpreted.
//! - A signature covers the body, and the time where a time is checked; a scheme without that is refused.

mod custom;
mod delivery;
mod error;
mod key;
mod outgoing;
mod standard;
mod stripe;
mod timestamp;

pub use custom::{Custom, Method, Part};
pub use delivery::{DeliveryId, IdSource};
pub use error::{SchemeError, SignatureError};
pub use outgoing::{OutgoingError, OutgoingHeaders, OutgoingSecret, sign_outgoing};
pub use timestamp::TimestampHeader;

use crate::Headers;
use key::{MAX_SECRETS, StandardKey, VerifyingKeys};

/// How old or how far ahead a signed time may be, by default.
pub const TOLERANCE_SECONDS: u32 = 300;

/// A webhook as it came.
#[derive(Clone, Copy)]
pub struct Incoming<'a> {
    /// Its headers.
    pub headers: Headers<'a>,
    /// Its body, byte by byte.
    pub body: &'a [u8],
    /// The time at which it came, in seconds since 1970.
    pub now_seconds: i64,
}

/// How a provider signs its webhooks.
#[derive(Clone, Debug, PartialEq)]
pub enum Scheme {
    /// `Stripe-Signature: t=TIME,v1=HEX`: HMAC-SHA256 of `TIME.BODY`, with the whole secret, `whsec_` included, as the key.
    Stripe,
    /// `webhook-id`, `webhook-timestamp` and `webhook-signature`, or the same with `svix-`. Secrets are `whsec_` and base64 (HMAC-SHA256,
    /// `v1`), or `whpk_` and base64 (Ed25519, `v1a`).
    StandardWebhooks,
    /// One header with one signature.
    Custom(Custom),
}

impl Scheme {
    /// `X-Hub-Signature-256: sha256=HEX` over the body.
    pub fn github() -> Scheme {
        Scheme::Custom(Custom::github())
    }

    /// `X-Shopify-Hmac-Sha256: BASE64` over the body.
    pub fn shopify() -> Scheme {
        Scheme::Custom(Custom::shopify())
    }

    /// `X-Slack-Signature: v0=HEX` over `v0:TIME:BODY`.
    pub fn slack() -> Scheme {
        Scheme::Custom(Custom::slack())
    }

    /// `X-Signature-Ed25519: HEX` over the time and the body. Secrets are the public keys, in hexadecimal.
    pub fn discord() -> Scheme {
        Scheme::Custom(Custom::discord())
    }

    /// The provider's own id of the delivery, by which duplicates are detected.
    pub fn delivery_id(&self, incoming: &Incoming<'_>) -> Option<DeliveryId> {
        match self {
            Scheme::Stripe => delivery::find(&IdSource::Body(stripe::event_id()), incoming, true),
            Scheme::StandardWebhooks => standard::delivery_id(incoming),
            Scheme::Custom(custom) => custom.delivery_id(incoming),
        }
    }
}

/// A scheme with its secrets.
pub struct Verifier {
    kind: Kind,
}

enum Kind {
    Stripe(Vec<Vec<u8>>),
    Standard(Vec<StandardKey>),
    Custom(Custom, VerifyingKeys),
}

impl Verifier {
    /// A verifier, unless the scheme is unsafe or a secret is not what the scheme expects. One secret of several is enough for a
    /// webhook to be accepted.
    pub fn new(scheme: &Scheme, secrets: &[&str]) -> Result<Verifier, SchemeError> {
        if !(1..=MAX_SECRETS).contains(&secrets.len()) {
            return Err(SchemeError::SecretCount { given: secrets.len(), most: MAX_SECRETS });
        }
        let kind = match scheme {
            Scheme::Stripe => Kind::Stripe(key::raw(secrets)?),
            Scheme::StandardWebhooks => Kind::Standard(key::standard(secrets)?),
            Scheme::Custom(custom) => {
                custom.check()?;
                Kind::Custom(custom.clone(), VerifyingKeys::new(custom.method, secrets)?)
            }
        };
        Ok(Verifier { kind })
    }

    /// Whether a webhook comes from somebody who has one of the secrets, and recently.
    pub fn verify(&self, incoming: &Incoming<'_>) -> Result<(), SignatureError> {
        match &self.kind {
            Kind::Stripe(secrets) => stripe::verify(secrets, incoming),
            Kind::Standard(keys) => standard::verify(keys, incoming),
            Kind::Custom(custom, keys) => custom.verify(keys, incoming),
        }
    }
}

/// The one value of a header.
fn only<'a>(headers: Headers<'a>, name: &str) -> Result<&'a str, SignatureError> {
    let mut values = headers.all(name);
    let value = values.next().ok_or_else(|| SignatureError::Missing { header: name.to_owned() })?;
    match values.next() {
        None => Ok(value),
        Some(_) => Err(SignatureError::Repeated { header: name.to_owned() }),
    }
}

fn malformed(header: &str, expected: &'static str) -> SignatureError {
    SignatureError::Malformed { header: header.to_owned(), expected }
}
