//! The billing of a table: the mode, and the capacity of the table and of its indexes.

use std::fmt;

use sortkey_api::shapes::table::TableDescription;
use sortkey_api::shapes::throughput::{BillingMode, ProvisionedThroughput};

use super::{Change, Comparison};
use crate::tables::Desired;

/// A change of billing. DynamoDB refuses a request that repeats a current setting, so only differences are named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Billing {
    /// The mode.
    pub mode: Option<BillingMode>,
    /// The capacity of the table.
    pub table: Option<ProvisionedThroughput>,
    /// The capacity of indexes, by their deployed names.
    pub indexes: Vec<(String, ProvisionedThroughput)>,
}

impl Comparison {
    /// A design without `billing` leaves the table as it is.
    pub(super) fn billing(&mut self, desired: &Desired<'_>, there: &TableDescription) {
        if desired.table.billing.is_none() {
            return;
        }
        // A table that was never changed to on-demand does not report its billing mode.
        let summary = there.billing_mode_summary.as_ref().and_then(|summary| summary.billing_mode.clone());
        let found = summary.unwrap_or(BillingMode::Provisioned);
        let wanted = desired.create.billing_mode.clone().unwrap_or(BillingMode::PayPerRequest);
        let mut billing = Billing { mode: (found != wanted).then(|| wanted.clone()), ..Billing::default() };
        if wanted == BillingMode::Provisioned {
            let units = there.provisioned_throughput.as_ref();
            let units = units.map(|each| (each.read_capacity_units, each.write_capacity_units));
            let own = desired.create.provisioned_throughput.clone();
            billing.table = own.filter(|own| billing.mode.is_some() || Some(wanted_units(own)) != units);
            billing.indexes = indexes(desired, there, billing.mode.is_some());
        }
        if billing != Billing::default() {
            // A new index gets the billing that its table has by then.
            self.changes.insert(0, Change::Billing(billing));
        }
    }
}

/// The existing indexes that get another capacity.
fn indexes(
    desired: &Desired<'_>,
    there: &TableDescription,
    is_new_mode: bool,
) -> Vec<(String, ProvisionedThroughput)> {
    let mut found = Vec::new();
    for wanted in desired.create.global_secondary_indexes.iter().flatten() {
        let mut existing = there.global_secondary_indexes.iter().flatten();
        let existing = existing.find(|each| each.index_name.as_deref() == Some(&*wanted.index_name));
        let (Some(existing), Some(capacity)) = (existing, &wanted.provisioned_throughput) else { continue };
        let units = existing.provisioned_throughput.as_ref();
        let units = units.map(|each| (each.read_capacity_units, each.write_capacity_units));
        if is_new_mode || units != Some(wanted_units(capacity)) {
            found.push((wanted.index_name.clone(), capacity.clone()));
        }
    }
    found
}

fn wanted_units(capacity: &ProvisionedThroughput) -> (Option<i64>, Option<i64>) {
    (Some(capacity.read_capacity_units), Some(capacity.write_capacity_units))
}

/// The new billing: the mode if it changes, otherwise the capacity.
impl fmt::Display for Billing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.mode, &self.table) {
            (_, Some(units)) => {
                let (read, write) = (units.read_capacity_units, units.write_capacity_units);
                write!(f, "paid for as provisioned {read} rcu {write} wcu")
            }
            (Some(_), None) => f.write_str("paid for on demand"),
            (None, None) => f.write_str("other capacities of indexes"),
        }
    }
}
