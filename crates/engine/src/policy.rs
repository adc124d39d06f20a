//! Resource policies: JSON documents that are kept and versioned. They are checked for their form, and not
//! enforced.

use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::Published;

use crate::catalog;
use crate::engine::Shared;
use crate::resource::Resource;
use crate::table::{Policy, Table};

/// The largest policy document.
const MAX_BYTES: usize = 20 * 1024;

/// A policy with a new revision.
pub(crate) fn new(shared: &Shared, document: &str) -> Result<Policy, ApiError> {
    check(document)?;
    let revision = (u128::from(shared.random()) << 64 | u128::from(shared.random())) % 10u128.pow(20);
    Ok(Policy { document: document.to_owned(), revision: format!("{revision:020}") })
}

/// The table or stream that an ARN names.
pub(crate) fn resource(arn: &str) -> Result<Resource, ApiError> {
    Resource::parse(arn).ok_or_else(|| ApiError::validation(format!("Invalid ResourceArn: {arn}")))
}

/// The policy of a resource; an error if there is no such stream.
pub(crate) fn current(
    shared: &Shared,
    view: &Published,
    table: &Table,
    resource: &Resource,
) -> Result<Option<Policy>, ApiError> {
    let Some(label) = &resource.stream else { return Ok(table.policy.clone()) };
    let exists = catalog::streams(view)
        .any(|stream| stream.is_ok_and(|stream| *stream.table_name == *table.name && stream.label == *label));
    if !exists {
        let arn = shared.stream_arn(&table.name, label);
        let message = format!("Requested resource not found: Stream: {arn} not found");
        return Err(ApiError::new(ErrorKind::ResourceNotFoundException, message));
    }
    Ok(table.stream_policies.get(label).cloned())
}

/// Gives a resource a policy, or takes it away.
pub(crate) fn attach(table: &mut Table, resource: &Resource, policy: Option<Policy>) {
    match (&resource.stream, policy) {
        (None, policy) => table.policy = policy,
        (Some(label), Some(policy)) => drop(table.stream_policies.insert(label.clone(), policy)),
        (Some(label), None) => drop(table.stream_policies.remove(label)),
    }
}

/// Refuses a change that expects another revision; `NO_POLICY` expects that there is none.
pub(crate) fn check_revision(expected: Option<&str>, current: Option<&Policy>) -> Result<(), ApiError> {
    let fits = match (expected, current) {
        (None, _) | (Some("NO_POLICY"), None) => true,
        (Some(expected), Some(current)) => expected == current.revision,
        (Some(_), None) => false,
    };
    if fits {
        Ok(())
    } else {
        Err(not_found("Expected revision does not match the current revision of the policy"))
    }
}

/// Whether two policies say the same, whatever their white space.
pub(crate) fn is_same(one: &Policy, other: &Policy) -> bool {
    let parsed = |policy: &Policy| serde_json::from_str::<serde_json::Value>(&policy.document).ok();
    parsed(one) == parsed(other)
}

pub(crate) fn not_found(message: &str) -> ApiError {
    ApiError::new(ErrorKind::PolicyNotFoundException, message)
}

fn check(document: &str) -> Result<(), ApiError> {
    let invalid = |what: &str| Err(ApiError::validation(format!("Invalid policy document: {what}")));
    if document.len() > MAX_BYTES {
        return invalid("Policy document exceeds the maximum size of 20 KB");
    }
    let Ok(policy) = serde_json::from_str::<serde_json::Value>(document) else {
        return invalid("The policy is not in the valid JSON format");
    };
    let Some(policy) = policy.as_object() else { return invalid("The policy must be a JSON object") };
    let known = ["Version", "Id", "Statement"];
    if let Some(unknown) = policy.keys().find(|key| !known.contains(&key.as_str())) {
        return invalid(&format!("Unknown field {unknown}"));
    }
    if let Some(version) = policy.get("Version")
        && version != "2012-10-17"
        && version != "2008-10-17"
    {
        return invalid("The policy version must be 2012-10-17 or 2008-10-17");
    }
    match policy.get("Statement") {
        Some(serde_json::Value::Object(statement)) => check_statement(statement),
        Some(serde_json::Value::Array(statements)) if !statements.is_empty() => {
            statements.iter().try_for_each(|statement| match statement.as_object() {
                Some(statement) => check_statement(statement),
                None => invalid("A statement must be a JSON object"),
            })
        }
        _ => invalid("The policy must contain at least one statement"),
    }
}

fn check_statement(statement: &serde_json::Map<String, serde_json::Value>) -> Result<(), ApiError> {
    let invalid = |what: &str| Err(ApiError::validation(format!("Invalid policy document: {what}")));
    if !matches!(statement.get("Effect").and_then(|effect| effect.as_str()), Some("Allow" | "Deny")) {
        return invalid("The effect of a statement must be Allow or Deny");
    }
    for (name, opposite) in
        [("Principal", "NotPrincipal"), ("Action", "NotAction"), ("Resource", "NotResource")]
    {
        if statement.contains_key(name) == statement.contains_key(opposite) {
            return invalid(&format!("A statement must contain either {name} or {opposite}"));
        }
    }
    Ok(())
}
