//! A deployment of a system with one of everything in it, and a check of each declaration against it.
//!
//! A declaration counts as kept only if something compares it: a kind that nothing compares is an error.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use sortkey_api::Requests as _;
use sortkey_api::operations::{DescribeTableInput, DescribeTimeToLiveInput, ScanInput};
use sortkey_api::shapes::table::TableDescription;
use sortkey_core::Runtime;
use sortkey_design::model::{Attribute, Design, Entity, Piece};
use sortkey_value::{AttributeValue, Item};

use super::Api;

/// A deployment, and the items that are in it.
pub(crate) struct Deployment {
    pub(crate) runtime: Runtime,
    pub(crate) api: Api,
    items: BTreeMap<String, Vec<Item>>,
}

impl Deployment {
    /// A deployment after everything was made.
    pub(crate) fn of(runtime: Runtime, api: Api) -> Deployment {
        let names = runtime.design().tables.iter().filter_map(|table| table.deployed.clone());
        let items = names.map(|name| {
            let input = ScanInput { table_name: name.as_str().into(), ..ScanInput::default() };
            let output = pollster::block_on(runtime.backend().scan(input)).expect("a scan");
            (name, output.items.unwrap_or_default())
        });
        let items = items.collect();
        Deployment { runtime, api, items }
    }

    fn design(&self) -> &Design {
        self.runtime.design()
    }

    /// Holds what a place of the checklist declares against the deployment.
    pub(crate) fn compare(&self, place: &str) -> Result<(), String> {
        let (kind, name) = place.split_once(' ').unwrap_or(("attribute", place));
        let (first, second) = name.split_once('.').unwrap_or((name, ""));
        match kind {
            "table" => self.table(first).map(drop),
            "index" => self.index(first, second),
            "key" => {
                let defined = self.table(first)?.attribute_definitions.unwrap_or_default();
                let is_defined = defined.iter().any(|each| each.attribute_name == second);
                is_defined.then_some(()).ok_or_else(|| format!("{defined:?}"))
            }
            "entity" => self.stored(first).map(drop),
            "template" => match self.stored(first)?.get(second).map(|value| value.to_owned()) {
                Some(AttributeValue::S(text)) if !text.contains('{') => Ok(()),
                other => Err(format!("stored as {other:?}")),
            },
            "attribute" => self.attribute(first, second),
            "pattern" | "operation" => self.served(name),
            "module" => self.module(name),
            "migrate" => self.mapped(name),
            "claim" => self.claim(name),
            _ => Err("nothing compares this kind of declaration".to_owned()),
        }
    }

    /// A table as DescribeTable shows it, with the design's billing and expiry.
    fn table(&self, name: &str) -> Result<TableDescription, String> {
        let declared = self.design().table(name).ok_or("not declared")?;
        let deployed = declared.deployed.clone().ok_or("not deployed")?;
        let input = DescribeTableInput { table_name: deployed.as_str().into() };
        let output = pollster::block_on(self.runtime.backend().describe_table(input));
        let table = output.map_err(|error| error.message)?.table.ok_or("no description")?;
        let mode = format!("{:?}", table.billing_mode_summary);
        if !mode.contains("PayPerRequest") {
            return Err(format!("billed by {mode}"));
        }
        let schema: Vec<&str> =
            table.key_schema.iter().flatten().map(|each| each.attribute_name.as_str()).collect();
        let wanted: Vec<&str> = declared.key.attributes().map(|each| each.text.as_str()).collect();
        if schema != wanted {
            return Err(format!("the key is {schema:?}"));
        }
        if let Some(ttl) = &declared.ttl {
            let input = DescribeTimeToLiveInput { table_name: deployed.as_str().into() };
            let output = pollster::block_on(self.runtime.backend().describe_time_to_live(input));
            let described = format!("{:?}", output.map_err(|error| error.message)?);
            if !described.contains(&ttl.text) {
                return Err(format!("expires by {described}"));
            }
        }
        Ok(table)
    }

    fn index(&self, table: &str, name: &str) -> Result<(), String> {
        let declared =
            self.design().table(table).and_then(|table| table.index(name)).ok_or("not declared")?;
        let description = self.table(table)?;
        let indexes = description.global_secondary_indexes.unwrap_or_default();
        let index = indexes.iter().find(|index| index.index_name.as_deref() == Some(name));
        let index = index.ok_or_else(|| format!("{indexes:?}"))?;
        let schema: Vec<&str> =
            index.key_schema.iter().flatten().map(|each| each.attribute_name.as_str()).collect();
        let wanted: Vec<&str> = declared.key.attributes().map(|each| each.text.as_str()).collect();
        if schema == wanted { Ok(()) } else { Err(format!("the key is {schema:?}")) }
    }

    /// A stored item of an entity: the one with the most attributes.
    pub(crate) fn stored(&self, entity: &str) -> Result<&Item, String> {
        self.stored_with(entity, None)
    }

