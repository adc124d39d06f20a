//! The actions of an operation, flattened.

use sortkey_design::program::{Action, Operation, Statement, StatementKind, Value};

/// Every action of an operation in the order of the text, those of its handlers last.
pub fn actions(operation: &Operation) -> Vec<&Action> {
    let mut found = Vec::new();
    gather(&operation.body, &mut found);
    operation.handlers.iter().for_each(|(_, body)| gather(body, &mut found));
    found
}

/// The parser bounds how deep blocks nest, so this may recurse.
fn gather<'a>(body: &'a [Statement], found: &mut Vec<&'a Action>) {
    for statement in body {
        match &statement.kind {
            StatementKind::Let { value, .. }
            | StatementKind::Do(value)
            | StatementKind::Expect { value, .. } => {
                if let Value::Action(action) = value {
                    found.push(action);
                }
            }
            StatementKind::Transact(body)
            | StatementKind::Each { body, .. }
            | StatementKind::As { body, .. } => gather(body, found),
            StatementKind::Race { bodies, .. } => bodies.iter().for_each(|body| gather(body, found)),
            StatementKind::Require { .. }
            | StatementKind::Return(_)
            | StatementKind::Advance { .. }
            | StatementKind::Given { .. }
            | StatementKind::Did { .. }
            | StatementKind::Work => {}
        }
    }
}
