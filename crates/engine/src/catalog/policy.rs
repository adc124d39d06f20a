//! Resource policies: JSON documents that are kept and versioned. The engine checks their form; the server in front of it
//! enforces them.

use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::Published;

use crate::catalog;
use crate::catalog::resource::Resource;
use crate::catalog::table::{Policy, Table};
use crate::engine::Shared;

/// The largest policy document.
const MAX_BYTES: usize = 20 * 1024;

/// A policy with a new revision, which is larger than the one before it.
pub(crate) fn new(shared: &Shared, document: &str, before: Option<&Policy>) -> Result<Policy, ApiError> {
    check(document)?;
    let before = before.and_then(|policy| policy.revision.parse::<u128>().ok());
    let revision = u128::from(shared.now_ms()).max(before.map_or(0, |before| before + 1));
    Ok(Policy { document: document.to_owned(), revision: revision.to_string() })
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

/// Rejects a change that expects another revision; `NO_POLICY` expects that there is none.
pub(crate) fn check_revision(
    table: &str,
    expected: Option<&str>,
    current: Option<&Policy>,
) -> Result<(), ApiError> {
    let current = current.map(|policy| policy.revision.as_str());
    match (expected, current) {
        (None, _) | (Some("NO_POLICY"), None) => Ok(()),
        (expected, current) if expected == current => Ok(()),
        (Some("NO_POLICY"), Some(current)) => Err(not_found(&format!(
            "Requested policy update expecting none to be present for table {table}, but a policy exists with \
             revision id {current}."
        ))),
        (Some(expected), Some(current)) => Err(not_found(&format!(
            "Requested update for policy with revision id {expected}, but the policy associated to target table \
             {table} has revision id {current}."
        ))),
        (Some(expected), None) => Err(not_found(&format!(
            "Requested update for policy with revision id {expected}, but no policy is associated to target table \
             {table}."
        ))),
    }
}

/// Whether two policies are equal except for white space.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let parsed = |document: &str| serde_json::from_str::<serde_json::Value>(document).ok();
    parsed(one) == parsed(other)
}

/// The error for a policy that does not exist, or not in the expected revision.
pub(crate) fn not_found(what: &str) -> ApiError {
    let message = format!("Resource-based policy not found for the provided ResourceArn: {what}");
    ApiError::new(ErrorKind::PolicyNotFoundException, message)
}

/// Rejects a document that is not a policy.
pub(crate) fn check(document: &str) -> Result<(), ApiError> {
    let invalid =
        |what: &str| Err(ApiError::invalid_parameter(format_args!("Invalid policy document: {what}")));
    if document.len() > MAX_BYTES {
        return Err(ApiError::invalid_parameter(format_args!(
            "Maximum policy size of {MAX_BYTES} bytes exceeded"
        )));
    }
    let Ok(policy) = serde_json::from_str::<serde_json::Value>(document) else {
        return invalid("This policy contains invalid Json");
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
    let invalid =
        |what: &str| Err(ApiError::invalid_parameter(format_args!("Invalid policy document: {what}")));
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
