//! Actions in words: what is done, to which entity, on which conditions.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, Operation, Program};

use super::Deed;

/// `update Note if exists, not deleted`
pub(super) fn action(program: &Program, operation: &Operation, action: &Action, deed: &Deed) -> String {
    let entity = &program.entities[action.entity];
    let mut conditions: Vec<&str> = match action.verb {
        WriteVerb::Create => vec!["not exists"],
        WriteVerb::Update | WriteVerb::Delete | WriteVerb::Purge => vec!["exists"],
        _ => Vec::new(),
    };
    let expires = program.table_of(action.entity).is_some_and(|table| table.ttl.is_some());
    if matches!(action.verb, WriteVerb::Update | WriteVerb::Delete | WriteVerb::Check) {
        conditions.extend(entity.deleted.as_ref().map(|_| "not deleted"));
        conditions.extend(expires.then_some("not expired"));
        // A tenant that is part of the key needs no condition.
        let beside_key = entity.tenant.filter(|tenant| !entity.key_attributes.contains(&tenant.attribute));
        conditions.extend(beside_key.filter(|_| !operation.system).map(|_| "of the caller's tenant"));
    }
    let given = deed.change.given();
    let sets_state = entity.states.iter().any(|states| given.contains(states.path.attribute));
    conditions.extend((sets_state && action.verb == WriteVerb::Update).then_some("allowed transition"));
    conditions.extend(action.condition.as_ref().map(|_| "its own condition"));
    let conditions =
        if conditions.is_empty() { String::new() } else { format!(" if {}", conditions.join(", ")) };
    let maybe = if action.when.is_some() { " (not always)" } else { "" };
    format!("{} {}{conditions}{maybe}", action.verb.as_str(), entity.name)
}
