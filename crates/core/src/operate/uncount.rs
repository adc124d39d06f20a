//! A child that goes with its parent is taken off the numbers that count it, in one transaction.

use sortkey_design::model::{FieldOp, WriteVerb};
use sortkey_design::program::{Action, Expr, ExprKind, Field, Id, LocalId, Path};
use sortkey_value::{Item, Number};

use super::Runner;
use super::cascade::{CHILD, Cascade, action};
use super::perform::Expected;
use super::refused::again_and_again;
use crate::evaluate::Scope;
use crate::read::key_of;
use crate::values::{Fields as Values, Val};
use crate::write::{self, ATTEMPTS, Prepared, Refusal};
use crate::{Failure, FailureKind};

impl<'a> Runner<'_, 'a> {
    /// The updates that take the child, which the scope holds, off everything that counts it; `parent` goes itself.
    pub(super) fn counters(
        &self,
        scope: &mut Scope<'a>,
        cascade: &Cascade,
        parent: Option<&Item>,
    ) -> Result<Vec<Action>, Failure> {
        let mut found: Vec<(Item, Action)> = Vec::new();
        let child = scope.spread(LocalId::new(CHILD)).cloned().unwrap_or_default();
        for count in &cascade.counts {
            let info = &scope.shared.entities[count.entity];
            let entity = info.of(&scope.shared.program);
            let (own, target) = count.reference;
            let refers = scope.shared.entities[cascade.child].name_of(own);
            let mut known = Values::new();
            for id in &info.keys {
                let name = info.name_of(*id);
                let from = if *id == target { refers } else { name };
                if let Some(value) = child.get(from) {
                    known.insert(name.clone(), value.clone());
                }
            }
            // The child refers to nothing.
            let Some(key) = key_of(scope, info, &known) else { continue };
            let key = Item::from(key);
            if cascade.parent == count.entity && parent == Some(&key) {
                continue;
            }
            let attribute = &entity.attributes[count.attribute];
            let one = ExprKind::Number(Number::from(1));
            let field = Field {
                path: Path { attribute: count.attribute, inside: Vec::new(), ty: attribute.ty.clone() },
                element: None,
                op: FieldOp::Subtract,
                value: Expr { kind: one, ..Expr::default() },
            };
            match found.iter_mut().find(|(other, _)| *other == key) {
                Some((_, action)) => action.fields.push(field),
                None => {
                    let local = LocalId::new(CHILD + 1 + found.len());
                    scope.set(local, Val::Map(known));
                    let update = action(WriteVerb::Update, count.entity, local);
                    found.push((key, Action { fields: vec![field], ..update }));
                }
            }
        }
        Ok(found.into_iter().map(|(_, action)| action).collect())
    }

    /// Deletes a child together with the updates of its counters; false if one of them is not there or has nothing left to
    /// count down: the child then goes alone.
    pub(super) async fn uncount(
        &self,
        scope: &mut Scope<'a>,
        delete: &Action,
        counters: &[Action],
    ) -> Result<bool, Failure> {
        for attempt in 0..ATTEMPTS {
            let mut prepared: Vec<Prepared> = Vec::with_capacity(1 + counters.len());
            for action in std::iter::once(delete).chain(counters) {
                scope.attempt = attempt;
                let next = write::prepare(self.session, scope, action).await;
                scope.attempt = 0;
                match next {
                    Ok(next) => prepared.push(next),
                    Err(failure) if is_without_counter(&failure) => return Ok(false),
                    Err(failure) => return Err(failure),
                }
            }
            self.sweep_prepared(scope, &mut prepared[0]).await?;
            match self.send(scope, &mut prepared, Expected::FIRST).await {
                Ok(_) => {
                    self.sweep_prepared(scope, &mut prepared[0]).await?;
                    return Ok(true);
                }
                Err(Refusal::Stale) => {}
                Err(Refusal::Failed(failure)) if is_without_counter(&failure) => return Ok(false),
                Err(Refusal::Failed(failure)) => return Err(failure),
            }
        }
        Err(again_and_again())
    }
}

fn is_without_counter(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::NotFound | FailureKind::CheckFailed)
}
