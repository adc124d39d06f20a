//! AWS Signature Version 4, verified: from the raw bytes of a request to the access key that signed it.
//!
//! A signature is either in the `Authorization` header or, presigned, in the query. [`Signature::read`] finds its
//! parts, [`Signature::check_scope`] and [`Signature::check_time`] compare them with the request and the clock, and
//! [`Signature::matches`] computes the expected signature. Looking up keys is left to the caller.
//!
//! Invariant: every part of a request that decides what happens is covered by the signature, or the request is rejected.

mod canonical;
mod key;
mod read;
mod timestamp;

pub use self::key::SigningKey;
pub use self::read::{Credential, Scope, Signature};
pub use self::timestamp::Timestamp;

use thiserror::Error;

/// How far a client's clock may differ from ours.
const SKEW_SECONDS: i64 = 15 * 60;

/// The longest that a presigned request may be valid, which is AWS's limit.
const MAX_EXPIRES_SECONDS: i64 = 7 * 24 * 3600;

/// A request as it was received.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    /// `POST`.
    pub method: &'a str,
    /// The raw path.
    pub path: &'a str,
    /// The raw query, without the question mark.
    pub query: &'a str,
    /// Names in lower case, values as they came, in order.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// The body before anything is decompressed.
    pub body: &'a [u8],
}

impl<'a> SignedRequest<'a> {
    /// The value of a header that is not repeated.
    pub(crate) fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers.iter().find(|(header, _)| *header == name).map(|(_, value)| *value)
    }
}

/// Why a signature is not accepted. The texts are AWS's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// Nothing signs the request.
    #[error("Request is missing Authentication Token")]
    Missing,
    /// Parts of the signature are missing or malformed.
    #[error("{0}")]
    Incomplete(String),
    /// The signature does not match, is too old, or does not cover what it must.
    #[error("{0}")]
    Invalid(String),
}

impl SignatureError {
    pub(crate) fn mismatch() -> SignatureError {
        SignatureError::Invalid(
            "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access \
             Key and signing method. Consult the service documentation for details."
                .to_owned(),
        )
    }
}
