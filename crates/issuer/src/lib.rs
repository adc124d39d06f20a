//! Tokens of OIDC issuers: parsed, verified, with keys that are fetched and held.
//!
//! [`Issuers`] verifies a token: a signature by a key of the issuer, the issuer, the audience and the time. The keys come from the
//! issuer itself, over a client that decides which addresses may be reached, and are held for a while.
//!
//! Invariants:
//! - The key decides which algorithms it serves; the token only chooses among them. There is no `none` and no shared secret.
//! - Tokens of strangers do not cause requests: an unknown key is looked for at most once in [`REFETCH_AFTER`].

mod claims;
mod error;
mod issuers;
mod keys;
mod token;

pub use claims::Expected;
pub use error::{Defect, Error};
pub use issuers::{Issuers, REFETCH_AFTER};
