//! `requires`: what a caller needs, asked before the request where the arguments suffice, otherwise of what was read.

use sortkey_design::model::*;

use super::Runner;
use crate::evaluate::{Scope, View};
use crate::read::{Found, Hit, Read, key_of, live};
use crate::write::key_fields;
use crate::{Failure, FailureKind};

impl<'a> Runner<'_, 'a> {
    /// Before a pattern reads.
    pub(super) async fn before_read(&self, scope: &mut Scope<'a>, read: &'a Read) -> Result<(), Failure> {
        let Some(requires) = read.pattern.requires.as_ref().filter(|_| scope.caller.is_some()) else {
            return Ok(());
        };
        match self.speaks_of_item(scope, requires, read.entities[0]) {
            true => Ok(()),
            false => self.demand(scope, requires, None).await,
        }
    }

    /// After a pattern read: for every item it found.
    pub(super) async fn after_read(
        &self,
        scope: &mut Scope<'a>,
        read: &'a Read,
        found: &Found,
    ) -> Result<(), Failure> {
        let Some(requires) = read.pattern.requires.as_ref().filter(|_| scope.caller.is_some()) else {
            return Ok(());
        };
        if !self.speaks_of_item(scope, requires, read.entities[0]) {
            return Ok(());
        }
        let items: &[Hit] = match found {
            Found::Item(item) => item.as_slice(),
            Found::Items { items, .. } => items,
            // Nothing of an item is told.
            Found::Count(_) | Found::Exists(_) | Found::Sums(_) => &[],
        };
        for item in items {
            self.demand(scope, requires, Some(item.view())).await?;
        }
        Ok(())
    }

    /// Before an operation writes. Names that are no parameters are attributes of the item it writes.
    pub(super) async fn before_operation(
        &self,
        scope: &mut Scope<'a>,
        operation: &'a Operation,
    ) -> Result<(), Failure> {
        let Some(requires) = operation.requires.as_ref().filter(|_| scope.caller.is_some()) else {
            return Ok(());
        };
        let action = operation.body.iter().find_map(|statement| match &statement.kind {
            StmtKind::Do { value: Value::Action(action) }
            | StmtKind::Let { value: Value::Action(action), .. } => Some(action),
            _ => None,
        });
        let Some(action) = action else { return self.demand(scope, requires, None).await };
        let at = scope.shared.entity_at(&action.entity.text)?;
        let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put);
        if makes || !self.speaks_of_item(scope, requires, at) {
            return self.demand(scope, requires, None).await;
        }
        let info = &scope.shared.entities[at];
        let known = key_fields(scope, info, action.key.as_ref(), None)?;
        let item = match key_of(scope, info, &known) {
            Some(key) => self.session.get(&info.table, key, true).await?,
            None => None,
        };
        let found = match item {
            Some(item) => live(scope, info, item)?,
            None => None,
        };
        match &found {
            Some(found) => self.demand(scope, requires, Some(found.view())).await,
            None => Err(Failure::new(FailureKind::NotFound, format!("there is no such {}", info.name))),
        }
    }

    async fn demand(
        &self,
        scope: &mut Scope<'a>,
        requires: &Expr,
        view: Option<View<'_>>,
    ) -> Result<(), Failure> {
        match self.truth(scope, requires, view).await? {
            true => Ok(()),
            false => Err(Failure::new(FailureKind::Forbidden, "the caller may not do this")),
        }
    }

    /// Whether names are used that only the item can answer.
    fn speaks_of_item(&self, scope: &Scope<'a>, requires: &Expr, entity: usize) -> bool {
        let entity = &scope.shared.design.entities[entity];
        requires.names().into_iter().any(|name| !scope.has(name) && entity.attribute(name).is_some())
    }
}
