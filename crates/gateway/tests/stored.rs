//! Promises of the documents of ListBackup and the Core service about tables and items, number by number: tables as
//! DescribeTable shows them, items as they are stored after everything was made once through the API.
//!
//! F-51: a number of the checklist counted as kept if a declaration of its name existed. Here, every number that no test of the
//! design names is compared with what a deployment has; a kind of declaration that nothing compares fails the test.
//!
//! `stored/SYSTEM.json` makes one of everything: calls in order, each with the name under which its answer is known. Text
//! such as `{user.userId}` refers to a part of an earlier answer.
#![expect(clippy::panic, reason = "a test that cannot go on says why")]

#[path = "stored/values.rs"]
mod values;

use crate::support;
use std::collections::BTreeMap;
use std::path::Path;

use crate::support::Api;
use serde_json::Value as Json;
use sortkey_api::Requests as _;
use sortkey_api::operations::{DescribeTableInput, DescribeTimeToLiveInput, ScanInput};
use sortkey_api::shapes::table::TableDescription;
use sortkey_core::Runtime;
use sortkey_design::model::{Design, Table};
use sortkey_design::{FileLoader, compile};
use sortkey_gateway::Admission;
use sortkey_value::{AttributeValue, Item};
use values::{begins_with, filled, inside, shape, time};

#[test]
fn every_number_of_listbackup_without_a_test_is_found_in_the_tables() {
    check("LB", "listbackup");
}

#[test]
fn every_number_of_the_core_service_without_a_test_is_found_in_the_tables() {
    check("CS", "core-service");
}

// F-56: hardly any call belonged to a module, so that no policy could be made for one service, and what workers need had to be
// asked for as a member.
#[test]
fn every_call_belongs_to_a_module_and_workers_read_without_a_member() {
    for system in ["listbackup", "core-service"] {
        let design = support::design(system);
        let grouped: Vec<&str> = design
            .modules
            .iter()
            .flat_map(|module| module.entries.iter().map(|(_, of)| of.text.as_str()))
            .collect();
        let patterns =
            design.patterns.iter().filter(|each| !each.internal).map(|each| each.name.text.as_str());
        let operations =
            design.operations.iter().filter(|each| !each.internal).map(|each| each.name.text.as_str());
        let alone: Vec<&str> = patterns.chain(operations).filter(|name| !grouped.contains(name)).collect();
        assert!(alone.is_empty(), "{system}: {alone:?} are in no module");
        for entity in ["Account", "Source", if system == "listbackup" { "Job" } else { "SyncRun" }] {
            let reads = |each: &&sortkey_design::model::Pattern| {
                each.system && each.entities.iter().any(|of| of.is(entity))
            };
            assert!(design.patterns.iter().any(|each| reads(&each)), "{system}: no worker reads {entity}");
        }
    }
}

