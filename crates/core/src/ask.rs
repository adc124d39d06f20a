//! The requests of a call to its host, and the answers.

use std::time::Duration;

use serde_json::Value as Json;
use sortkey_api::{ApiError, Request, Response};

use crate::{Computation, DataKey, Failure, KeyError, Outgoing, Performed};

/// Names an [`Ask`] of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AskId(pub u32);

/// Something that a call waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A request to the DynamoDB.
    Send(Request),
    /// Time that must pass before a request is sent again.
    Pause(Duration),
    /// A new data key for an alias.
    NewDataKey {
        /// The alias.
        alias: String,
    },
    /// The plain form of a data key.
    OpenDataKey {
        /// The alias that it was made for.
        alias: String,
        /// The key as it is stored.
        wrapped: Vec<u8>,
    },
    /// A bcrypt hash, which keeps a processor busy for a while. [`hash_password`](crate::hash_password) computes it.
    Hash {
        /// At most 71 bytes.
        password: Vec<u8>,
        /// The logarithm of the rounds.
        cost: u32,
        /// The salt.
        salt: [u8; 16],
    },
    /// An effect outside of the database.
    Perform(Outgoing),
    /// A function that this core leaves to its host: on WebAssembly only. [`compute`](crate::compute) computes it.
    Compute(Computation),
}

impl Ask {
    /// Whether this is what an expression needed before. Expressions send no requests and perform no effects.
    pub(crate) fn is_same_need(&self, other: &Ask) -> bool {
        match (self, other) {
            (Ask::NewDataKey { alias }, Ask::NewDataKey { alias: other }) => alias == other,
            (Ask::OpenDataKey { alias, wrapped }, Ask::OpenDataKey { alias: other, wrapped: of_other }) => {
                alias == other && wrapped == of_other
            }
            (
                Ask::Hash { password, cost, salt },
                Ask::Hash { password: other, cost: other_cost, salt: other_salt },
            ) => password == other && cost == other_cost && salt == other_salt,
            (Ask::Compute(computation), Ask::Compute(other)) => computation == other,
            _ => false,
        }
    }
}

/// The answer of a host to an [`Ask`].
#[derive(Clone)]
pub enum Told {
    /// To [`Ask::Send`].
    Response(Result<Response, ApiError>),
    /// To [`Ask::Pause`]: it is over.
    Paused,
    /// To [`Ask::NewDataKey`].
    DataKey(Result<DataKey, KeyError>),
    /// To [`Ask::OpenDataKey`].
    PlainKey(Result<[u8; 32], KeyError>),
    /// To [`Ask::Hash`]; none if the host is too busy.
    Hash(Option<String>),
    /// To [`Ask::Perform`]; a failure means that its outcome is unknown.
    Performed(Result<Performed, Failure>),
    /// To [`Ask::Compute`]: a value tagged with its kind.
    Computed(Result<Json, Failure>),
}
