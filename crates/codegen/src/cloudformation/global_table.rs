//! `AWS::DynamoDB::GlobalTable`: a table in one or several regions.
//!
//! Reads are a matter of each replica, writes of the table; the table's own region is a replica like the others.

use super::resources::retained;
use super::table::{billing_mode, class, index_shape, insights, recovery, shape, stream, tags, time_to_live};
use crate::model::{Deployment, Encryption, GlobalIndex, Maximum, Range, Table};
use crate::node::{Map, Node, reference};

pub(super) fn resource(deployment: &Deployment, table: &Table) -> Map {
    let indexes = table.global.iter().map(|index| {
        index_shape(&index.name, &index.key, &index.projection)
            .with_some("WriteProvisionedThroughputSettings", index.scaling.write.map(writes))
            .with_some("WriteOnDemandThroughputSettings", most_writes(table.maximum()))
            .into()
    });
    let home = deployment.region.as_deref().map_or_else(|| reference("AWS::Region"), Node::from);
    let own_key = match &table.encryption {
        Encryption::Customer(key) => Some(key.as_str()),
        Encryption::Managed | Encryption::Owned => None,
    };
    let others = table
        .replicas
        .iter()
        .map(|each| replica(table, each.region.as_str().into(), each.kms_key.as_deref()));
    let replicas = std::iter::once(replica(table, home, own_key)).chain(others);
    let properties = shape(table)
        .with_list("GlobalSecondaryIndexes", indexes.collect())
        .with("BillingMode", billing_mode(table))
        .with_some("WriteProvisionedThroughputSettings", table.scaling.write.map(writes))
        .with_some("WriteOnDemandThroughputSettings", most_writes(table.maximum()))
        .with_some("TimeToLiveSpecification", time_to_live(table))
        .with_some("StreamSpecification", stream(table))
        .with_some("SSESpecification", encryption(table))
        .with("Replicas", replicas.collect::<Vec<Node>>());
    retained("AWS::DynamoDB::GlobalTable", properties)
}

fn replica(table: &Table, region: Node, key: Option<&str>) -> Node {
    let indexes = table.global.iter().map(|index| replica_index(table, index));
    Map::new()
        .with("Region", region)
        .with_list("GlobalSecondaryIndexes", indexes.collect())
        .with_some(
            "ReadProvisionedThroughputSettings",
            table.capacity().map(|own| reads(table.scaling.read, own.read)),
        )
        .with_some("ReadOnDemandThroughputSettings", most_reads(table.maximum()))
        .with_some("TableClass", class(table))
        .with_some("PointInTimeRecoverySpecification", recovery(table))
        .with_some("DeletionProtectionEnabled", table.deletion_protection.then_some(true))
        .with_some("SSESpecification", key.map(|key| Map::new().with("KMSMasterKeyId", key)))
        .with_some("ContributorInsightsSpecification", insights(table))
        .with_list("Tags", tags(table))
        .into()
}

/// Every index is listed in every replica, as the CDK does, even one without settings.
fn replica_index(table: &Table, index: &GlobalIndex) -> Node {
    let reads = index.capacity.map(|own| reads(index.scaling.read, own.read));
    Map::new()
        .with("IndexName", index.name.as_str())
        .with_some("ReadProvisionedThroughputSettings", reads)
        .with_some("ReadOnDemandThroughputSettings", most_reads(table.maximum()))
        .with_some("ContributorInsightsSpecification", insights(table))
        .into()
}

fn reads(range: Option<Range>, units: u64) -> Map {
    match range {
        Some(range) => Map::new().with("ReadCapacityAutoScalingSettings", scaling(range)),
        None => Map::new().with("ReadCapacityUnits", units),
    }
}

fn writes(range: Range) -> Map {
    Map::new().with("WriteCapacityAutoScalingSettings", scaling(range))
}

fn scaling(range: Range) -> Map {
    let tracking = Map::new().with("TargetValue", range.target);
    Map::new()
        .with("MinCapacity", range.min)
        .with("MaxCapacity", range.max)
        .with("TargetTrackingScalingPolicyConfiguration", tracking)
}

fn most_reads(maximum: Maximum) -> Option<Map> {
    maximum.read.map(|units| Map::new().with("MaxReadRequestUnits", units))
}

fn most_writes(maximum: Maximum) -> Option<Map> {
    maximum.write.map(|units| Map::new().with("MaxWriteRequestUnits", units))
}

/// Whether KMS encrypts the table; the key itself is set in each replica.
fn encryption(table: &Table) -> Option<Map> {
    (table.encryption != Encryption::Owned)
        .then(|| Map::new().with("SSEEnabled", true).with("SSEType", "KMS"))
}