fn check(prefix: &str, system: &str) {
    let deployed = Deployed::with_one_of_everything(system);
    let named = named_by_tests(system);
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (number, places) in checklist(prefix).iter().filter(|(number, _)| !named.contains(number)) {
        for place in places.iter().filter(|place| !place.starts_with("- ") && !place.starts_with("test ")) {
            compared += 1;
            if let Err(why) = deployed.compare(place) {
                wrong.push(format!("{number} {place}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 150, "only {compared} were compared");
}

fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The numbers of a system and the places that keep them.
fn checklist(prefix: &str) -> Vec<(String, Vec<String>)> {
    let text =
        std::fs::read_to_string(repository().join("systems/checklist.tsv")).expect("the checklist is there");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), fields[3].split("; ").map(str::to_owned).collect())
    };
    text.lines().filter(|line| line.starts_with(prefix)).map(row).collect()
}

/// The numbers that tests of the design name in their titles.
fn named_by_tests(system: &str) -> Vec<String> {
    let path = repository().join("systems").join(system).join("tests.sk");
    let text = std::fs::read_to_string(&path).expect("the tests are there");
    let tests = compile(&path.to_string_lossy(), &text, &FileLoader).design;
    let numbers = tests.tests.iter().map(|test| test.title.split(':').next().unwrap_or_default().to_owned());
    numbers.flat_map(|text| text.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A deployment with one of everything.
struct Deployed {
    runtime: Runtime,
    api: Api,
    /// The stored items, by the names of the design's tables.
    items: BTreeMap<String, Vec<Item>>,
}

impl Deployed {
    fn with_one_of_everything(system: &str) -> Deployed {
        let runtime = support::runtime(system);
        let api = Api::on(runtime.clone(), Admission::Open);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/stored/{system}.json"));
        let script = std::fs::read_to_string(script).expect("the script is there");
        let script: Vec<Json> = serde_json::from_str(&script).expect("a list of calls");
        let mut answers = BTreeMap::new();
        for step in &script {
            let step = filled(step, &answers);
            let path = step["call"].as_str().expect("a path");
            let caller = step.get("caller").map(Json::to_string);
            let headers: Vec<(&str, &str)> =
                caller.iter().map(|caller| ("sortkey-caller", caller.as_str())).collect();
            let got = api.post(path, &headers, &step["with"]);
            assert!((200..300).contains(&got.status), "{path} {}: {}", step["with"], got.text());
            if let Some(name) = step["as"].as_str() {
                answers.insert(name.to_owned(), serde_json::from_slice(&got.body).unwrap_or(Json::Null));
            }
        }
        let items =
            runtime.design().tables.iter().map(|table| (table.name.text.clone(), items(&runtime, table)));
        let items = items.collect();
        Deployed { runtime, api, items }
    }

    fn design(&self) -> &Design {
        self.runtime.design()
    }

    /// Holds what a place of the checklist declares against the deployment.
    fn compare(&self, place: &str) -> Result<(), String> {
        let (kind, name) = place.split_once(' ').unwrap_or(("attribute", place));
        let (first, second) = name.split_once('.').unwrap_or((name, ""));
        match kind {
            "table" => self.table(first).map(|_| ()),
            "index" => {
                let indexes = self.table(first)?.global_secondary_indexes.unwrap_or_default();
                let declared = self.design().table(first).and_then(|table| table.index(second));
                let wanted =
                    declared.map(|index| index.deployed.clone().unwrap_or_else(|| index.name.text.clone()));
                let found = indexes.iter().any(|index| index.index_name == wanted);
                found.then_some(()).ok_or_else(|| format!("{indexes:?}"))
            }
            "key" => {
                let defined = self.table(first)?.attribute_definitions.unwrap_or_default();
                let found = defined.iter().any(|each| each.attribute_name == second);
                found.then_some(()).ok_or_else(|| format!("{defined:?}"))
            }
            "ttl" => self.ttl(first),
            "entity" => self.stored(first).map(|_| ()),
            "template" => match self.value(first, &[second])? {
                AttributeValue::S(text) if !text.contains('{') && !text.is_empty() => Ok(()),
                other => Err(format!("stored as {other:?}")),
            },
            "unique" => {
                let table = self.table_of(first)?;
                let guard = format!("unique#{first}");
                let is_guard =
                    |item: &&Item| item.iter().any(|(_, value)| begins_with(&value.to_owned(), &guard));
                let found = self.items.get(&table).into_iter().flatten().any(|item| is_guard(&item));
                found.then_some(()).ok_or_else(|| "there is no guard".to_owned())
            }
            "attribute" => self.attribute(first, &second.split('.').collect::<Vec<_>>()),
            "module" => self.module(first),
            "pattern" => self.served(first),
            // The tests of all systems deploy with a value for every parameter; tables are called by it.
            "parameter" => {
                let named = self.design().tables.iter().filter_map(|table| table.deployed.as_deref());
                let all = named.clone().all(|name| name.contains(&format!("{{{first}}}")));
                (all && named.count() > 0).then_some(()).ok_or_else(|| "not every table has it".to_owned())
            }
            "claim" => self.claim(name),
            _ => Err("nothing compares this kind of declaration".to_owned()),
        }
    }

    fn deployed_name(&self, table: &Table) -> Result<String, String> {
        let name = table.deployed.clone().ok_or("not deployed")?;
        Ok(name.replace("{stack}", "test"))
    }

    fn table(&self, name: &str) -> Result<TableDescription, String> {
        let table = self.design().table(name).ok_or("not declared")?;
        let input = DescribeTableInput { table_name: self.deployed_name(table)?.as_str().into() };
        let output = pollster::block_on(self.runtime.backend().describe_table(input));
        let described = output.map_err(|error| error.message)?.table.ok_or("no description")?;
        let mode = format!("{:?}", described.billing_mode_summary);
        let is_on_demand = mode.contains("PayPerRequest");
        let units = described.provisioned_throughput.as_ref();
        let units = units.map(|units| (units.read_capacity_units, units.write_capacity_units));
        // The document's own capacities.
        let wanted = match name {
            "SyncSchedules" => Some((5, 5)),
            "UsageMetrics" => Some((10, 20)),
            "BillingPlans" => Some((5, 1)),
            _ => None,
        };
        let is_right = match wanted {
            None => is_on_demand,
            Some(wanted) => units.is_some_and(|units| {
                format!("{units:?}").contains(&wanted.0.to_string())
                    && format!("{units:?}").contains(&wanted.1.to_string())
            }),
        };
        is_right.then_some(described).ok_or_else(|| format!("billed by {mode}, {units:?}"))
    }

    fn ttl(&self, name: &str) -> Result<(), String> {
        let table = self.design().table(name).ok_or("not declared")?;
        let input = DescribeTimeToLiveInput { table_name: self.deployed_name(table)?.as_str().into() };
        let output = pollster::block_on(self.runtime.backend().describe_time_to_live(input));
        let described = format!("{:?}", output.map_err(|error| error.message)?);
        described.contains("expiresAt").then_some(()).ok_or(described)
    }

    fn table_of(&self, entity: &str) -> Result<String, String> {
        Ok(self.design().entity(entity).ok_or("not declared")?.table.text.clone())
    }

    /// The items among which those of an entity are.
    fn stored(&self, entity: &str) -> Result<&[Item], String> {
        let items = self.items.get(&self.table_of(entity)?).ok_or("no such table")?;
        if items.is_empty() { Err("the script makes no such item".to_owned()) } else { Ok(items) }
    }

    /// A value at the end of a path, of an item that has it.
    fn value(&self, entity: &str, path: &[&str]) -> Result<AttributeValue, String> {
        let found = self.stored(entity)?.iter().find_map(|item| {
            let mut value = item.get(path[0])?.to_owned();
            for step in &path[1..] {
                value = inside(&value, step)?;
            }
            Some(value)
        });
        found.ok_or_else(|| format!("no item has {}", path.join(".")))
    }

    fn attribute(&self, entity: &str, path: &[&str]) -> Result<(), String> {
        let declared = self.design().entity(entity).ok_or("not declared")?;
        let declared = declared.attributes.iter().find(|each| each.name.is(path[0])).ok_or("not declared")?;
        // Encrypted attributes are bytes, whatever is in them; computed ones are not stored.
        if matches!(self.value(entity, &path[..1])?, AttributeValue::B(_)) {
            return Ok(());
        }
        if path.last() == Some(&"percentage") {
            return Ok(());
        }
        let value = self.value(entity, path)?;
        if path.len() > 1 {
            return Ok(());
        }
        let (stored, wanted) = (shape(&value), format!("{:?}", declared.ty.stored()).to_uppercase());
        // A reference is stored as the id that it refers to, and all ids are text; anything is stored as what it is.
        let fits = stored == wanted
            || wanted == "ANY"
            || (stored == "SS" && wanted.contains("SET"))
            || wanted.contains(stored);
        fits.then_some(()).ok_or_else(|| format!("stored as {stored}, not as {wanted}"))
    }

    fn listed(&self) -> Vec<String> {
        let listed = self.api.get("/api", &[]).json();
        let endpoints = listed["endpoints"].as_array().cloned().unwrap_or_default();
        endpoints.iter().filter_map(|each| each["name"].as_str().map(str::to_owned)).collect()
    }

    /// A module is served: every entry is an endpoint.
    fn module(&self, name: &str) -> Result<(), String> {
        let module =
            self.design().modules.iter().find(|module| module.name.is(name)).ok_or("not declared")?;
        let listed = self.listed();
        let missing = module
            .entries
            .iter()
            .map(|(entry, _)| format!("{name}.{entry}"))
            .find(|each| !listed.contains(each));
        missing.map_or(Ok(()), |missing| Err(format!("{missing} is not served")))
    }

    fn served(&self, name: &str) -> Result<(), String> {
        let modules = self.design().modules.iter();
        let entry =
            modules.flat_map(|module| module.entries.iter().map(move |(entry, of)| (module, entry, of)));
        let entry = entry
            .filter(|(_, _, of)| of.is(name))
            .map(|(module, entry, _)| format!("{}.{entry}", module.name))
            .next();
        let wanted = entry.unwrap_or_else(|| name.to_owned());
        self.listed().contains(&wanted).then_some(()).ok_or_else(|| format!("{wanted} is not served"))
    }

    fn claim(&self, sentence: &str) -> Result<(), String> {
        let seconds = |entity: &str, from: &str, to: &str| -> Result<i64, String> {
            Ok(time(&self.value(entity, &[to])?).ok_or("no time")?
                - time(&self.value(entity, &[from])?).ok_or("no time")?)
        };
        let holds = match sentence {
            "13 tables of the document, one added" => {
                let tables = &self.design().tables;
                tables.len() == 14 && tables.iter().all(|table| self.table(&table.name.text).is_ok())
            }
            "OAuth states: 15 minutes" => seconds("OAuthState", "createdAt", "expiresAt")? == 900,
            "notifications: 30 days" => seconds("Notification", "createdAt", "expiresAt")? == 30 * 86_400,
            "all timestamps are seconds" => {
                let all =
                    self.items.values().flatten().flat_map(|item| {
                        item.iter().map(|(name, value)| (name.to_string(), value.to_owned()))
                    });
                let mut times = all.filter(|(name, _)| name.ends_with("At") && !name.contains('#'));
                times.all(
                    |(_, value)| matches!(&value, AttributeValue::N(time) if time.to_string().len() == 10),
                )
            }
            _ => return Err("nothing compares this claim".to_owned()),
        };
        holds.then_some(()).ok_or_else(|| "does not hold".to_owned())
    }
}

fn items(runtime: &Runtime, table: &Table) -> Vec<Item> {
    let name = table.deployed.clone().unwrap_or_default().replace("{stack}", "test");
    let input = ScanInput { table_name: name.as_str().into(), ..ScanInput::default() };
    pollster::block_on(runtime.backend().scan(input)).expect("a scan").items.unwrap_or_default()
}
