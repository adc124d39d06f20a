//! The deployment model: every table of a design as one stage deploys it.
//!
//! The model is plain data. All choices (the design, the stage, the values of parameters) have been made when it is
//! built; the generators only print it.

use std::collections::BTreeMap;

use sortkey_diagnostics::Span;

/// A design as one stage deploys it.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    /// The design's name.
    pub design: String,
    /// The design's version, if it has one.
    pub version: Option<u64>,
    /// The stage's name.
    pub stage: String,
    /// The region, if the stage names one.
    pub region: Option<String>,
    /// The ARN of the key of KMS that wraps the data keys of encrypted attributes, if the stage names one.
    pub keyring: Option<String>,
    /// The tables, in the order of the design.
    pub tables: Vec<Table>,
    /// Deployed names of tables that the design no longer has. They stay.
    pub retained: Vec<String>,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name in the design.
    pub design_name: String,
    /// Its deployed name.
    pub name: String,
    /// The place of its name in the design.
    pub span: Span,
    /// The types of key attributes: `S`, `N` or `B`.
    pub types: BTreeMap<String, String>,
    /// Its primary key.
    pub key: Key,
    /// Its local secondary indexes.
    pub local: Vec<LocalIndex>,
    /// Its global secondary indexes.
    pub global: Vec<GlobalIndex>,
    /// How it is paid for.
    pub billing: Billing,
    /// The attribute by which items expire.
    pub ttl: Option<String>,
    /// The images in its stream records, as AWS spells them.
    pub stream: Option<String>,
    /// Point-in-time recovery: how many days; zero for off; none if the design leaves it open.
    pub recovery_days: Option<u64>,
    /// Whether deletion protection is on.
    pub deletion_protection: bool,
    /// Encryption at rest.
    pub encryption: Encryption,
    /// The price class of its storage.
    pub class: TableClass,
    /// Whether it is deployed as a global table: it has replicas, or the stage asks for it.
    pub is_global: bool,
    /// Its replicas in other regions.
    pub replicas: Vec<Replica>,
    /// Tags, by key.
    pub tags: BTreeMap<String, String>,
    /// Whether contributor insights are on, for the table and its indexes.
    pub insights: bool,
    /// Autoscaling of provisioned capacity.
    pub scaling: Scaling,
    /// Alarms.
    pub alarms: Alarms,
}

/// The attributes of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Partition attributes.
    pub partition: Vec<String>,
    /// Sort attributes.
    pub sort: Vec<String>,
}

/// A local secondary index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalIndex {
    /// Its deployed name.
    pub name: String,
    /// Its key.
    pub key: Key,
    /// The attributes that are copied into it.
    pub projection: Projection,
}

/// A global secondary index.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalIndex {
    /// Its deployed name.
    pub name: String,
    /// Its key.
    pub key: Key,
    /// The attributes that are copied into it.
    pub projection: Projection,
    /// Its provisioned capacity; none on demand.
    pub capacity: Option<Capacity>,
    /// Autoscaling of its capacity.
    pub scaling: Scaling,
    /// The place of its name in the design; none if only the deployment has it.
    pub span: Option<Span>,
}

/// The projection of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Every attribute.
    All,
    /// The keys of index and table.
    KeysOnly,
    /// The keys and these.
    Include(Vec<String>),
}

/// How a table is paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Billing {
    /// By request, up to a maximum.
    OnDemand(Maximum),
    /// By reserved units.
    Provisioned(Capacity),
}

/// The most that an on-demand table serves per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maximum {
    /// Read request units.
    pub read: Option<u64>,
    /// Write request units.
    pub write: Option<u64>,
}

/// Provisioned units per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Read units.
    pub read: u64,
    /// Write units.
    pub write: u64,
}

/// Autoscaling, separately for reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scaling {
    /// Of reads.
    pub read: Option<Range>,
    /// Of writes.
    pub write: Option<Range>,
}

/// Bounds of autoscaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The fewest units.
    pub min: u64,
    /// The most units.
    pub max: u64,
    /// The utilisation to keep, in percent.
    pub target: u64,
}

/// Encryption at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// A key that AWS owns.
    Owned,
    /// The account's key for DynamoDB.
    Managed,
    /// The customer's own key: an ARN, a key id or an alias.
    Customer(String),
}

/// The price class of a table's storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableClass {
    /// For tables that are read and written often.
    #[default]
    Standard,
    /// For tables whose storage costs more than their requests.
    InfrequentAccess,
}

/// A replica of a table in another region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The region.
    pub region: String,
    /// The key of that region that encrypts it.
    pub kms_key: Option<String>,
}

/// Thresholds; an alarm without one is not made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alarms {
    /// The SNS topic that is notified.
    pub topic: Option<String>,
    /// Throttled reads or writes within a period.
    pub throttles: Option<u64>,
    /// Requests that DynamoDB failed to answer within a period.
    pub system_errors: Option<u64>,
    /// The age of the oldest record that a consumer of the stream has not read, in milliseconds.
    pub iterator_age_ms: Option<u64>,
    /// The length of a period in seconds.
    pub period_seconds: u64,
    /// The Lambda functions that read the stream.
    pub consumers: Vec<String>,
}

impl Key {
    /// All attributes, partition first.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.partition.iter().chain(&self.sort).map(String::as_str)
    }

    /// All attributes with their roles, as AWS spells them.
    pub fn schema(&self) -> impl Iterator<Item = (&str, &str)> {
        let partition = self.partition.iter().map(|name| (name.as_str(), "HASH"));
        partition.chain(self.sort.iter().map(|name| (name.as_str(), "RANGE")))
    }
}

impl Projection {
    /// The kind of projection as AWS spells it.
    pub fn kind(&self) -> &'static str {
        match self {
            Projection::All => "ALL",
            Projection::KeysOnly => "KEYS_ONLY",
            Projection::Include(_) => "INCLUDE",
        }
    }

    /// The attributes that are copied beside the keys.
    pub fn names(&self) -> &[String] {
        match self {
            Projection::Include(names) => names,
            Projection::All | Projection::KeysOnly => &[],
        }
    }
}

impl TableClass {
    /// The class as AWS spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            TableClass::Standard => "STANDARD",
            TableClass::InfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
        }
    }
}

impl Table {
    /// The key attributes that the table and its indexes use, each once, with their types. DynamoDB refuses definitions
    /// that no key uses.
    pub fn attributes(&self) -> Vec<(&str, &str)> {
        let local = self.local.iter().map(|index| &index.key);
        let global = self.global.iter().map(|index| &index.key);
        self.types_of(std::iter::once(&self.key).chain(local).chain(global))
    }

    /// The attributes of some keys, each once, with their types.
    pub fn types_of<'a>(&'a self, keys: impl Iterator<Item = &'a Key>) -> Vec<(&'a str, &'a str)> {
        let mut found: Vec<(&str, &str)> = Vec::new();
        for name in keys.flat_map(Key::attributes) {
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, self.type_of(name)));
            }
        }
        found
    }

    /// The type of a key attribute.
    pub fn type_of(&self, attribute: &str) -> &str {
        self.types.get(attribute).map_or("S", String::as_str)
    }

    /// The provisioned capacity, if it is provisioned.
    pub fn capacity(&self) -> Option<Capacity> {
        match &self.billing {
            Billing::Provisioned(capacity) => Some(*capacity),
            Billing::OnDemand(_) => None,
        }
    }

    /// The maximum throughput on demand, if there is one.
    pub fn maximum(&self) -> Maximum {
        match &self.billing {
            Billing::OnDemand(maximum) => *maximum,
            Billing::Provisioned(_) => Maximum::default(),
        }
    }
}
