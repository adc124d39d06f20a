//! Tables on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::form::{Unreadable, Wire, record};
use super::pool::{Reading, Writing};
use crate::program::{self, Arena, EntityId, IndexId};

record! {
    /// A table.
    Table {
        /// Its name in the design.
        name: Arc<str>,
        /// Its name in DynamoDB, with deployment parameters in braces.
        deployed: Arc<str>,
        /// The stored attributes of its key.
        key: program::StoredKey,
        /// Its indexes.
        indexes: Arena<IndexId, program::Index>,
        /// The stored attribute that holds an item's expiry.
        ttl: Option<Arc<str>>,
        /// The stored attribute that holds the entity's name.
        kind: Option<Arc<str>>,
        /// The entities that live in it.
        entities: Vec<EntityId>,
    }
}

record! {
    /// An index of a table.
    Index {
        /// Its name in the design.
        name: Arc<str>,
        /// Its name in DynamoDB.
        deployed: String,
        /// Whether it shares the table's partition key.
        local: bool,
        /// The stored attributes of its key.
        key: program::StoredKey,
        /// The stored attributes that it copies; null if it copies all.
        projects: Option<Vec<Arc<str>>>,
        /// Whether guards and receipts are in it too.
        holds_reserved: bool,
    }
}

record! {
    /// The stored attributes of a key.
    StoredKey {
        /// The partition attributes.
        partition: Vec<Arc<str>>,
        /// The sort attributes.
        sort: Vec<Arc<str>>,
    }
}
