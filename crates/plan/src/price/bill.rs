//! The monthly cost of a design: units from the declared load, storage from the declared volumes.
//!
//! Undeclared loads and volumes are not guessed but listed as missing.

use sortkey_design::model::{Billing, Load};
use sortkey_design::program::{Id, Program, TableId};

use super::prices::{Class, Rates};
use crate::cost::Cost;
use crate::facts::{Membership, membership};
use crate::flow::Script;
use crate::request::{KEY_BYTES, entry_bytes};
use crate::{operation_script, pattern_script};

/// A month has 730 hours, as AWS reckons.
pub const HOURS: f64 = 730.0;
const SECONDS: f64 = HOURS * 3_600.0;
const GB: f64 = 1_073_741_824.0;
/// The bytes that DynamoDB adds to the billed size of every item.
const OVERHEAD_BYTES: u64 = 100;
/// Write units that one shard of a stream takes in a second.
const SHARD_WRITES: f64 = 1_000.0;

/// The monthly cost of a design.
#[derive(Clone, Debug, PartialEq)]
pub struct Bill<'a> {
    /// Patterns and operations whose load is declared.
    pub calls: Vec<Called<'a>>,
    /// The tables.
    pub tables: Vec<TableBill<'a>>,
    /// Patterns and operations whose load nothing declares.
    pub without_load: Vec<&'a str>,
    /// Entities whose volume nothing declares.
    pub without_volume: Vec<&'a str>,
    /// The value of the free storage, over all tables.
    pub free_storage: f64,
}

/// A pattern or an operation and its load.
#[derive(Clone, Debug, PartialEq)]
pub struct Called<'a> {
    /// Its name.
    pub name: &'a str,
    /// How often it is called.
    pub load: Load,
    /// The cost of one call.
    pub each: Cost,
    /// Its monthly cost on demand.
    pub on_demand: f64,
}

/// The monthly cost of a table, its indexes included.
#[derive(Clone, Debug, PartialEq)]
pub struct TableBill<'a> {
    /// Its name.
    pub name: &'a str,
    /// Units in a usual second.
    pub usual: Cost,
    /// Units in a second of the peak.
    pub peak: Cost,
    /// The gigabytes stored in the table, and in its indexes.
    pub stored_gb: (f64, f64),
    /// Reads and writes on demand.
    pub on_demand: f64,
    /// Reads and writes with as many provisioned units as the peak needs.
    pub provisioned: f64,
    /// Reads and writes in the billing mode that the design declares.
    pub declared: f64,
    /// Storage.
    pub storage: f64,
    /// Point-in-time recovery.
    pub recovery: f64,
    /// One reader of the stream.
    pub stream: f64,
    /// Reads, writes and storage on demand in the Standard-IA class.
    pub infrequent: f64,
}

/// Reckons a month of a design.
pub fn bill<'a>(program: &'a Program, rates: &Rates) -> Bill<'a> {
    let tables = program.tables.iter().map(|_| Traffic::default()).collect();
    let mut month = Month { tables, calls: Vec::new(), without_load: Vec::new() };
    for (id, pattern) in program.patterns.entries() {
        month.add(&pattern.name, pattern.load, pattern_script(program, id), rates);
    }
    for (id, operation) in program.operations.entries() {
        month.add(&operation.name, operation.load, Some(operation_script(program, id)), rates);
    }
    let without = program.entities.iter().filter(|entity| entity.volume.items.is_none());
    let without_volume = without.map(|entity| &*entity.name).collect();
    let tables = program.tables.ids().zip(&month.tables);
    let tables: Vec<TableBill<'a>> =
        tables.map(|(table, traffic)| of_table(program, table, *traffic, rates)).collect();
    let stored: f64 = tables.iter().map(|table| table.stored_gb.0 + table.stored_gb.1).sum();
    let free_storage = stored.min(rates.standard.free_gb) * rates.standard.gb_month;
    Bill { calls: month.calls, tables, without_load: month.without_load, without_volume, free_storage }
}

/// Units of a table in a second.
#[derive(Clone, Copy, Default)]
struct Traffic {
    usual: Cost,
    peak: Cost,
}

struct Month<'a> {
    /// By the places of the tables.
    tables: Vec<Traffic>,
    calls: Vec<Called<'a>>,
    without_load: Vec<&'a str>,
}

