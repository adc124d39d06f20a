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

/// Members that a request can have and that nothing reads were accepted without an effect. A name that several shapes share counts
/// for all of them, so this finds what was forgotten altogether; what is read must be tested where it is.
#[test]
fn every_member_that_is_accepted_is_read() {
    let operations = entries(include_str!("service_model.txt"), "operation ");
    let reachable: BTreeSet<&str> = operations.values().flatten().copied().collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let ours = sources(&crates.join("api/src"));
    let readers = ["engine/src", "server/src"].map(|readers| sources(&crates.join(readers))).concat();
    let is_read = |field: &str| {
        readers.match_indices(field).any(|(at, _)| {
            let (before, after) = (readers[..at].trim_end(), readers[at + field.len()..].trim_start());
            // `input.field`, which is not a method, or a pattern that names it.
            let is_field = readers[..at].ends_with('.') && !after.starts_with('(');
            let is_word = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
            is_word && (is_field || before.ends_with(['{', ',']) && after.starts_with([',', '}', ':']))
        })
    };
    let members: Vec<Member<'_>> =
        members(&ours).into_iter().filter(|member| reachable.contains(member.shape)).collect();
    let unread: Vec<String> = members
        .iter()
        .filter(|member| !is_read(member.field))
        .map(|member| format!("{}.{}", member.shape, member.name))
        .collect();
    assert_eq!(unread, Vec::<String>::new(), "accepted, and read nowhere");
    assert!(members.len() > 300, "only {} members were looked for", members.len());
    assert!(!is_read("no_such_member"));
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

/// A member of a `shape!`: `index_name: Option<IndexName> = "IndexName"`.
struct Member<'a> {
    shape: &'a str,
    field: &'a str,
    name: &'a str,
}

/// The members of every `shape!`, as declared.
fn members(sources: &str) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    let mut current = None;
    for line in sources.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("struct ").and_then(|rest| rest.split([' ', '{']).next()) {
            current = Some(name);
        } else if line == "}" {
            current = None;
        } else if let (Some(shape), Some((declared, rest))) = (current, line.split_once("= \"")) {
            let (field, name) = (declared.split(':').next().unwrap(), rest.split('"').next().unwrap());
            members.push(Member { shape, field, name });
        }
    }
    members
}

fn shapes(sources: &str) -> Names<'_> {
    let mut shapes = Names::new();
    for member in members(sources) {
        shapes.entry(member.shape).or_default().insert(member.name);
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
