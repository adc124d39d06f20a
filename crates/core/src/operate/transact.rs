//! `transact { }`: every action prepared, then all of them sent together.

use futures_util::future::BoxFuture;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, LocalId, Statement, StatementKind, Value};

use super::Runner;
use super::perform::Expected;
use super::refused::again_and_again;
use crate::Failure;
use crate::evaluate::Scope;
use crate::values::Val;
use crate::write::{self, ATTEMPTS, Prepared, Refusal};

/// The writes of a block before they are sent.
#[derive(Default)]
struct Gathered<'a> {
    prepared: Vec<Prepared>,
    /// The action of each, and what its result is bound to.
    actions: Vec<(&'a Action, Option<LocalId>)>,
    /// The first item that the block makes, by its place: what it yields.
    made: Option<usize>,
}

impl<'a> Runner<'_, 'a> {
    /// Sends a block as one transaction. It yields the first item that it makes.
    pub(super) async fn transact(
        &self,
        scope: &mut Scope<'a>,
        body: &'a [Statement],
    ) -> Result<Val, Failure> {
        let before = scope.clone();
        for attempt in 0..ATTEMPTS {
            *scope = before.clone();
            let mut gathered = Gathered::default();
            self.gather(scope, body, attempt, &mut gathered).await?;
            let Gathered { mut prepared, actions, made } = gathered;
            let place = |each: &Prepared| each.writes.first().map(|write| (write.entity, write.key.clone()));
            let places: Vec<_> = prepared.iter().map(place).collect();
            let mut notes = Vec::with_capacity(prepared.len());
            for each in &mut prepared {
                notes.push(self.note(scope, each).await?);
            }
            let open: Vec<LocalId> = actions
                .iter()
                .zip(&prepared)
                .filter(|(_, each)| !each.is_exact)
                .filter_map(|((_, local), _)| *local)
                .collect();
            match self.send(scope, &mut prepared, Expected { made, open: &open }).await {
                Ok(_) => {
                    for (each, note) in prepared.iter_mut().zip(&notes) {
                        self.carried_out(scope, each, note.as_ref()).await?;
                    }
                    for (at, (action, local)) in actions.into_iter().enumerate() {
                        let stored =
                            self.stored_now(scope, action, &prepared[at], places[at].as_ref()).await?;
                        let Some(stored) = stored else { continue };
                        if let Some(local) = local {
                            scope.set(local, stored.clone());
                        }
                        prepared[at].yields = stored;
                    }
                    return Ok(made.map(|at| prepared.swap_remove(at).yields).unwrap_or_default());
                }
                Err(Refusal::Stale) => {}
                Err(Refusal::Failed(failure)) => {
                    for (each, note) in prepared.iter_mut().zip(&notes) {
                        self.refused(scope, each, note.as_ref(), &failure).await?;
                    }
                    return Err(failure);
                }
            }
        }
        Err(again_and_again())
    }

    /// Prepares the actions of a block; those of an `each` once per element, in the same transaction. The parser bounds
    /// how deep blocks nest.
    fn gather<'f>(
        &'f self,
        scope: &'f mut Scope<'a>,
        body: &'a [Statement],
        attempt: usize,
        into: &'f mut Gathered<'a>,
    ) -> BoxFuture<'f, Result<(), Failure>> {
        Box::pin(async move {
            for statement in body {
                match &statement.kind {
                    StatementKind::Let { local, value: Value::Action(action), .. } => {
                        self.add(scope, Some(*local), action, attempt, into).await?;
                    }
                    StatementKind::Do(Value::Action(action)) => {
                        self.add(scope, None, action, attempt, into).await?;
                    }
                    StatementKind::Each { local, list, body } => {
                        let list = self.value(scope, list, None).await?;
                        for element in list.members().unwrap_or_default() {
                            scope.set(*local, element.clone());
                            self.gather(scope, body, attempt, into).await?;
                        }
                    }
                    _ => {
                        self.block(scope, std::slice::from_ref(statement)).await?;
                    }
                }
            }
            Ok(())
        })
    }

    async fn add(
        &self,
        scope: &mut Scope<'a>,
        local: Option<LocalId>,
        action: &'a Action,
        attempt: usize,
        into: &mut Gathered<'a>,
    ) -> Result<(), Failure> {
        if let Some(when) = &action.when
            && !self.truth(scope, when, None).await?
        {
            return Ok(());
        }
        if action.verb == WriteVerb::Get {
            let found = self.get(scope, action).await?;
            hold(scope, local, found);
            return Ok(());
        }
        scope.attempt = attempt;
        let next = write::prepare(self.session, scope, action).await;
        scope.attempt = 0;
        let next = next?;
        hold(scope, local, next.yields.clone());
        let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        if makes && into.made.is_none() {
            into.made = Some(into.prepared.len());
        }
        into.actions.push((action, local));
        into.prepared.push(next);
        Ok(())
    }
}

/// Keeps the result of an action in hand: bound, or for `->`.
fn hold(scope: &mut Scope<'_>, local: Option<LocalId>, value: Val) {
    match (local, value) {
        (Some(local), value) => scope.set(local, value),
        (None, Val::Item(record)) => scope.refer(record.entity, record.fields),
        (None, _) => {}
    }
}
