//! Drift in words, as JSON, and as SARIF for tools that show findings beside code.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sortkey_diagnostics::Sources;

use super::{Difference, Drift};
use crate::header::VERSION;

/// Drift for people: a line for each difference.
pub fn drift_text(drift: &Drift) -> String {
    let mut text = String::new();
    for each in &drift.differences {
        let _ = writeln!(text, "{}", sentence(each));
    }
    for remark in &drift.remarks {
        let _ = writeln!(text, "note: {remark}");
    }
    text
}

/// Drift for machines.
pub fn drift_json(drift: &Drift, design: &str, stage: &str, endpoint: &str) -> Value {
    let differences: Vec<Value> = drift
        .differences
        .iter()
        .map(|each| {
            json!({
                "table": each.table, "designTable": each.design_name, "index": each.index, "what": each.what,
                "expected": each.expected, "found": each.found,
            })
        })
        .collect();
    json!({
        "design": design, "stage": stage, "endpoint": endpoint,
        "drift": differences, "remarks": drift.remarks,
    })
}

/// Drift as SARIF 2.1.0: each difference at the place of the setting in the design.
pub fn drift_sarif(drift: &Drift, sources: &Sources) -> Value {
    let results: Vec<Value> = drift
        .differences
        .iter()
        .map(|each| {
            let place = sources.position(each.span);
            let file = sources.get(each.span.file).map_or("", |source| source.name.as_str());
            json!({
                "ruleId": "drift",
                "level": "warning",
                "message": { "text": sentence(each) },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": file },
                    "region": { "startLine": place.line, "startColumn": place.column },
                } }],
            })
        })
        .collect();
    let rule = json!({
        "id": "drift",
        "shortDescription": { "text": "A deployed table differs from the design" },
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "sortkey", "version": VERSION, "rules": [rule] } },
            "results": results,
        }],
    })
}

fn sentence(each: &Difference) -> String {
    let place = match &each.index {
        Some(index) => format!("table \"{}\", index \"{index}\"", each.table),
        None => format!("table \"{}\"", each.table),
    };
    format!("{place}: {} is {}, expected {}", each.what, each.found, each.expected)
}