impl<'a> Month<'a> {
    fn add(&mut self, name: &'a str, load: Option<Load>, script: Option<Script>, rates: &Rates) {
        let Some((load, script)) = load.zip(script) else {
            return self.without_load.push(name);
        };
        let tables = &mut self.tables;
        script.body.requests(1.0, &mut |request, often| {
            for (table, cost) in request.shares() {
                let traffic = &mut tables[table.at()];
                traffic.usual += cost.times(often * load.per_second);
                traffic.peak += cost.times(often * load.peak());
            }
        });
        let each = script.body.cost();
        let on_demand = on_demand(each.times(load.per_second), &rates.standard);
        self.calls.push(Called { name, load, each, on_demand });
    }
}

/// The monthly cost of units per second.
fn on_demand(per_second: Cost, class: &Class) -> f64 {
    let reads = per_second.rcu * SECONDS / 1e6 * class.million_read_units;
    reads + per_second.wcu * SECONDS / 1e6 * class.million_write_units
}

fn of_table<'a>(program: &'a Program, id: TableId, traffic: Traffic, rates: &Rates) -> TableBill<'a> {
    let Traffic { usual, peak } = traffic;
    let declared = program.design.tables.get(id.at());
    let (own, local, global) = stored_bytes(program, id);
    let (own, local, global) = (own as f64 / GB, local as f64 / GB, global as f64 / GB);
    let class = &rates.standard;
    let hour = |reads: f64, writes: f64| reads * class.read_unit_hour + writes * class.write_unit_hour;
    let on_demand_month = on_demand(usual, class);
    let as_declared = match declared.and_then(|table| Some((table, table.billing.as_ref()?))) {
        Some((table, Billing::Provisioned(own))) => {
            let indexes = table.indexes.iter().filter(|index| !index.local);
            let units = indexes.map(|index| index.provisioned.as_ref().unwrap_or(own)).chain([own]);
            units.map(|each| hour(each.rcu as f64, each.wcu as f64) * HOURS).sum()
        }
        _ => on_demand_month,
    };
    let recovers = declared.and_then(|table| table.recovery_days).is_some_and(|days| days > 0);
    let streams = declared.is_some_and(|table| table.stream.is_some());
    let shards = (peak.wcu / SHARD_WRITES).ceil().max(1.0);
    let stream_reads = (SECONDS * shards - rates.free_stream_reads).max(0.0);
    let stored = own + local + global;
    let rare = &rates.infrequent_access;
    TableBill {
        name: &program.tables[id].name,
        usual,
        peak,
        stored_gb: (own, local + global),
        on_demand: on_demand_month,
        provisioned: hour(peak.rcu.ceil(), peak.wcu.ceil()) * HOURS,
        declared: as_declared,
        storage: stored * class.gb_month,
        recovery: if recovers { (own + local) * rates.recovery_gb_month } else { 0.0 },
        stream: if streams { stream_reads / 1e5 * rates.stream_reads_100k } else { 0.0 },
        infrequent: on_demand(usual, rare) + stored * rare.gb_month,
    }
}

/// The bytes of a table, of its local and of its global indexes: every item that may be in an index counts.
fn stored_bytes(program: &Program, table: TableId) -> (u64, u64, u64) {
    let (mut own, mut local, mut global) = (0_u64, 0_u64, 0_u64);
    let table = &program.tables[table];
    for entity in &table.entities {
        let entity = &program.entities[*entity];
        let items = entity.volume.items.unwrap_or(0);
        let bytes = entity.volume.bytes;
        let guards = entity.uniques.len() as u64 * (KEY_BYTES + OVERHEAD_BYTES);
        own = own.saturating_add(items.saturating_mul(bytes + OVERHEAD_BYTES + guards));
        for (index, key) in table.indexes.iter().zip(&entity.indexes) {
            if matches!(membership(entity, key), Membership::Never(_)) {
                continue;
            }
            let entry = items.saturating_mul(entry_bytes(index, bytes) + OVERHEAD_BYTES);
            let into = if index.local { &mut local } else { &mut global };
            *into = into.saturating_add(entry);
        }
    }
    (own, local, global)
}

impl Bill<'_> {
    /// The whole month, with the reads and writes of every table paid by `traffic`.
    pub fn total(&self, traffic: impl Fn(&TableBill<'_>) -> f64) -> f64 {
        let table = |each: &TableBill<'_>| traffic(each) + each.storage + each.recovery + each.stream;
        self.tables.iter().map(table).sum::<f64>() - self.free_storage
    }
}
