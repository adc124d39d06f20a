//! `new cloudwatch.CfnAlarm(...)`.

use super::property;
use super::value::{Object, Value, code, text};
use crate::alarms::{Alarm, Metric, alarms};
use crate::cloudformation::logical_id;
use crate::model::Table;

pub(super) fn statements(table: &Table) -> String {
    let id = logical_id(&table.design_name);
    alarms(table)
        .iter()
        .map(|alarm| {
            let properties: Value = properties(table, alarm).into();
            let own = logical_id(&alarm.suffix);
            format!("    new cloudwatch.CfnAlarm(this, \"{id}{own}\", {});\n", properties.print(2))
        })
        .collect()
}

fn properties(table: &Table, alarm: &Alarm) -> Object {
    let period = code(table.alarms.period_seconds.to_string());
    let object = Object::new()
        .with("alarmName", text(&alarm.name))
        .with("alarmDescription", text(&alarm.description))
        .with_list("alarmActions", table.alarms.topic.iter().map(|topic| text(topic)).collect())
        .with("comparisonOperator", text("GreaterThanOrEqualToThreshold"))
        .with("evaluationPeriods", code("1"))
        .with("threshold", code(alarm.threshold.to_string()))
        .with("treatMissingData", text("notBreaching"));
    match &alarm.metric {
        Metric::One { namespace, name, statistic, dimensions } => object
            .with("namespace", text(namespace))
            .with("metricName", text(name))
            .with(
                "dimensions",
                Value::List(dimensions.iter().map(|pair| dimension(table, &pair.0, &pair.1)).collect()),
            )
            .with("statistic", text(statistic))
            .with("period", period),
        Metric::SumOverOperations { name, operations } => {
            let total = Object::new()
                .with("id", text("total"))
                .with("expression", text("SUM(METRICS())"))
                .with("label", text(name));
            let parts = operations.iter().map(|operation| {
                let dimensions = vec![
                    dimension(table, "TableName", &table.name),
                    dimension(table, "Operation", operation),
                ];
                let metric = Object::new()
                    .with("namespace", text("AWS/DynamoDB"))
                    .with("metricName", text(name))
                    .with("dimensions", Value::List(dimensions));
                let stat = Object::new()
                    .with("metric", metric)
                    .with("period", period.clone())
                    .with("stat", text("Sum"));
                Object::new()
                    .with("id", text(&operation.to_lowercase()))
                    .with("metricStat", stat)
                    .with("returnData", code("false"))
                    .into()
            });
            object.with("metrics", Value::List(std::iter::once(Value::from(total)).chain(parts).collect()))
        }
    }
}

fn dimension(table: &Table, name: &str, value: &str) -> Value {
    let value = match name == "TableName" && value == table.name {
        true => code(format!("this.{}.tableName", property(table))),
        false => text(value),
    };
    Object::new().with("name", text(name)).with("value", value).into()
}
