//! Checks for AWS's limits, made before anything is deployed.

use crate::model::{Deployment, Encryption, Table};
use crate::problem::Problem;

/// DynamoDB's quotas of one table.
const GLOBAL_INDEXES: usize = 20;
const LOCAL_INDEXES: usize = 5;
const TAGS: usize = 50;

pub(super) fn check(deployment: &Deployment, problems: &mut Vec<Problem>) {
    if deployment.tables.is_empty() {
        let problem = Problem::new(format!("the design `{}` has no tables", deployment.design));
        problems.push(problem.hint("there is nothing to deploy until it has one"));
    }
    for (at, table) in deployment.tables.iter().enumerate() {
        counts(table, problems);
        replication(deployment, table, problems);
        stream_alarms(deployment, table, problems);
        if let Some(other) = deployment.tables[..at].iter().find(|other| other.name == table.name) {
            problems.push(Problem::new(format!(
                "tables `{}` and `{}` would both be called \"{}\"",
                other.design_name, table.design_name, table.name
            )));
        }
    }
}

fn counts(table: &Table, problems: &mut Vec<Problem>) {
    for (what, count, most) in [
        ("global secondary indexes", table.global.len(), GLOBAL_INDEXES),
        ("local secondary indexes", table.local.len(), LOCAL_INDEXES),
        ("tags", table.tags.len(), TAGS),
    ] {
        if count > most {
            let sentence =
                format!("table `{}` has {count} {what}; DynamoDB allows {most}", table.design_name);
            problems.push(Problem::new(sentence));
        }
    }
}

fn replication(deployment: &Deployment, table: &Table, problems: &mut Vec<Problem>) {
    if table.replicas.is_empty() {
        return;
    }
    let section = format!("[stages.{}]", deployment.stage);
    if deployment.region.is_none() {
        let problem = Problem::new(format!(
            "table `{}` has replicas, but its own region is not known",
            table.design_name
        ));
        problems.push(problem.hint(format!("add `region` to {section}")));
    }
    for (at, replica) in table.replicas.iter().enumerate() {
        if table.replicas[..at].iter().any(|other| other.region == replica.region) {
            let what =
                format!("table `{}` names the replica region {} twice", table.design_name, replica.region);
            problems.push(Problem::new(what));
        }
        // A key lives in one region, so a replica needs one of its own.
        if matches!(table.encryption, Encryption::Customer(_)) && replica.kms_key.is_none() {
            let what = format!(
                "table `{}` is encrypted with a customer's key, but its replica in {} has none",
                table.design_name, replica.region
            );
            let hint = format!("add it to `kms_keys` of {section}: {} = \"arn:aws:kms:...\"", replica.region);
            problems.push(Problem::new(what).hint(hint));
        }
    }
}

/// The age of a stream's records is a metric of the function that reads it.
fn stream_alarms(deployment: &Deployment, table: &Table, problems: &mut Vec<Problem>) {
    let alarms = &table.alarms;
    let section = format!("[stages.{}.tables.{}.alarms]", deployment.stage, table.design_name);
    if !alarms.consumers.is_empty() && table.stream.is_none() {
        let what = format!("{section} names consumers, but table `{}` has no stream", table.design_name);
        problems.push(Problem::new(what).hint("add `stream new_and_old_images` to the table in the design"));
    }
    if !alarms.consumers.is_empty() && alarms.iterator_age_ms.is_none() {
        let what = format!("{section} names consumers, but no `iterator_age_ms`");
        problems.push(Problem::new(what).hint("add iterator_age_ms = 60000"));
    }
}
