//! `AWS::DynamoDB::Table`: a table in one region.

use super::resources::{pairs, retained};
use crate::model::{Capacity, Encryption, Key, Maximum, Projection, Table, TableClass};
use crate::node::{Map, Node};

pub(super) fn resource(table: &Table) -> Map {
    let on_demand = table.maximum();
    let properties = shape(table)
        .with_list(
            "GlobalSecondaryIndexes",
            table
                .global
                .iter()
                .map(|index| {
                    index_shape(&index.name, &index.key, &index.projection)
                        .with_some("ProvisionedThroughput", index.capacity.map(throughput))
                        .with_some("OnDemandThroughput", maximum(on_demand))
                        .with_some("ContributorInsightsSpecification", insights(table))
                        .into()
                })
                .collect(),
        )
        .with("BillingMode", billing_mode(table))
        .with_some("ProvisionedThroughput", table.capacity().map(throughput))
        .with_some("OnDemandThroughput", maximum(on_demand))
        .with_some("TableClass", class(table))
        .with_some("TimeToLiveSpecification", time_to_live(table))
        .with_some("StreamSpecification", stream(table))
        .with_some("PointInTimeRecoverySpecification", recovery(table))
        .with_some("DeletionProtectionEnabled", table.deletion_protection.then_some(true))
        .with_some("SSESpecification", encryption(table))
        .with_some("ContributorInsightsSpecification", insights(table))
        .with_list("Tags", tags(table));
    retained("AWS::DynamoDB::Table", properties)
}

/// Name, attributes, key and local indexes, which tables and global tables write alike.
pub(super) fn shape(table: &Table) -> Map {
    Map::new()
        .with("TableName", table.name.as_str())
        .with("AttributeDefinitions", pairs("AttributeName", "AttributeType", table.attributes().into_iter()))
        .with("KeySchema", pairs("AttributeName", "KeyType", table.key.schema()))
        .with_list(
            "LocalSecondaryIndexes",
            table
                .local
                .iter()
                .map(|index| index_shape(&index.name, &index.key, &index.projection).into())
                .collect(),
        )
}

pub(super) fn index_shape(name: &str, key: &Key, projection: &Projection) -> Map {
    let names: Vec<Node> = projection.names().iter().map(|name| name.as_str().into()).collect();
    Map::new()
        .with("IndexName", name)
        .with("KeySchema", pairs("AttributeName", "KeyType", key.schema()))
        .with(
            "Projection",
            Map::new().with("ProjectionType", projection.kind()).with_list("NonKeyAttributes", names),
        )
}

pub(super) fn billing_mode(table: &Table) -> &'static str {
    if table.capacity().is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" }
}

fn throughput(capacity: Capacity) -> Map {
    Map::new().with("ReadCapacityUnits", capacity.read).with("WriteCapacityUnits", capacity.write)
}

fn maximum(maximum: Maximum) -> Option<Map> {
    let units = Map::new()
        .with_some("MaxReadRequestUnits", maximum.read)
        .with_some("MaxWriteRequestUnits", maximum.write);
    (!units.is_empty()).then_some(units)
}

pub(super) fn class(table: &Table) -> Option<&'static str> {
    (table.class != TableClass::Standard).then(|| table.class.as_str())
}

pub(super) fn time_to_live(table: &Table) -> Option<Map> {
    table.ttl.as_deref().map(|name| Map::new().with("AttributeName", name).with("Enabled", true))
}

pub(super) fn stream(table: &Table) -> Option<Map> {
    table.stream.as_deref().map(|view| Map::new().with("StreamViewType", view))
}

/// A design without the setting leaves recovery as it is; `off` switches it off.
pub(super) fn recovery(table: &Table) -> Option<Map> {
    table.recovery_days.map(|days| {
        let days = (days > 0).then_some(days);
        Map::new().with("PointInTimeRecoveryEnabled", days.is_some()).with_some("RecoveryPeriodInDays", days)
    })
}

fn encryption(table: &Table) -> Option<Map> {
    let key = match &table.encryption {
        Encryption::Owned => return None,
        Encryption::Managed => None,
        Encryption::Customer(key) => Some(key.as_str()),
    };
    Some(Map::new().with("SSEEnabled", true).with("SSEType", "KMS").with_some("KMSMasterKeyId", key))
}

pub(super) fn insights(table: &Table) -> Option<Map> {
    table.insights.then(|| Map::new().with("Enabled", true))
}

pub(super) fn tags(table: &Table) -> Vec<Node> {
    pairs("Key", "Value", table.tags.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}
