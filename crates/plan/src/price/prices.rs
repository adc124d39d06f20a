//! The prices of DynamoDB by region: a table with a date and a source,
//! which a file of the same form can replace.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The table that comes with this version, as JSON.
pub const PRICES: &str = include_str!("prices.json");

/// Prices of some day.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The day from which they are valid.
    pub date: String,
    /// The place of their publication.
    pub source: String,
    /// Their currency.
    pub currency: String,
    /// By region.
    pub regions: BTreeMap<String, Region>,
}

/// The prices of a region.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Region {
    /// Those of another region.
    Same {
        /// The name of that region.
        same_as: String,
    },
    /// Its own.
    Own(Box<Rates>),
}

/// Everything that is charged.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// The usual class of tables.
    pub standard: Class,
    /// The class for data that is rarely read: cheaper to keep, dearer to use.
    pub infrequent_access: Class,
    /// Point-in-time recovery, for a gigabyte and month.
    pub recovery_gb_month: f64,
    /// A hundred thousand reads of a stream.
    pub stream_reads_100k: f64,
    /// Reads of streams that cost nothing.
    pub free_stream_reads: f64,
}

/// The prices of a class of tables.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// A million read units, on demand.
    pub million_read_units: f64,
    /// A million write units, on demand.
    pub million_write_units: f64,
    /// A provisioned read unit for an hour.
    pub read_unit_hour: f64,
    /// A provisioned write unit for an hour.
    pub write_unit_hour: f64,
    /// A gigabyte for a month.
    pub gb_month: f64,
    /// Gigabytes that cost nothing.
    pub free_gb: f64,
}

impl Prices {
    /// The rates of a region, if they are known.
    pub fn rates(&self, region: &str) -> Option<&Rates> {
        let same = match self.regions.get(region)? {
            Region::Own(rates) => return Some(rates),
            Region::Same { same_as } => same_as,
        };
        match self.regions.get(same)? {
            Region::Own(rates) => Some(rates),
            Region::Same { .. } => None,
        }
    }
}
