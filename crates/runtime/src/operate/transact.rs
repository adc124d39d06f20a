//! `transact { }`: every action prepared, then all of them sent together.

use futures_util::future::BoxFuture;
use sortkey_design::model::*;

use super::cascade::Children;
use super::{Runner, again_and_again};
use crate::Failure;
use crate::evaluate::Scope;
use crate::values::Val;
use crate::write::{self, ATTEMPTS, Prepared, Refusal};

/// What a block comes to before it is sent.
#[derive(Default)]
struct Gathered<'a> {
    prepared: Vec<Prepared>,
    /// The action of each, and the name of its result.
    actions: Vec<(&'a Action, Option<&'a Name>)>,
    /// The first item that the block makes, by its place: what it yields.
    made: Option<usize>,
}

impl<'a> Runner<'_, 'a> {
    /// Sends a block as one transaction. It yields the first item that it makes.
    pub(super) async fn transact(&self, scope: &mut Scope<'a>, body: &'a [Stmt]) -> Result<Val, Failure> {
        let before = scope.clone();
        for attempt in 0..ATTEMPTS {
            *scope = before.clone();
            let mut gathered = Gathered::default();
            self.gather(scope, body, attempt, &mut gathered).await?;
            let Gathered { mut prepared, actions, made } = gathered;
            let place = |each: &Prepared| each.writes.first().map(|write| (write.entity, write.key.clone()));
            let places: Vec<_> = prepared.iter().map(place).collect();
            let foreseen = self.foresee(scope, &prepared.iter().collect::<Vec<_>>()).await;
            let children = match foreseen {
                Ok(children) => children,
                Err(Refusal::Stale) => continue,
                Err(Refusal::Failed(failure)) => return Err(failure),
            };
            for each in &prepared {
                self.sweep(scope, each, children).await?;
            }
            match self.send(scope, &mut prepared).await {
                Ok(_) => {
                    for each in &prepared {
                        self.sweep(scope, each, Children::All).await?;
                    }
                    for (at, (action, name)) in actions.into_iter().enumerate() {
                        let stored =
                            self.stored_now(scope, action, &prepared[at], places[at].as_ref()).await?;
                        let Some(stored) = stored else { continue };
                        if let Some(name) = name {
                            scope.set(name.text.as_str(), stored.clone());
                        }
                        prepared[at].yields = stored;
                    }
                    return Ok(made.map(|at| prepared.swap_remove(at).yields).unwrap_or_default());
                }
                Err(Refusal::Stale) => {}
                Err(Refusal::Failed(failure)) => return Err(failure),
            }
        }
        Err(again_and_again())
    }

    /// Prepares the actions of a block; those of an `each` once per element, in the same transaction. The parser bounds
    /// how deep blocks nest.
    fn gather<'f>(
        &'f self,
        scope: &'f mut Scope<'a>,
        body: &'a [Stmt],
        attempt: usize,
        into: &'f mut Gathered<'a>,
    ) -> BoxFuture<'f, Result<(), Failure>> {
        Box::pin(async move {
            for statement in body {
                match &statement.kind {
                    StmtKind::Let { name, value: Value::Action(action), .. } => {
                        self.add(scope, Some(name), action, attempt, into).await?;
                    }
                    StmtKind::Do { value: Value::Action(action) } => {
                        self.add(scope, None, action, attempt, into).await?;
                    }
                    StmtKind::Each { name, list, body } => {
                        let list = self.value(scope, list, None).await?;
                        for element in list.members().unwrap_or_default() {
                            scope.set(name.text.as_str(), element.clone());
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
        name: Option<&'a Name>,
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
            scope.set(name.map_or("", |name| name.text.as_str()), found);
            return Ok(());
        }
        scope.attempt = attempt;
        let next = write::prepare(self.session, scope, action, None).await;
        scope.attempt = 0;
        let next = next?;
        if let Some(name) = name {
            scope.set(name.text.as_str(), next.yields.clone());
        } else if let Val::Item(record) = &next.yields {
            scope.refer(record.entity, record.fields.clone());
        }
        let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        if makes && into.made.is_none() {
            into.made = Some(into.prepared.len());
        }
        into.actions.push((action, name));
        into.prepared.push(next);
        Ok(())
    }
}
