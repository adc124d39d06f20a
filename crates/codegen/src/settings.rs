//! `deploy.toml`: what differs between the stages of a deployment. docs/deploying.md describes every key.
//!
//! Every stage of the file is checked, also those that are not deployed now. A key that does not exist is an error: a
//! misspelt `delete_protection` must not be ignored.

mod reader;

use std::collections::BTreeMap;

use reader::{Reader, Section};
use sortkey_design::nearest;

use crate::model::{Range, TableClass};
use crate::problem::{Problem, unless};

/// The settings of one stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// The region of its tables.
    pub region: Option<String>,
    /// The ARN of the key of KMS that wraps the data keys of encrypted attributes.
    pub keyring: Option<String>,
    /// Written before the name of every table.
    pub prefix: Option<String>,
    /// Values of the design's parameters.
    pub parameters: BTreeMap<String, String>,
    /// Whether every table is deployed as a global table, replicas or not.
    pub global_tables: bool,
    /// The settings for every table.
    pub all: TableSettings,
    /// The settings for one table, by its name in the design.
    pub tables: BTreeMap<String, TableSettings>,
}

/// Settings of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableSettings {
    /// Tags beside those that name design and table.
    pub tags: BTreeMap<String, String>,
    /// The price class of storage.
    pub class: Option<TableClass>,
    /// Replica regions; they replace those of the design.
    pub replicas: Option<Vec<String>>,
    /// Contributor insights.
    pub insights: Option<bool>,
    /// The customer's key.
    pub kms_key: Option<String>,
    /// The keys of replicas, by region.
    pub kms_keys: BTreeMap<String, String>,
    /// Billing and capacity.
    pub capacity: CapacitySettings,
    /// Autoscaling.
    pub scaling: ScalingSettings,
    /// Alarms.
    pub alarms: AlarmSettings,
    /// Settings of indexes, by their name in the design.
    pub indexes: BTreeMap<String, IndexSettings>,
}

/// Settings of an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexSettings {
    /// Its own capacity.
    pub capacity: CapacitySettings,
    /// Its own autoscaling.
    pub scaling: ScalingSettings,
}

/// Billing and capacity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CapacitySettings {
    /// Whether capacity is provisioned; none leaves it to the design.
    pub is_provisioned: Option<bool>,
    /// Read units.
    pub read: Option<u64>,
    /// Write units.
    pub write: Option<u64>,
    /// The most read request units on demand.
    pub max_read: Option<u64>,
    /// The most write request units on demand.
    pub max_write: Option<u64>,
}

/// Bounds of autoscaling.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScalingSettings {
    /// Of reads.
    pub read: Option<Range>,
    /// Of writes.
    pub write: Option<Range>,
}

/// Thresholds of alarms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlarmSettings {
    /// The SNS topic that is notified.
    pub topic: Option<String>,
    /// Throttled reads or writes.
    pub throttles: Option<u64>,
    /// Requests that DynamoDB failed to answer.
    pub system_errors: Option<u64>,
    /// The age of unread stream records in milliseconds.
    pub iterator_age_ms: Option<u64>,
    /// The length of a period in seconds.
    pub period_seconds: Option<u64>,
    /// The Lambda functions that read the stream.
    pub consumers: Vec<String>,
}

/// The settings that a table can have.
const TABLE_KEYS: &[&str] = &[
    "tags",
    "table_class",
    "replicas",
    "insights",
    "kms_key",
    "kms_keys",
    "capacity",
    "autoscaling",
    "alarms",
];

/// The settings that only a stage can have.
const STAGE_KEYS: &[&str] = &["region", "keyring", "prefix", "parameters", "global_tables", "tables"];

impl Stage {
    /// A stage without settings.
    pub fn plain(name: &str) -> Stage {
        Stage { name: name.to_owned(), ..Stage::default() }
    }

    /// The stage of that name in the text of a `deploy.toml`; `file` is the file's name in messages.
    pub fn read(file: &str, text: &str, name: &str) -> Result<Stage, Vec<Problem>> {
        let mut stages = stages(file, text)?;
        if let Some(at) = stages.iter().position(|stage| stage.name == name) {
            return Ok(stages.swap_remove(at));
        }
        let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
        let problem = Problem::new(format!("{file} has no stage \"{name}\""));
        Err(vec![match (nearest(name, names.iter().copied()), names.is_empty()) {
            (Some(near), _) => problem.hint(format!("did you mean \"{near}\"?")),
            (None, false) => problem.hint(format!("it has: {}", names.join(", "))),
            (None, true) => problem.hint(format!("add it: [stages.{name}]")),
        }])
    }

    /// The names of all stages.
    pub fn names(file: &str, text: &str) -> Result<Vec<String>, Vec<Problem>> {
        Ok(stages(file, text)?.into_iter().map(|stage| stage.name).collect())
    }
}

fn stages(file: &str, text: &str) -> Result<Vec<Stage>, Vec<Problem>> {
    let document = Reader::parse(file, text)?;
    let mut reader = Reader::new(file, text);
    let root = Section::root(&document);
    reader.only(&root, &["stages"]);
    let mut stages = Vec::new();
    if let Some(section) = reader.section(&root, "stages") {
        for (name, each) in reader.sections(&section) {
            stages.push(stage(&mut reader, name, &each));
        }
    }
    unless(reader.problems, stages)
}

