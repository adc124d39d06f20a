//! Actions in words: what is done, to which entity, on which conditions.

use crate::facts::{key_attributes, settable};
use crate::model::*;

/// `update Note if exists, not deleted`
pub(super) fn action(design: &Design, operation: &Operation, entity: &Entity, action: &Action) -> String {
    let mut conditions: Vec<&str> = match action.verb {
        WriteVerb::Create => vec!["not exists"],
        WriteVerb::Update | WriteVerb::Delete | WriteVerb::Purge => vec!["exists"],
        _ => Vec::new(),
    };
    let expires = design.table_of(entity).is_some_and(|table| table.ttl.is_some());
    if matches!(action.verb, WriteVerb::Update | WriteVerb::Delete | WriteVerb::Check) {
        conditions.extend(entity.deleted.as_ref().map(|_| "not deleted"));
        conditions.extend(expires.then_some("not expired"));
        // What the key already says needs no condition.
        let keyed = |tenant: &&Name| !key_attributes(design, entity).contains(&tenant.text.as_str());
        let tenant = entity.tenant.as_ref().filter(|_| !operation.system).filter(keyed);
        conditions.extend(tenant.map(|_| "of the caller's tenant"));
    }
    let changed = settable(design, operation, action);
    let sets_state = entity
        .states
        .iter()
        .any(|states| states.path.first().is_some_and(|name| changed.contains(&name.text.as_str())));
    conditions.extend((sets_state && action.verb == WriteVerb::Update).then_some("allowed transition"));
    conditions.extend(action.condition.as_ref().map(|_| "its own condition"));
    let conditions =
        if conditions.is_empty() { String::new() } else { format!(" if {}", conditions.join(", ")) };
    let maybe = if action.when.is_some() { " (not always)" } else { "" };
    format!("{} {}{conditions}{maybe}", action.verb.as_str(), entity.name)
}
