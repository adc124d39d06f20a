//! The reasons for which a token is not accepted.

/// The reason for which a token has no owner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The token is not valid.
    #[error("the token is not accepted: {0}")]
    Refused(Defect),
    /// The keys of the issuer cannot be fetched, so the token cannot be verified.
    #[error("the keys of {issuer} cannot be read: {why}")]
    Unavailable {
        /// The issuer.
        issuer: String,
        /// The reason.
        why: String,
    },
}

/// The defect of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// It is not three parts of Base64 with JSON in them, or is too long.
    #[error("it is not a JSON web token")]
    Malformed,
    /// Its header asks for something that is not supported: `none`, a shared secret, an unknown algorithm, `crit`.
    #[error("its algorithm is not accepted")]
    Algorithm,
    /// The issuer has no key of this id that serves the algorithm.
    #[error("the issuer has no such key")]
    Key,
    /// The signature does not belong to it.
    #[error("its signature is wrong")]
    Signature,
    /// It is from somebody else.
    #[error("it is from another issuer")]
    Issuer,
    /// It is for somebody else.
    #[error("it is for another audience")]
    Audience,
    /// It has expired, or has no expiry time.
    #[error("it has expired")]
    Expired,
    /// It is not valid yet.
    #[error("it is not valid yet")]
    Early,
}

impl From<Defect> for Error {
    fn from(defect: Defect) -> Error {
        Error::Refused(defect)
    }
}
