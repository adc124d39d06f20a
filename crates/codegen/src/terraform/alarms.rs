//! `aws_cloudwatch_metric_alarm`.

use super::hcl::{Block, list, map, quoted};
use super::names::{self, Names};
use crate::alarms::{Metric, alarms};
use crate::model::Table;

const KIND: &str = "aws_cloudwatch_metric_alarm";

pub(super) fn resources(table: &Table, id: &str, names: &mut Names) -> Vec<Block> {
    let mut blocks = Vec::new();
    for alarm in alarms(table) {
        let own = names::index(id, &alarm.suffix);
        names.take(KIND, &own, format!("the alarm \"{}\"", alarm.name));
        let period = table.alarms.period_seconds.to_string();
        let block = Block::new("resource", &[KIND, &own])
            .set("alarm_name", quoted(&alarm.name))
            .set("alarm_description", quoted(&alarm.description))
            .set_some("alarm_actions", table.alarms.topic.as_deref().map(|topic| list([topic])))
            .set("comparison_operator", quoted("GreaterThanOrEqualToThreshold"))
            .set("evaluation_periods", "1")
            .set("threshold", alarm.threshold.to_string())
            .set("treat_missing_data", quoted("notBreaching"));
        blocks.push(match &alarm.metric {
            Metric::One { namespace, name, statistic, dimensions } => block
                .set("namespace", quoted(namespace))
                .set("metric_name", quoted(name))
                .set("statistic", quoted(statistic))
                .set("period", period)
                .set("dimensions", map(dimensions.iter().map(|(key, value)| (key.as_str(), value.as_str())))),
            Metric::SumOverOperations { name, operations } => {
                let total = Block::new("metric_query", &[])
                    .set("id", quoted("total"))
                    .set("expression", quoted("SUM(METRICS())"))
                    .set("label", quoted(name))
                    .set("return_data", "true");
                let parts = operations.iter().map(|operation| {
                    let dimensions = [("TableName", table.name.as_str()), ("Operation", operation)];
                    let metric = Block::new("metric", &[])
                        .set("namespace", quoted("AWS/DynamoDB"))
                        .set("metric_name", quoted(name))
                        .set("stat", quoted("Sum"))
                        .set("period", period.as_str())
                        .set("dimensions", map(dimensions.into_iter()));
                    Block::new("metric_query", &[]).set("id", quoted(&operation.to_lowercase())).block(metric)
                });
                block.block(total).blocks(parts)
            }
        });
    }
    blocks
}
