//! A child that goes with its parent is taken off the numbers that count it, in one transaction.

use sortkey_design::model::*;
use sortkey_value::Item;

use super::cascade::{Cascade, Children};
use super::{Runner, again_and_again};
use crate::evaluate::Scope;
use crate::read::key_of;
use crate::values::{Fields as Values, Val};
use crate::write::{self, ATTEMPTS, Prepared, Refusal};
use crate::{Failure, FailureKind};

impl<'a> Runner<'_, 'a> {
    /// The updates that take the child, which the scope calls `child`, off everything that counts it; `parent` goes itself.
    pub(super) fn counters(
        &self,
        scope: &mut Scope<'a>,
        cascade: &Cascade,
        parent: Option<&Item>,
    ) -> Result<Vec<Action>, Failure> {
        let mut found: Vec<(Item, Action)> = Vec::new();
        let child = scope.get("child").and_then(Val::fields).cloned().unwrap_or_default();
        for count in &cascade.counts {
            let info = &scope.shared.entities[count.entity];
            let entity = info.of(&scope.shared.design);
            let (own, target) = &count.reference;
            let mut known = Values::new();
            for name in &info.keys {
                let from = if name == target { own } else { name };
                if let Some(value) = child.get(from) {
                    known.insert(name.as_str(), value.clone());
                }
            }
            // The child refers to nothing.
            let Some(key) = key_of(scope, info, &known) else { continue };
            let key = Item::from(key);
            if cascade.parent == count.entity && parent == Some(&key) {
                continue;
            }
            let span = entity.span;
            let one = Expr { kind: ExprKind::Number { digits: "1".to_owned(), unit: String::new() }, span };
            let field = Field {
                path: vec![Name::new(count.attribute.as_str(), span)],
                op: FieldOp::Subtract,
                value: one,
                index: None,
                span,
            };
            match found.iter_mut().find(|(other, _)| *other == key) {
                Some((_, action)) => action.fields.fields.push(field),
                None => {
                    let name = format!("counter {}", found.len());
                    scope.set(name.as_str(), Val::Map(known));
                    let key_args = Args { spreads: vec![Name::new(name, span)], ..Args::default() };
                    let fields = Fields { fields: vec![field], ..Fields::default() };
                    let action = Action {
                        verb: WriteVerb::Update,
                        entity: entity.name.clone(),
                        key: Some(key_args),
                        fields,
                        ..Action::default()
                    };
                    found.push((key, action));
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
                let next = write::prepare(self.session, scope, action, None).await;
                scope.attempt = 0;
                match next {
                    Ok(next) => prepared.push(next),
                    Err(failure) if is_without_counter(&failure) => return Ok(false),
                    Err(failure) => return Err(failure),
                }
            }
            self.sweep(scope, &prepared[0], Children::All).await?;
            match self.send(scope, &mut prepared).await {
                Ok(_) => {
                    self.sweep(scope, &prepared[0], Children::All).await?;
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
