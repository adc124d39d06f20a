//! Tables that are deployed: from an earlier template, from the output of DescribeTable, or from a running DynamoDB.
//!
//! Templates and DescribeTable spell most facts alike, so one reader serves both, and the answers of a running DynamoDB
//! take the same way.

mod live;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::*;
use crate::problem::Problem;

pub use live::{LiveError, inspect};

/// The deployed tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deployed {
    /// The design that an earlier template was generated from, if it was.
    pub design: Option<String>,
    /// Whether a stack owns the tables.
    pub is_template: bool,
    /// The tables.
    pub tables: Vec<Found>,
}

/// A deployed table. Settings that the source does not contain are none.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its deployed name.
    pub name: String,
    /// The types of key attributes.
    pub types: BTreeMap<String, String>,
    /// Its primary key.
    pub key: Key,
    /// Its local secondary indexes.
    pub local: Vec<LocalIndex>,
    /// Its global secondary indexes.
    pub global: Vec<GlobalIndex>,
    /// How it is paid for.
    pub billing: Option<Billing>,
    /// The attribute by which items expire; the inner none if they do not.
    pub ttl: Option<Option<String>>,
    /// The images in its stream records.
    pub stream: Option<String>,
    /// For how many days it can be restored; zero for not at all.
    pub recovery_days: Option<u64>,
    /// Whether deletion protection is on.
    pub deletion_protection: bool,
    /// Encryption at rest. `Managed` includes any key of KMS whose name is not known.
    pub encryption: Encryption,
    /// The price class of its storage.
    pub class: TableClass,
    /// Its tags.
    pub tags: Option<BTreeMap<String, String>>,
}

impl Deployed {
    /// Reads an earlier template, or the answer of DescribeTable, alone or several in a list. `file` is named in messages.
    pub fn read(file: &str, text: &str) -> Result<Deployed, Problem> {
        let document = sortkey_import::read(text)
            .map_err(|error| Problem::new(format!("{file}: {error}")).hint(WHAT_CAN_BE_READ))?;
        let deployed = match document["Resources"].as_object() {
            Some(resources) => Deployed {
                design: document["Metadata"]["Sortkey"]["Design"].as_str().map(str::to_owned),
                is_template: true,
                tables: resources.values().filter_map(from_resource).collect(),
            },
            None => Deployed { tables: described(&document), ..Deployed::default() },
        };
        if deployed.tables.is_empty() {
            return Err(Problem::new(format!("{file} describes no DynamoDB table")).hint(WHAT_CAN_BE_READ));
        }
        Ok(deployed)
    }

    /// The table of that deployed name.
    pub fn table(&self, name: &str) -> Option<&Found> {
        self.tables.iter().find(|table| table.name == name)
    }
}

const WHAT_CAN_BE_READ: &str =
    "expected an earlier template, or the JSON that `aws dynamodb describe-table` prints";

fn from_resource(resource: &Value) -> Option<Found> {
    let is_table =
        matches!(resource["Type"].as_str(), Some("AWS::DynamoDB::Table" | "AWS::DynamoDB::GlobalTable"));
    is_table.then(|| table(&resource["Properties"])).flatten()
}

fn described(document: &Value) -> Vec<Found> {
    let listed = list(document).chain(list(&document["Tables"]));
    std::iter::once(document)
        .chain(listed)
        .filter_map(|each| if each["Table"].is_object() { table(&each["Table"]) } else { table(each) })
        .collect()
}

/// A table, from properties or a description.
fn table(value: &Value) -> Option<Found> {
    let name = value["TableName"].as_str()?;
    value["KeySchema"].as_array()?;
    let types = list(&value["AttributeDefinitions"])
        .map(|each| (text(&each["AttributeName"]), text(&each["AttributeType"])))
        .collect();
    Some(Found {
        name: name.to_owned(),
        types,
        key: key(&value["KeySchema"]),
        local: list(&value["LocalSecondaryIndexes"])
            .map(|each| LocalIndex {
                name: text(&each["IndexName"]),
                key: key(&each["KeySchema"]),
                projection: projection(&each["Projection"]),
            })
            .collect(),
        global: list(&value["GlobalSecondaryIndexes"])
            // An index that is being deleted is as good as gone.
            .filter(|each| each["IndexStatus"] != "DELETING")
            .map(|each| GlobalIndex {
                name: text(&each["IndexName"]),
                key: key(&each["KeySchema"]),
                projection: projection(&each["Projection"]),
                capacity: capacity(&each["ProvisionedThroughput"]),
                scaling: Scaling::default(),
                span: None,
            })
            .collect(),
        billing: Some(billing(value)),
        ttl: None,
        stream: value["StreamSpecification"]["StreamViewType"].as_str().map(str::to_owned),
        recovery_days: None,
        deletion_protection: value["DeletionProtectionEnabled"] == true,
        encryption: encryption(value),
        class: match value["TableClassSummary"]["TableClass"].as_str().or(value["TableClass"].as_str()) {
            Some("STANDARD_INFREQUENT_ACCESS") => TableClass::InfrequentAccess,
            _ => TableClass::Standard,
        },
        tags: None,
    })
}

/// A table that was never changed to on-demand does not mention how it is paid for.
fn billing(value: &Value) -> Billing {
    let mode = value["BillingModeSummary"]["BillingMode"].as_str().or(value["BillingMode"].as_str());
    let units = |key: &str| value["OnDemandThroughput"][key].as_u64();
    let provisioned = capacity(&value["ProvisionedThroughput"]);
    match (mode, provisioned) {
        (Some("PAY_PER_REQUEST"), _) => Billing::OnDemand(Maximum {
            read: units("MaxReadRequestUnits"),
            write: units("MaxWriteRequestUnits"),
        }),
        (_, capacity) => Billing::Provisioned(capacity.unwrap_or(Capacity { read: 0, write: 0 })),
    }
}

fn capacity(value: &Value) -> Option<Capacity> {
    let (read, write) = (value["ReadCapacityUnits"].as_u64()?, value["WriteCapacityUnits"].as_u64()?);
    (read > 0 || write > 0).then_some(Capacity { read, write })
}

fn encryption(value: &Value) -> Encryption {
    let (described, specified) = (&value["SSEDescription"], &value["SSESpecification"]);
    let is_on =
        described["SSEType"] == "KMS" && described["Status"] != "DISABLED" || specified["SSEEnabled"] == true;
    let key = described["KMSMasterKeyArn"].as_str().or(specified["KMSMasterKeyId"].as_str());
    match (is_on, key) {
        (false, _) => Encryption::Owned,
        (true, Some(key)) => Encryption::Customer(key.to_owned()),
        (true, None) => Encryption::Managed,
    }
}

fn key(schema: &Value) -> Key {
    let part = |kind: &str| {
        list(schema).filter(|each| each["KeyType"] == kind).map(|each| text(&each["AttributeName"])).collect()
    };
    Key { partition: part("HASH"), sort: part("RANGE") }
}

fn projection(value: &Value) -> Projection {
    match value["ProjectionType"].as_str() {
        Some("KEYS_ONLY") => Projection::KeysOnly,
        Some("INCLUDE") => Projection::Include(list(&value["NonKeyAttributes"]).map(text).collect()),
        _ => Projection::All,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
