//! Deploys the tables of a design to a DynamoDB: creates missing ones, and compares the others.
//!
//! Additions that touch no item are made: an index, expiry, recovery, protection, a stream, tags, guards. Items are
//! rewritten in place if the design stores them otherwise than the previous version, which the tables record. Any other
//! difference is refused, in the design's words, before the first request that changes something. Nothing is ever dropped,
//! neither a table nor an index nor an item.

mod apply;
mod compare;
mod evolve;
mod foreign;
mod guards;
mod inspect;
mod layout;
mod migrating;
mod past;
mod prepare;
mod record;
mod steps;
mod tables;

pub use apply::{DeployError, Deployment, Pause, Progress, Step, Watcher, deploy};
pub use compare::{Billing, Change, Comparison, There, compare};
pub use evolve::{Interim, Turning, differences, is_superseded, record_version, supersede};
pub use guards::Coverage;
pub use migrating::{FROM, MIGRATION, PHASE};
pub use past::is_pending;
pub use prepare::{Begun, Options, begin, prepare};
pub use sortkey_core::{Naming, parameter_values, table_name};
pub use tables::{Desired, desired};

/// The name of the version that a design is, as tables record it.
pub fn version(design: &sortkey_design::Design) -> Result<String, std::io::Error> {
    record::Version::of(design).map(|version| version.digest)
}

/// Tags with the design and the table's name in it, for people in the console.
const DESIGN_TAG: &str = "sortkey:design";
const TABLE_TAG: &str = "sortkey:table";

/// The way to another key or another table, for refusals.
const MIGRATE: &str = "A `migrate` block that names the design as it was says how its items become new ones: `sortkey migrate plan` counts \
                       what that takes, `sortkey migrate start` begins.";
