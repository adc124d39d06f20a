//! `aws_dynamodb_table`, `aws_dynamodb_global_secondary_index` and `aws_dynamodb_contributor_insights`.

use super::hcl::{Block, list, map, quoted};
use super::names::{self, Names};
use crate::model::{Encryption, GlobalIndex, Key, Maximum, Table, TableClass};

/// The resource of an index.
pub(super) const INDEX: &str = "aws_dynamodb_global_secondary_index";

pub(super) fn resource(table: &Table, id: &str, inline: bool) -> Block {
    let capacity = table.capacity();
    let block = Block::new("resource", &["aws_dynamodb_table", id])
        .set("name", quoted(&table.name))
        .set("billing_mode", quoted(if capacity.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" }))
        .set_some("read_capacity", capacity.map(|own| own.read.to_string()))
        .set_some("write_capacity", capacity.map(|own| own.write.to_string()))
        .set_some("hash_key", table.key.partition.first().map(|name| quoted(name)))
        .set_some("range_key", table.key.sort.first().map(|name| quoted(name)))
        .set_some("table_class", (table.class != TableClass::Standard).then(|| quoted(table.class.as_str())))
        .set_some("stream_enabled", table.stream.as_ref().map(|_| "true"))
        .set_some("stream_view_type", table.stream.as_ref().map(|view| quoted(view)))
        .set("deletion_protection_enabled", table.deletion_protection.to_string())
        .set("tags", map(table.tags.iter().map(|(key, value)| (key.as_str(), value.as_str()))))
        .blocks(attributes(table, inline).into_iter().map(|(name, kind)| {
            Block::new("attribute", &[]).set("name", quoted(name)).set("type", quoted(kind))
        }))
        .blocks(table.local.iter().map(|index| {
            Block::new("local_secondary_index", &[])
                .set("name", quoted(&index.name))
                .set_some("range_key", index.key.sort.first().map(|name| quoted(name)))
                .set("projection_type", quoted(index.projection.kind()))
                .set_some("non_key_attributes", copied(index.projection.names()))
        }));
    let inline_indexes = table.global.iter().filter(|_| inline).map(|index| inline_index(table, index));
    block
        .blocks(inline_indexes)
        .blocks(on_demand(table.maximum()))
        .blocks(
            table.ttl.as_ref().map(|name| {
                Block::new("ttl", &[]).set("attribute_name", quoted(name)).set("enabled", "true")
            }),
        )
        .blocks(table.recovery_days.map(|days| {
            Block::new("point_in_time_recovery", &[])
                .set("enabled", (days > 0).to_string())
                .set_some("recovery_period_in_days", (days > 0).then(|| days.to_string()))
        }))
        .blocks(encryption(table, id))
        .blocks(table.replicas.iter().map(|replica| {
            Block::new("replica", &[])
                .set("region_name", quoted(&replica.region))
                .set_some("kms_key_arn", replica.kms_key.as_ref().map(|key| quoted(key)))
                .set_some("point_in_time_recovery", table.recovery_days.map(|days| (days > 0).to_string()))
                .set("propagate_tags", "true")
        }))
        .block(lifecycle(&scaled(table.scaling.read.is_some(), table.scaling.write.is_some())))
}

/// Attributes that only an index of its own uses are declared there.
fn attributes(table: &Table, inline: bool) -> Vec<(&str, &str)> {
    match inline {
        true => table.attributes(),
        false => {
            table.types_of(std::iter::once(&table.key).chain(table.local.iter().map(|index| &index.key)))
        }
    }
}

fn inline_index(table: &Table, index: &GlobalIndex) -> Block {
    Block::new("global_secondary_index", &[])
        .set("name", quoted(&index.name))
        .set_some("hash_key", index.key.partition.first().map(|name| quoted(name)))
        .set_some("range_key", index.key.sort.first().map(|name| quoted(name)))
        .set("projection_type", quoted(index.projection.kind()))
        .set_some("non_key_attributes", copied(index.projection.names()))
        .set_some("read_capacity", index.capacity.map(|own| own.read.to_string()))
        .set_some("write_capacity", index.capacity.map(|own| own.write.to_string()))
        .blocks(on_demand(table.maximum()))
}

/// Indexes as resources, each after the one before it: DynamoDB builds one at a time.
pub(super) fn indexes(table: &Table, id: &str, names: &mut Names) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut before: Option<String> = None;
    for index in &table.global {
        let own = names::index(id, &index.name);
        names.take(INDEX, &own, format!("index `{}` of table `{}`", index.name, table.design_name));
        let projection = Block::new("projection", &[])
            .set("projection_type", quoted(index.projection.kind()))
            .set_some("non_key_attributes", copied(index.projection.names()));
        let throughput = index.capacity.map(|own| {
            Block::new("provisioned_throughput", &[])
                .set("read_capacity_units", own.read.to_string())
                .set("write_capacity_units", own.write.to_string())
        });
        let is_scaled = index.scaling.read.is_some() || index.scaling.write.is_some();
        let ignored: &[&str] = if is_scaled { &["provisioned_throughput"] } else { &[] };
        let block = Block::new("resource", &[INDEX, &own])
            .set("table_name", format!("aws_dynamodb_table.{id}.name"))
            .set("index_name", quoted(&index.name))
            .set_some("depends_on", before.map(|before| format!("[{INDEX}.{before}]")))
            .blocks(key(table, &index.key))
            .block(projection)
            .blocks(throughput)
            .blocks(on_demand(table.maximum()))
            .block(lifecycle(ignored));
        blocks.push(block);
        before = Some(own);
    }
    blocks
}

fn key<'a>(table: &'a Table, key: &'a Key) -> impl Iterator<Item = Block> + 'a {
    key.schema().map(|(name, role)| {
        Block::new("key_schema", &[])
            .set("attribute_name", quoted(name))
            .set("attribute_type", quoted(table.type_of(name)))
            .set("key_type", quoted(role))
    })
}

pub(super) fn insights(table: &Table, id: &str, names: &mut Names) -> Vec<Block> {
    if !table.insights {
        return Vec::new();
    }
    let kind = "aws_dynamodb_contributor_insights";
    let mut block = |own: &str, index: Option<&str>| {
        names.take(kind, own, format!("insights of table `{}`", table.design_name));
        Block::new("resource", &[kind, own])
            .set("table_name", format!("aws_dynamodb_table.{id}.name"))
            .set_some("index_name", index.map(quoted))
    };
    let mut blocks = vec![block(id, None)];
    blocks.extend(table.global.iter().map(|index| block(&names::index(id, &index.name), Some(&index.name))));
    blocks
}

fn encryption(table: &Table, id: &str) -> Option<Block> {
    let key = match &table.encryption {
        Encryption::Owned => return None,
        Encryption::Managed => None,
        Encryption::Customer(key) if key.starts_with("alias/") => {
            Some(format!("data.aws_kms_alias.{id}.target_key_arn"))
        }
        Encryption::Customer(key) => Some(quoted(key)),
    };
    Some(Block::new("server_side_encryption", &[]).set("enabled", "true").set_some("kms_key_arn", key))
}

fn on_demand(maximum: Maximum) -> Option<Block> {
    (maximum != Maximum::default()).then(|| {
        Block::new("on_demand_throughput", &[])
            .set_some("max_read_request_units", maximum.read.map(|units| units.to_string()))
            .set_some("max_write_request_units", maximum.write.map(|units| units.to_string()))
    })
}

/// The attributes that Terraform must ignore because autoscaling changes them.
fn scaled(read: bool, write: bool) -> Vec<&'static str> {
    [(read, "read_capacity"), (write, "write_capacity")]
        .into_iter()
        .filter(|(on, _)| *on)
        .map(|(_, name)| name)
        .collect()
}

fn lifecycle(ignored: &[&str]) -> Block {
    let block = Block::new("lifecycle", &[]).set("prevent_destroy", "true");
    if ignored.is_empty() { block } else { block.set("ignore_changes", format!("[{}]", ignored.join(", "))) }
}

fn copied(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| list(names.iter().map(String::as_str)))
}
