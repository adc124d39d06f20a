//! `operation x = create E` with nothing else to it: the arguments are the item, so that no statement has to find them in
//! a scope, and the item that is stored is the answer.

use sortkey_design::Program;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, Arena, EntityId, Operation, Statement, StatementKind, Value};
use sortkey_value::Item;

use super::refused::again_and_again;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::Fields;
use crate::write::{self, ATTEMPTS, Refusal};
use crate::{Failure, catalog::EntityInfo};

/// The entity that an operation creates an item of, if that is all it does. An operation that takes more than one write,
/// checks more, or answers with more than the stored item is carried out statement by statement.
pub(crate) fn created(
    program: &Program,
    entities: &Arena<EntityId, EntityInfo>,
    operation: &Operation,
) -> Option<EntityId> {
    let id = action(operation)?.entity;
    let anatomy = &entities[id].anatomy;
    let is_plain = operation.signature.parameters.iter().all(|each| !each.declared)
        && operation.requires.is_none()
        && operation.idempotent.is_none()
        && operation.handlers.is_empty()
        && program.entities[id].uniques.is_empty()
        && anatomy.is_open
        && !anatomy.has_arrows;
    is_plain.then_some(id)
}

/// The only action of an operation, if it is a bare `create`.
fn action(operation: &Operation) -> Option<&Action> {
    let [Statement { kind: StatementKind::Do(Value::Action(action)), .. }] = operation.body.as_slice() else {
        return None;
    };
    let is_bare = action.verb == WriteVerb::Create
        && action.key.is_none()
        && action.when.is_none()
        && action.condition.is_none()
        && action.fields.is_empty()
        && action.spreads.is_empty();
    is_bare.then_some(action)
}

/// Creates the item that the arguments, which have been admitted, describe.
pub(super) async fn create(
    session: &Session<'_>,
    scope: &Scope<'_>,
    id: EntityId,
    operation: &Operation,
    mut arguments: Fields,
) -> Result<Item, Failure> {
    let info = &scope.shared.entities[id];
    let Some(action) = action(operation) else {
        return Err(Failure::internal(format!("`{}` is more than a create", operation.name)));
    };
    arguments.retain(|_, value| !value.is_absent());
    let (_, item) = write::new_item(scope, info, arguments)?;
    for _ in 0..ATTEMPTS {
        match write::store_new(session, scope, info, action, item.clone()).await {
            Ok(()) => return Ok(item),
            Err(Refusal::Stale) => {}
            Err(Refusal::Failed(failure)) => return Err(failure),
        }
    }
    Err(again_and_again())
}
