//! Why a webhook is not accepted, and why a scheme cannot be used. Neither contains a secret or an expected signature.

use thiserror::Error;

/// Why a webhook is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// A header that the scheme needs is not there.
    #[error("the header `{header}` is missing")]
    Missing {
        /// Its name.
        header: String,
    },
    /// A header that decides was given more than once.
    #[error("the header `{header}` is given more than once")]
    Repeated {
        /// Its name.
        header: String,
    },
    /// A header is not of its form.
    #[error("the header `{header}` is malformed: expected {expected}")]
    Malformed {
        /// Its name.
        header: String,
        /// The expected form.
        expected: &'static str,
    },
    /// The signature is right, but it was made too long ago.
    #[error("the webhook was signed {age_seconds} s ago; at most {tolerance_seconds} s are accepted")]
    Expired {
        /// How long ago.
        age_seconds: u64,
        /// How long ago it may be.
        tolerance_seconds: u32,
    },
    /// The signature is right, and the signed time too far ahead.
    #[error("the webhook is dated {ahead_seconds} s ahead; at most {tolerance_seconds} s are accepted")]
    Early {
        /// How far ahead.
        ahead_seconds: u64,
        /// How far ahead it may be.
        tolerance_seconds: u32,
    },
    /// No signature was made with one of the secrets over these bytes.
    #[error("the signature does not match")]
    Mismatch,
}

/// Why a scheme cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SchemeError {
    /// No secret, or too many.
    #[error("{given} secrets: expected 1 to {most}")]
    SecretCount {
        /// How many there are.
        given: usize,
        /// How many there may be.
        most: usize,
    },
    /// A secret is empty or not of its form.
    #[error("secret {number}: expected {expected}")]
    Secret {
        /// Its position, counted from 1.
        number: usize,
        /// The expected form.
        expected: &'static str,
    },
    /// The name of a header is none.
    #[error("`{name}` is not a header name")]
    HeaderName {
        /// The name.
        name: String,
    },
    /// The signature would not cover what it must.
    #[error("the signed content must contain {expected}")]
    Content {
        /// The part that is not covered.
        expected: &'static str,
    },
}
