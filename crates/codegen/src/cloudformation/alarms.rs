//! CloudWatch alarms of a table.

use super::resources::{Resources, logical_id, pairs, resource};
use crate::alarms::{Alarm, Metric, alarms};
use crate::model::Table;
use crate::node::{Map, Node, reference};

pub(super) fn add(id: &str, table: &Table, resources: &mut Resources) {
    for alarm in alarms(table) {
        let what = format!("the alarm \"{}\"", alarm.name);
        resources.insert(
            &format!("{id}{}", logical_id(&alarm.suffix)),
            what,
            alarm_resource(id, table, &alarm),
        );
    }
}

fn alarm_resource(id: &str, table: &Table, alarm: &Alarm) -> Map {
    let actions: Vec<Node> = table.alarms.topic.iter().map(|topic| topic.as_str().into()).collect();
    let head = Map::new()
        .with("AlarmName", alarm.name.as_str())
        .with("AlarmDescription", alarm.description.as_str())
        .with_list("AlarmActions", actions)
        .with("ComparisonOperator", "GreaterThanOrEqualToThreshold")
        .with("EvaluationPeriods", 1)
        .with("Threshold", alarm.threshold)
        .with("TreatMissingData", "notBreaching");
    let period = table.alarms.period_seconds;
    let properties = match &alarm.metric {
        Metric::One { namespace, name, statistic, dimensions } => head
            .with("Namespace", *namespace)
            .with("MetricName", *name)
            .with("Dimensions", dimension_nodes(id, table, dimensions))
            .with("Statistic", *statistic)
            .with("Period", period),
        Metric::SumOverOperations { name, operations } => {
            let total =
                Map::new().with("Id", "total").with("Expression", "SUM(METRICS())").with("Label", *name);
            let parts = operations.iter().map(|operation| {
                let dimensions = [
                    ("TableName".to_owned(), table.name.clone()),
                    ("Operation".to_owned(), (*operation).to_owned()),
                ];
                let metric = Map::new()
                    .with("Namespace", "AWS/DynamoDB")
                    .with("MetricName", *name)
                    .with("Dimensions", dimension_nodes(id, table, &dimensions));
                let stat = Map::new().with("Metric", metric).with("Period", period).with("Stat", "Sum");
                Map::new()
                    .with("Id", operation.to_lowercase())
                    .with("MetricStat", stat)
                    .with("ReturnData", false)
                    .into()
            });
            head.with("Metrics", std::iter::once(Node::from(total)).chain(parts).collect::<Vec<Node>>())
        }
    };
    resource("AWS::CloudWatch::Alarm", properties)
}

/// The table's name is a reference, so that the alarm is created after the table.
fn dimension_nodes(id: &str, table: &Table, dimensions: &[(String, String)]) -> Vec<Node> {
    let nodes = dimensions.iter().map(|(name, value)| {
        if name == "TableName" && *value == table.name {
            return Map::new().with("Name", name.as_str()).with("Value", reference(id)).into();
        }
        pairs("Name", "Value", std::iter::once((name.as_str(), value.as_str()))).remove(0)
    });
    nodes.collect()
}
