//! The answer of DescribeTable, alone or several in a list.

use crate::source::{Billing, Table, array, common, units};
use serde_json::Value;

pub(crate) fn tables(value: &Value) -> Vec<Table> {
    let listed = array(value).chain(array(&value["Tables"]));
    let described = std::iter::once(value).chain(listed).filter_map(table);
    described.collect()
}

fn table(value: &Value) -> Option<Table> {
    let description = if value["Table"].is_object() { &value["Table"] } else { value };
    description["KeySchema"].as_array()?;
    let name = description["TableName"].as_str()?;
    let on_demand = description["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST";
    let provisioned =
        units(&description["ProvisionedThroughput"]).map(|(rcu, wcu)| Billing::Provisioned(rcu, wcu));
    let sse = &description["SSEDescription"];
    Some(Table {
        name: name.to_owned(),
        billing: if on_demand { Some(Billing::OnDemand) } else { provisioned },
        encryption: match (sse["SSEType"].as_str(), sse["KMSMasterKeyArn"].as_str()) {
            (Some("KMS"), key) => Some(("customer".to_owned(), key.map(str::to_owned))),
            _ => Some(("aws_owned".to_owned(), None)),
        },
        // TTL and recovery have calls of their own; some tools put their answers beside the table.
        ttl: value["TimeToLiveDescription"]["AttributeName"].as_str().map(str::to_owned),
        recovery: value["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
            ["PointInTimeRecoveryStatus"]
            .as_str()
            .map(|status| status == "ENABLED"),
        ..common(description)
    })
}