    /// Like `stored`, of those that have an attribute if some do: no item has what others have before or after.
    fn stored_with(&self, entity: &str, name: Option<&str>) -> Result<&Item, String> {
        let entity = self.design().entity(entity).ok_or("not declared")?;
        let table = self.design().table_of(entity).and_then(|table| table.deployed.clone());
        let items = table.and_then(|name| self.items.get(&name)).ok_or("no table")?;
        let found = items
            .iter()
            .filter(|item| is_of(entity, item))
            .max_by_key(|item| (name.is_some_and(|name| item.get(name).is_some()), item.iter().count()));
        found.ok_or_else(|| "no item is stored".to_owned())
    }

    /// An attribute of its type in the design; one inside of an object is looked for there.
    fn attribute(&self, entity: &str, path: &str) -> Result<(), String> {
        let (name, inner) = path.split_once('.').map_or((path, None), |(name, inner)| (name, Some(inner)));
        let item = self.stored_with(entity, Some(name))?;
        let declared = self.design().entity(entity).ok_or("not declared")?;
        let declared = declared.attributes.iter().find(|each| each.name.is(name)).ok_or("not declared")?;
        let value = item.get(name).map(|value| value.to_owned()).ok_or_else(|| format!("not in {item:?}"))?;
        if let Some(inner) = inner {
            let AttributeValue::S(text) = &value else { return Err(format!("stored as {value:?}")) };
            let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let object = if json.is_array() { &json[0] } else { &json };
            return object.get(inner).map(drop).ok_or_else(|| format!("not in {json}"));
        }
        let stored = stored_as(&value);
        let wanted = wanted_type(declared);
        if stored == wanted || declared.has("encrypted") {
            return Ok(());
        }
        Err(format!("stored as {stored}, not as {wanted}"))
    }

    /// A pattern or an operation is an endpoint.
    fn served(&self, name: &str) -> Result<(), String> {
        let listed = self.api.get("/api", &[]).json();
        let mut names = listed["endpoints"].as_array().into_iter().flatten();
        let found = names.any(|each| each["name"] == name);
        found.then_some(()).ok_or_else(|| "not served".to_owned())
    }

    /// Every entry of a module is an endpoint.
    fn module(&self, name: &str) -> Result<(), String> {
        let module =
            self.design().modules.iter().find(|module| module.name.is(name)).ok_or("not declared")?;
        module.entries.iter().try_for_each(|(entry, _)| self.served(&format!("{name}.{entry}")))
    }

    /// A mapping of the migration fills an entity of the new design, of which an item is stored.
    fn mapped(&self, entity: &str) -> Result<(), String> {
        let mappings = self.design().migrations.iter().flat_map(|each| &each.mappings);
        let found = mappings.into_iter().any(|each| each.new.is(entity));
        found.then_some(()).ok_or("no mapping")?;
        self.stored(entity).map(drop)
    }

    fn claim(&self, sentence: &str) -> Result<(), String> {
        let tables: Vec<&str> = self.design().tables.iter().map(|table| table.name.text.as_str()).collect();
        let number = sentence.split(' ').next().and_then(|word| match word {
            "two" => Some(2),
            word => word.parse::<usize>().ok(),
        });
        let indexes = |name: &&str| {
            self.table(name).map(|table| table.global_secondary_indexes.map_or(0, |all| all.len()))
        };
        let holds = match (number, sentence) {
            (Some(count), sentence) if sentence.ends_with("tables") => count == self.items.len(),
            (Some(count), sentence) if sentence.contains("global indexes") => {
                tables.iter().map(indexes).sum::<Result<usize, String>>()? == count
            }
            (None, sentence) if sentence.starts_with("no ") => {
                let name = sentence.trim_start_matches("no ");
                self.items.values().flatten().all(|item| item.get(name).is_none())
            }
            // A claim about paths and costs is a fact of the plan, which `check` holds it against.
            _ => self.design().claims.iter().any(|each| each.sentence == sentence),
        };
        holds.then_some(()).ok_or_else(|| "does not hold".to_owned())
    }
}

/// Whether an item is one of an entity: it has what no such item lacks, and keys that begin as the templates do.
fn is_of(entity: &Entity, item: &Item) -> bool {
    let is_required = |each: &&Attribute| !each.optional && each.when.is_none() && each.is_stored();
    let has = |each: &Attribute| item.get(&each.name.text).is_some();
    let begins = entity.templates.iter().filter(|each| each.when.is_none()).all(|template| {
        let literal = match template.pieces.first() {
            Some(Piece::Literal(text)) => text.as_str(),
            _ => "",
        };
        match item.get(&template.name.text).map(|value| value.to_owned()) {
            Some(AttributeValue::S(text)) => text.starts_with(literal),
            _ => false,
        }
    });
    begins && entity.attributes.iter().filter(is_required).all(has)
}

fn stored_as(value: &AttributeValue) -> &'static str {
    match value {
        AttributeValue::S(_) => "S",
        AttributeValue::N(_) => "N",
        AttributeValue::B(_) => "B",
        AttributeValue::Bool(_) => "BOOL",
        AttributeValue::L(_) => "L",
        AttributeValue::M(_) => "M",
        AttributeValue::Ss(_) => "SS",
        _ => "another type",
    }
}

fn wanted_type(attribute: &Attribute) -> String {
    match format!("{:?}", attribute.ty.stored()).to_uppercase().as_str() {
        // A reference is stored as the id that it refers to, and all ids are text.
        "ANY" => "S".to_owned(),
        other => other.to_owned(),
    }
}
