//! One write on its own, or those of a transaction, sent with the receipt that is due; and what they yield.

use sortkey_design::program::{Action, EntityId, LocalId};
use sortkey_plan::is_result_seen;
use sortkey_value::Item;

use super::Runner;
use super::refused::again_and_again;
use crate::Failure;
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::values::{Record, Val};
use crate::write::{self, ATTEMPTS, Answers, Prepared, Refusal};

/// The result of a transaction, as far as it is known before it is sent.
#[derive(Clone, Copy)]
pub(super) struct Expected<'e> {
    /// The place of the action whose result is that of the whole.
    pub(super) made: Option<usize>,
    /// The locals that are bound to results of the database.
    pub(super) open: &'e [LocalId],
}

impl Expected<'_> {
    /// That of the first action.
    pub(super) const FIRST: Expected<'static> = Expected { made: Some(0), open: &[] };
}

impl<'a> Runner<'_, 'a> {
    /// One action on its own.
    pub(crate) async fn perform(&self, scope: &mut Scope<'a>, action: &Action) -> Result<Val, Failure> {
        for attempt in 0..ATTEMPTS {
            scope.attempt = attempt;
            let prepared = write::prepare(self.session, scope, action).await;
            scope.attempt = 0;
            let mut prepared = prepared?;
            let note = self.note(scope, &mut prepared).await?;
            if scope.is_sweeping {
                self.sweep_prepared(scope, &mut prepared).await?;
            }
            let place = prepared.writes.first().map(|write| (write.entity, write.key.clone()));
            match self.send(scope, std::slice::from_mut(&mut prepared), Expected::FIRST).await {
                Ok(image) => {
                    self.carried_out(scope, &mut prepared, note.as_ref()).await?;
                    if image.is_none()
                        && let Some(stored) =
                            self.stored_now(scope, action, &prepared, place.as_ref()).await?
                    {
                        return Ok(stored);
                    }
                    return self.yielded(scope, place.map(|(at, _)| at), prepared, image);
                }
                Err(Refusal::Stale) => {}
                Err(Refusal::Failed(failure)) => {
                    self.refused(scope, &mut prepared, note.as_ref(), &failure).await?;
                    return Err(failure);
                }
            }
        }
        Err(again_and_again())
    }

    /// The item that a transaction stored, if the operation uses it and it was not known before.
    pub(super) async fn stored_now(
        &self,
        scope: &Scope<'_>,
        action: &Action,
        prepared: &Prepared,
        place: Option<&(EntityId, Item)>,
    ) -> Result<Option<Val>, Failure> {
        let is_seen = self.operation.is_none_or(|operation| is_result_seen(operation, action));
        let Some((at, key)) = place.filter(|_| is_seen && !prepared.is_exact) else { return Ok(None) };
        let info = &scope.shared.entities[*at];
        let Some(item) = self.session.get(&info.table, key.clone(), true).await? else { return Ok(None) };
        Ok(Some(stored_item(scope, info, prepared, &item)?))
    }

    fn yielded(
        &self,
        scope: &Scope<'_>,
        at: Option<EntityId>,
        prepared: Prepared,
        image: Option<Item>,
    ) -> Result<Val, Failure> {
        match (image, at) {
            (Some(image), Some(at)) if prepared.answers != Answers::Nothing => {
                let info = &scope.shared.entities[at];
                stored_item(scope, info, &prepared, &image)
            }
            _ => Ok(prepared.yields),
        }
    }

    /// Sends what is prepared, which gives its writes away, with the receipt if one is due.
    pub(super) async fn send(
        &self,
        scope: &Scope<'a>,
        prepared: &mut [Prepared],
        result: Expected<'_>,
    ) -> Result<Option<Item>, Refusal> {
        let mut writes: Vec<write::Write> = match &mut *prepared {
            [one] => std::mem::take(&mut one.writes),
            many => many.iter_mut().flat_map(|each| std::mem::take(&mut each.writes)).collect(),
        };
        let answers = prepared.first().map_or(Answers::Nothing, |each| each.answers);
        let due = self.receipt.lock().take();
        let mut noted = None;
        if let Some(receipt) = &due {
            let made = result.made.and_then(|at| prepared.get(at));
            let yields = made.map_or((&Val::Absent, true), |each| (&each.yields, each.is_exact));
            let (write, what) = receipt.write(self, scope, yields, result.open)?;
            writes.push(write);
            noted = Some(what);
        }
        let sent = write::send(self.session, scope, writes, answers).await;
        match &sent {
            Ok(_) if noted.is_some() => *self.noted.lock() = noted,
            Ok(_) => {}
            Err(_) => *self.receipt.lock() = due,
        }
        sent
    }
}

/// An item as it was stored, with what is computed of it and with the secrets that were made for it.
fn stored_item(
    scope: &Scope<'_>,
    info: &EntityInfo,
    prepared: &Prepared,
    item: &Item,
) -> Result<Val, Failure> {
    let mut fields = info.decode_leniently(scope, item);
    crate::read::add_virtual(scope, info, &mut fields)?;
    let shown =
        prepared.secrets.as_ref().map(|secrets| secrets.reveal(item, &mut fields)).unwrap_or_default();
    Ok(Val::Item(Box::new(Record { entity: info.at, fields, shown })))
}
