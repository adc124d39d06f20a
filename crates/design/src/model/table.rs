//! Tables and indexes.

use super::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// Its name in the design.
    pub name: Name,
    /// Its deployed name, a template over parameters.
    pub deployed: Option<String>,
    /// The span of the deployed name.
    #[serde(skip)]
    pub deployed_span: Option<Span>,
    /// Its primary key.
    pub key: Key,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// The attribute that holds an item's expiry.
    pub ttl: Option<Name>,
    /// The billing mode; none if the design leaves it open.
    pub billing: Option<Billing>,
    /// The images in its stream records.
    pub stream: Option<Name>,
    /// The days of point-in-time recovery; zero for off; none if the design leaves it open.
    pub recovery_days: Option<u64>,
    /// Whether deletion protection is on.
    pub deletion_protection: bool,
    /// Encryption at rest.
    pub encryption: Option<Encryption>,
    /// The price class of its storage; none if the design leaves it open.
    pub class: Option<Name>,
    /// Replica regions.
    pub replicas: Vec<Name>,
    /// The attribute that holds the entity's name.
    pub kind: Option<Name>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// The text of its documentation comment.
    pub docs: Option<String>,
}

/// The attributes of a key: up to four and four in an index, one and one in a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Key {
    /// The partition attributes.
    pub partition: Vec<Name>,
    /// The sort attributes.
    pub sort: Vec<Name>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// A secondary index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Index {
    /// Its name.
    pub name: Name,
    /// Its deployed name if it differs.
    pub deployed: Option<String>,
    /// Whether it shares the table's partition key.
    pub local: bool,
    /// Its key.
    pub key: Key,
    /// The attributes copied into it; none if the design leaves it open.
    pub projection: Option<Projection>,
    /// The span of the projection.
    #[serde(skip)]
    pub projection_span: Option<Span>,
    /// The claim that not every item is in it.
    #[serde(skip)]
    pub sparse: Option<Span>,
    /// Its own capacity.
    pub provisioned: Option<Capacity>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// The projection of an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// Every attribute.
    All,
    /// The keys of index and table.
    Keys,
    /// The keys and these.
    Include(Vec<Name>),
}

/// How a table is paid for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Billing {
    /// By request.
    OnDemand,
    /// By reserved units.
    Provisioned(Capacity),
}

/// Provisioned units per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capacity {
    /// Read units.
    pub rcu: u64,
    /// Write units.
    pub wcu: u64,
}

/// Encryption at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Encryption {
    /// `aws_owned`, `aws_managed` or `customer`.
    pub kind: Name,
    /// The customer's key.
    pub key: Option<String>,
    /// The span of the key.
    #[serde(skip)]
    pub key_span: Option<Span>,
}

impl Table {
    /// The index of that name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name.is(name))
    }
}

impl Key {
    /// All its attributes, partition first.
    pub fn attributes(&self) -> impl Iterator<Item = &Name> {
        self.partition.iter().chain(&self.sort)
    }

    /// Whether an attribute is part of it.
    pub fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.is(name))
    }
}