fn stage(reader: &mut Reader<'_>, name: String, section: &Section<'_>) -> Stage {
    reader.only(section, &[STAGE_KEYS, TABLE_KEYS].concat());
    let mut tables = BTreeMap::new();
    if let Some(list) = reader.section(section, "tables") {
        for (name, each) in reader.sections(&list) {
            reader.only(&each, &[TABLE_KEYS, &["indexes"]].concat());
            let settings = table(reader, &each);
            tables.insert(name, settings);
        }
    }
    Stage {
        name,
        region: reader.text(section, "region"),
        keyring: reader.text(section, "keyring"),
        prefix: reader.text(section, "prefix"),
        parameters: reader.texts(section, "parameters"),
        global_tables: reader.flag(section, "global_tables").unwrap_or(false),
        all: table(reader, section),
        tables,
    }
}

fn table(reader: &mut Reader<'_>, section: &Section<'_>) -> TableSettings {
    let mut indexes = BTreeMap::new();
    if let Some(list) = reader.section(section, "indexes") {
        for (name, each) in reader.sections(&list) {
            reader.only(&each, &["capacity", "autoscaling"]);
            let settings =
                IndexSettings { capacity: capacity(reader, &each), scaling: scaling(reader, &each) };
            indexes.insert(name, settings);
        }
    }
    let classes = [("standard", TableClass::Standard), ("infrequent_access", TableClass::InfrequentAccess)];
    TableSettings {
        tags: reader.texts(section, "tags"),
        class: reader.choice(section, "table_class", &classes),
        replicas: reader.list(section, "replicas"),
        insights: reader.flag(section, "insights"),
        kms_key: reader.text(section, "kms_key"),
        kms_keys: reader.texts(section, "kms_keys"),
        capacity: capacity(reader, section),
        scaling: scaling(reader, section),
        alarms: alarms(reader, section),
        indexes,
    }
}

fn capacity(reader: &mut Reader<'_>, section: &Section<'_>) -> CapacitySettings {
    let Some(section) = reader.section(section, "capacity") else { return CapacitySettings::default() };
    reader.only(&section, &["billing", "read", "write", "max_read", "max_write"]);
    CapacitySettings {
        is_provisioned: reader.choice(&section, "billing", &[("on_demand", false), ("provisioned", true)]),
        read: reader.units(&section, "read"),
        write: reader.units(&section, "write"),
        max_read: reader.units(&section, "max_read"),
        max_write: reader.units(&section, "max_write"),
    }
}

fn scaling(reader: &mut Reader<'_>, section: &Section<'_>) -> ScalingSettings {
    let Some(section) = reader.section(section, "autoscaling") else { return ScalingSettings::default() };
    reader.only(&section, &["read", "write"]);
    ScalingSettings { read: range(reader, &section, "read"), write: range(reader, &section, "write") }
}

/// Application Auto Scaling keeps a table between 20 and 90 percent of its capacity.
fn range(reader: &mut Reader<'_>, section: &Section<'_>, key: &str) -> Option<Range> {
    let section = reader.section(section, key)?;
    reader.only(&section, &["min", "max", "target"]);
    let (min, max) = (reader.units(&section, "min"), reader.units(&section, "max"));
    let target = reader.units(&section, "target").unwrap_or(70);
    let (Some(min), Some(max)) = (min, max) else {
        reader.wrong(&section, "needs `min` and `max`");
        return None;
    };
    if min > max {
        reader.wrong(&section, &format!("has a `min` of {min}, more than its `max` of {max}"));
    }
    if !(20..=90).contains(&target) {
        reader.wrong(&section, &format!("has a `target` of {target}; it is a percentage from 20 to 90"));
    }
    Some(Range { min, max, target })
}

fn alarms(reader: &mut Reader<'_>, section: &Section<'_>) -> AlarmSettings {
    let Some(section) = reader.section(section, "alarms") else { return AlarmSettings::default() };
    reader.only(&section, &["topic", "throttles", "system_errors", "iterator_age_ms", "period", "consumers"]);
    let period_seconds = reader.units(&section, "period");
    if period_seconds.is_some_and(|period| period % 60 != 0) {
        reader.wrong(&section, "has a `period` that is not a multiple of 60 seconds");
    }
    AlarmSettings {
        topic: reader.text(&section, "topic"),
        throttles: reader.units(&section, "throttles"),
        system_errors: reader.units(&section, "system_errors"),
        iterator_age_ms: reader.units(&section, "iterator_age_ms"),
        period_seconds,
        consumers: reader.list(&section, "consumers").unwrap_or_default(),
    }
}

impl CapacitySettings {
    /// Fills settings that are not given from others.
    pub(crate) fn or(self, other: CapacitySettings) -> CapacitySettings {
        CapacitySettings {
            is_provisioned: self.is_provisioned.or(other.is_provisioned),
            read: self.read.or(other.read),
            write: self.write.or(other.write),
            max_read: self.max_read.or(other.max_read),
            max_write: self.max_write.or(other.max_write),
        }
    }
}

#[cfg(test)]
mod tests;
