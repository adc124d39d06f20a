//! A table as DynamoDB's own API describes it, which all sources are converted to.

use serde_json::Value;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    /// The deployed name; a template may leave it to the deployment.
    pub(crate) deployed: Option<String>,
    /// Its name in the design.
    pub(crate) name: String,
    /// Attribute and type (S, N, B).
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) key: Key,
    pub(crate) indexes: Vec<Index>,
    /// Read and write units; none for on-demand; unknown if the source does not have them.
    pub(crate) billing: Option<Billing>,
    pub(crate) ttl: Option<String>,
    pub(crate) stream: Option<String>,
    pub(crate) recovery: Option<bool>,
    pub(crate) deletion_protection: bool,
    pub(crate) encryption: Option<(String, Option<String>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Billing {
    OnDemand,
    Provisioned(u64, u64),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) partition: Vec<String>,
    pub(crate) sort: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) local: bool,
    pub(crate) key: Key,
    pub(crate) projection: Option<Projection>,
    pub(crate) provisioned: Option<(u64, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    All,
    Keys,
    Include(Vec<String>),
}

/// The parts that DescribeTable and CloudFormation spell alike.
pub(crate) fn common(value: &Value) -> Table {
    let pairs = array(&value["AttributeDefinitions"]);
    let attributes =
        pairs.map(|each| (string(&each["AttributeName"]), string(&each["AttributeType"]))).collect();
    let global = array(&value["GlobalSecondaryIndexes"]).map(|each| index(each, false));
    let local = array(&value["LocalSecondaryIndexes"]).map(|each| index(each, true));
    Table {
        deployed: value["TableName"].as_str().map(str::to_owned),
        attributes,
        key: key(&value["KeySchema"]),
        indexes: global.chain(local).collect(),
        deletion_protection: value["DeletionProtectionEnabled"].as_bool().unwrap_or(false),
        stream: value["StreamSpecification"]["StreamViewType"].as_str().map(str::to_lowercase),
        ..Table::default()
    }
}

fn index(value: &Value, local: bool) -> Index {
    let projection = &value["Projection"];
    Index {
        name: string(&value["IndexName"]),
        local,
        key: key(&value["KeySchema"]),
        projection: match projection["ProjectionType"].as_str() {
            Some("ALL") => Some(Projection::All),
            Some("KEYS_ONLY") => Some(Projection::Keys),
            Some("INCLUDE") => {
                Some(Projection::Include(array(&projection["NonKeyAttributes"]).map(string).collect()))
            }
            _ => None,
        },
        provisioned: units(&value["ProvisionedThroughput"]),
    }
}

fn key(schema: &Value) -> Key {
    let of = |kind: &str| {
        let parts = array(schema).filter(|part| part["KeyType"] == kind);
        parts.map(|part| string(&part["AttributeName"])).collect()
    };
    Key { partition: of("HASH"), sort: of("RANGE") }
}

/// Provisioned units; zero means on-demand in the answer of DescribeTable.
pub(crate) fn units(value: &Value) -> Option<(u64, u64)> {
    let number = |name: &str| value[name].as_u64().or_else(|| value[name].as_str()?.parse().ok());
    let (rcu, wcu) = (number("ReadCapacityUnits")?, number("WriteCapacityUnits")?);
    (rcu > 0 && wcu > 0).then_some((rcu, wcu))
}

pub(crate) fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(crate) fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
