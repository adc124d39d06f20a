//! Tables of a CloudFormation or SAM template.

use crate::source::{Billing, Key, Table, common, units};
use serde_json::Value;

pub(crate) fn tables(template: &Value) -> Vec<Table> {
    let resources = template["Resources"].as_object();
    resources.into_iter().flatten().filter_map(|(name, resource)| table(name, resource)).collect()
}

fn table(name: &str, resource: &Value) -> Option<Table> {
    let properties = &resource["Properties"];
    match resource["Type"].as_str()? {
        "AWS::DynamoDB::Table" | "AWS::DynamoDB::GlobalTable" => Some(described(name, properties)),
        "AWS::Serverless::SimpleTable" => Some(simple(name, properties)),
        _ => None,
    }
}

fn described(name: &str, properties: &Value) -> Table {
    let provisioned =
        units(&properties["ProvisionedThroughput"]).map(|(rcu, wcu)| Billing::Provisioned(rcu, wcu));
    let on_demand = properties["BillingMode"] == "PAY_PER_REQUEST";
    let sse = &properties["SSESpecification"];
    let recovery = &properties["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"];
    Table {
        name: name.to_owned(),
        deployed: name_of(&properties["TableName"]),
        billing: if on_demand { Some(Billing::OnDemand) } else { provisioned },
        ttl: properties["TimeToLiveSpecification"]["AttributeName"].as_str().map(str::to_owned),
        recovery: truth(recovery),
        deletion_protection: truth(&properties["DeletionProtectionEnabled"]).unwrap_or(false),
        encryption: match (truth(&sse["SSEEnabled"]), sse["KMSMasterKeyId"].as_str()) {
            (Some(true), Some(key)) => Some(("customer".to_owned(), Some(key.to_owned()))),
            (Some(true), None) => Some(("aws_managed".to_owned(), None)),
            (Some(false), _) => Some(("aws_owned".to_owned(), None)),
            (None, _) => None,
        },
        ..common(properties)
    }
}

/// SAM's table with a primary key and nothing else.
fn simple(name: &str, properties: &Value) -> Table {
    let key = &properties["PrimaryKey"];
    let attribute = key["Name"].as_str().unwrap_or("id").to_owned();
    let ty = match key["Type"].as_str() {
        Some("Number") => "N",
        Some("Binary") => "B",
        _ => "S",
    };
    Table {
        name: name.to_owned(),
        deployed: name_of(&properties["TableName"]),
        attributes: vec![(attribute.clone(), ty.to_owned())],
        key: Key { partition: vec![attribute], sort: Vec::new() },
        billing: Some(Billing::OnDemand),
        ..Table::default()
    }
}

/// A name as text, or the text inside `Fn::Sub`; references leave it to the deployment.
fn name_of(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value["Fn::Sub"].as_str())?;
    Some(text.replace("${", "{").replace("AWS::StackName", "stack"))
}

fn truth(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_str().map(|text| text == "true"))
}
