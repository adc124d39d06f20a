//! A DynamoDB in your process.
//!
//! [`Database`] answers every operation of DynamoDB that Sortkey has, with AWS's results, errors and capacity,
//! without HTTP and without a server: in memory ([`Database::memory`]) or in a directory ([`Database::open`]). Tests fork it: a fork costs nothing, and forks do not see each other.
//!
//! ```
//! use sortkey::operations::{CreateTableInput, GetItemInput, PutItemInput};
//! use sortkey::shapes::table::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
//! use sortkey::shapes::throughput::BillingMode;
//! use sortkey::{Database, item};
//!
//! # fn main() -> Result<(), sortkey::ApiError> {
//! let db = Database::memory();
//! db.create_table(CreateTableInput {
//!     table_name: "users".into(),
//!     attribute_definitions: vec![AttributeDefinition {
//!         attribute_name: "id".into(),
//!         attribute_type: ScalarAttributeType::S,
//!     }],
//!     key_schema: vec![KeySchemaElement { attribute_name: "id".into(), key_type: KeyType::Hash }],
//!     billing_mode: Some(BillingMode::PayPerRequest),
//!     ..Default::default()
//! })
//! .wait()?;
//!
//! db.put_item(PutItemInput {
//!     table_name: "users".into(),
//!     item: item! { "id": "u1", "name": "Ada", "visits": 3 }.into(),
//!     ..Default::default()
//! })
//! .wait()?;
//!
//! let found = db
//!     .get_item(GetItemInput {
//!         table_name: "users".into(),
//!         key: item! { "id": "u1" }.into(),
//!         ..Default::default()
//!     })
//!     .wait()?;
//! assert_eq!(found.item, Some(item! { "id": "u1", "name": "Ada", "visits": 3 }));
//! # Ok(())
//! # }
//! ```
//!
//! A [`Design`] runs on it: `Design::load("notes.sk")?.on(&Database::open("data")?)?` has its tables, and its patterns and operations
//! are called by name. With the feature `remote` it also runs at any DynamoDB's endpoint. `sortkey generate rust` makes typed
//! clients of designs, which [`client`] runs.
//!
//! A call gives a [`Reply`]: a future to `.await`, or to [`wait`](Reply::wait) for where there is no runtime.

mod builder;
pub mod client;
mod database;
mod design;
mod item;

pub use builder::Builder;
pub use database::{Database, NotForkable};
pub use design::{Calling, Design, DesignError, Runtime};
pub use sortkey_api::{ApiError, ErrorKind, operations, shapes};
pub use sortkey_core::{Answer, Caller, Failure, FailureKind};
pub use sortkey_engine::{Fault, FaultKind, Faults, Reply};
pub use sortkey_storage::Clock;
pub use sortkey_storage_fjall::{Durability, OpenError};
pub use sortkey_value as value;
