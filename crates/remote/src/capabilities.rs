//! Abilities that not every DynamoDB has. The endpoint is asked once, with a request that changes nothing.

use sortkey_api::ErrorKind;
use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput};

use crate::client::Remote;

/// What an endpoint can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether it has transactions. ScyllaDB Alternator has none.
    pub transactions: bool,
}

impl Remote {
    /// Asks the endpoint what it can do. An empty transaction is invalid wherever there are transactions, and an unknown
    /// operation where there are none. Any other trouble is left to the requests that follow.
    pub async fn capabilities(&self) -> Capabilities {
        let empty = self.call::<TransactWriteItems>(TransactWriteItemsInput::default()).await;
        let is_unknown = |kind| kind == ErrorKind::UnknownOperationException;
        Capabilities { transactions: !empty.is_err_and(|error| is_unknown(error.kind)) }
    }
}
