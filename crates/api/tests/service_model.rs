//! Our shapes beside AWS's: every member that a request can have is known here, so that none is silently ignored.
//!
//! `service_model.txt` is made of the service model of the botocore that it names. To move to another one, install that
//! version, list the structures reachable from each operation's input with their members, and replace the file; this
//! test then names what is missing. That what is known but not supported is rejected is tested with the engine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sortkey_api::OperationId;

type Names<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Structures that are read in another form: attribute values by their own reader, the others as JSON that is
/// rejected as a whole.
const READ_OTHERWISE: &[&str] = &[
    "AttributeValue",
    "CreateGlobalTableWitnessGroupMemberAction",
    "CreateReplicationGroupMemberAction",
    "CreateVectorIndexAction",
    "DeleteGlobalTableWitnessGroupMemberAction",
    "DeleteReplicationGroupMemberAction",
    "DeleteVectorIndexAction",
    "DisassociateReplicationGroupMemberAction",
    "FilterSpecification",
    "GlobalTableWitnessGroupUpdate",
    "IncrementalExportSpecification",
    "OnDemandThroughputOverride",
    "ProvisionedThroughputOverride",
    "ReplicaGlobalSecondaryIndex",
    "ReplicationGroupUpdate",
    "SearchSchemaElement",
    "UpdateReplicationGroupMemberAction",
    "VectorAttributeDefinition",
    "VectorIndex",
    "VectorIndexUpdate",
];

/// Operations of the model that have no shapes here. Their answer is an error that names them as unsupported.
const WITHOUT_SHAPES: &[&str] = &[
    "CancelBulkOperation",
    "CreateGlobalTable",
    "DescribeBulkOperation",
    "DescribeContributorInsights",
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeKinesisStreamingDestination",
    "DescribeTableReplicaAutoScaling",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingDestination",
    "ListBulkOperations",
    "ListContributorInsights",
    "ListGlobalTables",
    "SearchVectors",
    "StartBulkPutItems",
    "UpdateContributorInsights",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateKinesisStreamingDestination",
    "UpdateTableReplicaAutoScaling",
];

// F-90: members of the newest service model were silently ignored.
#[test]
fn every_member_of_the_model_is_known() {
    let model = include_str!("service_model.txt");
    let (operations, structures) = (entries(model, "operation "), entries(model, "structure "));
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let ours = shapes(&sources);
    let mut unknown = Vec::new();
    let mut checked = BTreeSet::new();
    for (operation, reachable) in &operations {
        if WITHOUT_SHAPES.contains(operation) {
            continue;
        }
        for structure in reachable.iter().filter(|structure| !READ_OTHERWISE.contains(*structure)) {
            let members = &structures[structure];
            if members.is_empty() || !checked.insert(*structure) {
                continue;
            }
            match ours.get(structure) {
                None => unknown.push(format!("{operation}: structure {structure}")),
                Some(known) => {
                    let missing = members.difference(known);
                    unknown.extend(missing.map(|member| format!("{operation}: {structure}.{member}")));
                }
            }
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
    assert!(checked.len() > 80, "only {} structures were compared", checked.len());
}

/// Every operation of the model has a name here, also one that is not supported, so that it is answered by name.
#[test]
fn every_operation_of_the_model_is_known() {
    let operations = entries(include_str!("service_model.txt"), "operation ");
    let unknown: Vec<&&str> =
        operations.keys().filter(|name| OperationId::from_name(name).is_none()).collect();
    assert_eq!(unknown, Vec::<&&str>::new());
}

fn entries<'a>(model: &'a str, kind: &str) -> Names<'a> {
    let entry = |line: &'a str| {
        let (name, members) = line.strip_prefix(kind)?.split_once(':')?;
        Some((name, members.split_whitespace().collect()))
    };
    model.lines().filter_map(entry).collect()
}

/// The members of every `shape!`, as declared.
fn shapes(sources: &str) -> Names<'_> {
    let mut shapes = Names::new();
    let mut current = None;
    for line in sources.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("struct ").and_then(|rest| rest.split([' ', '{']).next()) {
            current = Some(shapes.entry(name).or_default());
        } else if line == "}" {
            current = None;
        } else if let (Some(members), Some((_, rest))) = (current.as_mut(), line.split_once("= \"")) {
            members.insert(rest.split('"').next().unwrap());
        }
    }
    shapes
}

fn sources(directory: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &sources(&path);
        } else {
            text += &std::fs::read_to_string(&path).unwrap();
        }
    }
    text
}
