//! The alarms of a table: throttles of the table and of every index, system errors, the age of unread stream records.
//!
//! DynamoDB reports throttle events per table and per index, system errors only per operation, and the age of stream
//! records not at all: that is a metric of the Lambda function that reads them.

use crate::model::Table;

/// An alarm.
pub(crate) struct Alarm {
    /// Its name, unique in a region.
    pub(crate) name: String,
    /// The part of the name that distinguishes it from the other alarms of its table.
    pub(crate) suffix: String,
    pub(crate) description: String,
    pub(crate) threshold: u64,
    pub(crate) metric: Metric,
}

/// The measured quantity.
pub(crate) enum Metric {
    One {
        namespace: &'static str,
        name: &'static str,
        statistic: &'static str,
        dimensions: Vec<(String, String)>,
    },
    /// The sum over operations of a metric that has no value for the table as a whole.
    SumOverOperations { name: &'static str, operations: &'static [&'static str] },
}

/// The operations on items: as many metrics as an alarm may add up.
const OPERATIONS: &[&str] = &[
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
];

/// The alarms of a table, those of the table first.
pub(crate) fn alarms(table: &Table) -> Vec<Alarm> {
    let mut found = Vec::new();
    if let Some(threshold) = table.alarms.throttles {
        let indexes = table.global.iter().map(|index| Some(index.name.as_str()));
        for index in std::iter::once(None).chain(indexes) {
            found.push(throttles(table, index, "ReadThrottleEvents", "read-throttles", threshold));
            found.push(throttles(table, index, "WriteThrottleEvents", "write-throttles", threshold));
        }
    }
    if let Some(threshold) = table.alarms.system_errors {
        found.push(Alarm {
            name: format!("{}-system-errors", table.name),
            suffix: "system-errors".to_owned(),
            description: format!("DynamoDB failed to answer requests to table {}", table.name),
            threshold,
            metric: Metric::SumOverOperations { name: "SystemErrors", operations: OPERATIONS },
        });
    }
    let readers = table.alarms.consumers.iter().filter(|_| table.stream.is_some());
    if let Some(threshold) = table.alarms.iterator_age_ms {
        found.extend(readers.map(|function| iterator_age(table, function, threshold)));
    }
    found
}

fn throttles(table: &Table, index: Option<&str>, metric: &'static str, word: &str, threshold: u64) -> Alarm {
    let mut dimensions = vec![("TableName".to_owned(), table.name.clone())];
    let suffix = match index {
        Some(index) => format!("{index}-{word}"),
        None => word.to_owned(),
    };
    let place = match index {
        Some(index) => {
            dimensions.push(("GlobalSecondaryIndexName".to_owned(), index.to_owned()));
            format!("index {index} of table {}", table.name)
        }
        None => format!("table {}", table.name),
    };
    Alarm {
        name: format!("{}-{suffix}", table.name),
        suffix,
        description: format!(
            "{} of {place}",
            if word.starts_with("read") { "Throttled reads" } else { "Throttled writes" }
        ),
        threshold,
        metric: Metric::One { namespace: "AWS/DynamoDB", name: metric, statistic: "Sum", dimensions },
    }
}

fn iterator_age(table: &Table, function: &str, threshold: u64) -> Alarm {
    let suffix = format!("{function}-iterator-age");
    Alarm {
        name: format!("{}-{suffix}", table.name),
        suffix,
        description: format!("Function {function} is behind the stream of table {}", table.name),
        threshold,
        metric: Metric::One {
            namespace: "AWS/Lambda",
            name: "IteratorAge",
            statistic: "Maximum",
            dimensions: vec![("FunctionName".to_owned(), function.to_owned())],
        },
    }
}
