//! Writes of one design as transactions that write both.
//!
//! The items that a write changes are read first, with strong consistency. The result of the write is computed here, so
//! that both images are known; then everything is stored in one transaction, on condition that none of its inputs has
//! changed. If one has, everything is computed again. A writer gets the answer that the write alone would have got.

use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput};
use sortkey_api::shapes::capacity::ConsumedCapacity;
use sortkey_api::shapes::returns::ReturnConsumedCapacity;
use sortkey_api::shapes::transaction::TransactWriteItem;
use sortkey_api::{Again, ApiError, CancellationReason, Cause, ErrorDetails, ErrorKind, Refused};
use sortkey_core::{Failure, FailureKind};
use sortkey_value::Item;

use crate::effect::{Act, Effect, Role, taken};
use crate::forward::{Change, Manner, collision};
use crate::hidden;
use crate::image::{Member, Outcome};
use crate::mapper::{Mapper, Unmapped};
use crate::place::Place;
use crate::plan::Side;
use crate::reader::Reader;
use crate::same;
use crate::steady::Steady;

/// DynamoDB's bound on a transaction.
pub(crate) const MAX_ITEMS: usize = 100;
/// How often a write is computed again because something was changed meanwhile.
const ATTEMPTS: u32 = 24;

/// The result of a write.
#[derive(Debug)]
pub(crate) struct Written {
    /// For every member, the item before and after, where the migration concerns it.
    pub(crate) images: Vec<Option<(Option<Item>, Option<Item>)>>,
    pub(crate) consumed: Option<Vec<ConsumedCapacity>>,
}

/// Writes members of one side together with what they mean for the other.
pub(crate) struct Mirror<'m> {
    pub(crate) mapper: Mapper<'m>,
    pub(crate) backend: &'m Steady,
    pub(crate) side: Side,
    /// How new items follow old ones.
    pub(crate) manner: Manner,
}

/// A transaction that is ready, or known to be refused.
enum Draft {
    /// Nothing of it concerns the migration.
    Foreign,
    Ready {
        members: Vec<TransactWriteItem>,
        effects: Vec<Effect>,
        images: Vec<Option<(Option<Item>, Option<Item>)>>,
    },
    /// The condition of a member does not hold for the item that was read: sent so that it cannot succeed.
    Refused { members: Vec<TransactWriteItem>, read: Vec<Option<Option<Item>>> },
}

impl<'m> Mirror<'m> {
    /// Carries out members of a transaction. `remember` is called with each request before it is sent.
    pub(crate) async fn write(
        &self,
        members: &[TransactWriteItem],
        returned: Option<ReturnConsumedCapacity>,
        mut remember: impl FnMut(&TransactWriteItemsInput),
    ) -> Result<Written, ApiError> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.backend.wait(5 << attempt.min(6)).await;
            }
            let draft = match self.draft(members).await {
                Ok(draft) => draft,
                Err(Unmapped::Backend(error)) => return Err(error),
                Err(Unmapped::Unfit(failure)) => return Err(refused(&failure)),
            };
            let (all, effects, images, read) = match draft {
                Draft::Foreign => (members.to_vec(), Vec::new(), vec![None; members.len()], None),
                Draft::Ready { members, effects, images } => (members, effects, images, None),
                Draft::Refused { members, read } => (members, Vec::new(), Vec::new(), Some(read)),
            };
            let mut transact_items = all;
            transact_items.extend(effects.iter().map(Effect::member));
            if transact_items.len() > MAX_ITEMS {
                return Err(too_large(members.len(), transact_items.len()));
            }
            let input = TransactWriteItemsInput {
                transact_items,
                client_request_token: Some(self.backend.token()?),
                return_consumed_capacity: returned.clone(),
                ..TransactWriteItemsInput::default()
            };
            remember(&input);
            match self.backend.ask::<TransactWriteItems>(input).await {
                Ok(output) => return Ok(Written { images, consumed: output.consumed_capacity }),
                Err(error) => match self.judge(error, members.len(), &effects, &images, read.as_deref())? {
                    Judged::Again => {}
                    Judged::Final(error) => return Err(error),
                },
            }
        }
        Err(ApiError::transaction_conflict())
    }

    /// The members as they are sent, and what accompanies them.
    async fn draft(&self, members: &[TransactWriteItem]) -> Result<Draft, Unmapped> {
        let plan = self.mapper.plan;
        let reader = Reader::new(self.backend);
        let parsed: Vec<Option<(Member<'_>, Place)>> = members
            .iter()
            .map(|member| {
                let member = Member::of(member)?;
                let table = member.table().name().to_owned();
                let info = plan.entities(self.side).find(|info| info.table.name() == table)?;
                let place = member.place(info).ok()?;
                (!sortkey_core::internals::is_reserved(&place.key, &info.partition))
                    .then_some((member, place))
            })
            .collect();
        let is_write = |member: &Member<'_>| !matches!(member, Member::Check(_));
        let written = parsed.iter().flatten().filter(|(member, _)| is_write(member));
        let places: Vec<Place> = written.map(|(_, place)| place.clone()).collect();
        if places.is_empty() {
            return Ok(Draft::Foreign);
        }
        reader.fetch(&places).await?;
        let mut sent = members.to_vec();
        let mut images: Vec<Option<(Option<Item>, Option<Item>)>> = vec![None; members.len()];
        let mut read: Vec<Option<Option<Item>>> = vec![None; members.len()];
        let mut changes: Vec<Change<'m>> = Vec::new();
        let mut is_refused = false;
        for (at, parsed) in parsed.iter().enumerate() {
            let Some((member, place)) = parsed.as_ref().filter(|(member, _)| is_write(member)) else {
                continue;
            };
            let before = reader.get(place).await?;
            read[at] = Some(before.clone());
            let after = match member.outcome(place, before.as_ref())? {
                Outcome::Refused => {
                    impossible(&mut sent[at], place);
                    is_refused = true;
                    continue;
                }
                Outcome::Becomes(after) => after,
            };
            let owner = |item: &Option<Item>| {
                item.as_ref().and_then(|item| plan.owner(self.side, &place.table, item))
            };
            let Some(info) = owner(&after).or_else(|| owner(&before)) else { continue };
            images[at] = Some((before.clone(), after.clone()));
            changes.push(Change { info, place: place.clone(), before, after });
        }
        if is_refused {
            return Ok(Draft::Refused { members: sent, read });
        }
        let mirrored = match self.side {
            Side::Old => self.mapper.forward(&reader, &changes, self.manner, None).await?,
            Side::New => self.mapper.backward(&reader, &changes).await?,
        };
        for (at, parsed) in parsed.iter().enumerate() {
            let (Some((_, place)), Some((before, after))) = (parsed, &mut images[at]) else { continue };
            if let Some((_, image)) = mirrored.images.iter().find(|(each, _)| each == place) {
                *after = Some(image.clone());
            }
            let act = after.clone().map_or(Act::Delete, Act::Put);
            let condition = same::unchanged(place, before.as_ref(), plan.universe(&place.table));
            sent[at] = Effect::new(place.clone(), act, condition).member();
        }
        let effects = unique_effects(mirrored.effects, &parsed)?;
        Ok(Draft::Ready { members: sent, effects, images })
    }

    /// Interprets an error of the transaction for the write.
    fn judge(
        &self,
        error: ApiError,
        own: usize,
        effects: &[Effect],
        images: &[Option<(Option<Item>, Option<Item>)>],
        read: Option<&[Option<Option<Item>>]>,
    ) -> Result<Judged, ApiError> {
        if error.kind != ErrorKind::TransactionCanceledException {
            return Ok(Judged::Final(error));
        }
        let Some(reasons) = error.reasons().map(<[CancellationReason]>::to_vec) else {
            return Ok(Judged::Final(error));
        };
        for (effect, reason) in effects.iter().zip(reasons.iter().skip(own)) {
            if reason.cause() == Cause::Condition {
                if let Some(failure) = self.claimed(effect, reason.item.as_ref()) {
                    return Err(refused(&failure));
                }
                return Ok(Judged::Again);
            }
        }
        // A member that was computed from an older item.
        for (at, reason) in reasons.iter().take(own).enumerate() {
            if reason.cause() != Cause::Condition {
                continue;
            }
            let is_stale = match read {
                // Without an item there is nothing to compare: the condition did not hold when it was evaluated.
                Some(read) => {
                    reason.item.is_some()
                        && read[at].as_ref().is_some_and(|known| reason.item.as_ref() != known.as_ref())
                }
                None => images.get(at).is_some_and(Option::is_some),
            };
            if is_stale {
                return Ok(Judged::Again);
            }
        }
        if error.again() == Again::Refused {
            return Ok(Judged::Again);
        }
        let reasons = reasons.into_iter().take(own).collect();
        Ok(Judged::Final(ApiError::transaction_canceled(reasons)))
    }

    /// The refusal of a place or a value that belongs to another item; none if it was only changed meanwhile.
    fn claimed(&self, effect: &Effect, there: Option<&Item>) -> Option<Failure> {
        let there = there?;
        match &effect.role {
            Role::Stale => None,
            Role::Claimed(own) => {
                let is_own = there.get(hidden::FROM).is_some_and(|from| from.to_owned() == *own);
                // In a table of both designs it may be an item of the old one.
                let info = self.mapper.plan.owner(Side::New, &effect.place.table, there);
                let name = info.map_or("item", |info| &info.name);
                let stranger = hidden::origins(there).and_then(|all| all.into_iter().next());
                (!is_own).then(|| {
                    collision(name, &effect.place, &stranger.map(|each| each.key).unwrap_or_default())
                })
            }
            Role::Guard(_, what) => Some(taken(what)),
        }
    }
}

enum Judged {
    Again,
    Final(ApiError),
}

/// Effects without repetitions, and without those that a member of the write itself has.
pub(crate) fn unique_effects(
    effects: Vec<Effect>,
    members: &[Option<(Member<'_>, Place)>],
) -> Result<Vec<Effect>, Failure> {
    let mut unique: Vec<Effect> = Vec::new();
    for effect in effects {
        if members.iter().flatten().any(|(_, place)| *place == effect.place) {
            continue;
        }
        match unique.iter_mut().find(|each| each.place == effect.place) {
            None => unique.push(effect),
            // A check of what is written anyway, or a guard that changes hands: it is still its former owner's.
            Some(there) => match (&there.act, &effect.act) {
                (_, Act::Check) => {}
                (Act::Delete, Act::Put(_)) => {
                    *there = Effect { condition: there.condition.clone(), ..effect };
                }
                (Act::Check | Act::Delete, _) => *there = effect,
                (Act::Put(_), Act::Delete) => there.condition = effect.condition,
                (Act::Put(one), Act::Put(other)) if one == other => {}
                _ => {
                    let message = format!("two writes of one transaction meet at {}", effect.place);
                    return Err(Failure::new(FailureKind::Conflict, message));
                }
            },
        }
    }
    Ok(unique)
}

/// Makes a member fail in any case: a write that was found to be refused must not happen if the item changes meanwhile.
fn impossible(member: &mut TransactWriteItem, place: &Place) {
    let part = place.any_part().to_owned();
    let never = |condition: &mut Option<String>,
                 names: &mut Option<std::collections::BTreeMap<String, String>>| {
        let alias = "#sortkeyNever";
        names.get_or_insert_default().insert(alias.to_owned(), part.clone());
        let never = format!("attribute_exists({alias}) AND attribute_not_exists({alias})");
        *condition = Some(match condition.take() {
            Some(text) => format!("({text}) AND {never}"),
            None => never,
        });
    };
    if let Some(put) = &mut member.put {
        never(&mut put.condition_expression, &mut put.expression_attribute_names);
    } else if let Some(delete) = &mut member.delete {
        never(&mut delete.condition_expression, &mut delete.expression_attribute_names);
    } else if let Some(update) = &mut member.update {
        never(&mut update.condition_expression, &mut update.expression_attribute_names);
    }
}

/// A write that the other design cannot follow. What is stored and cannot be read is no fault of the writer.
fn refused(failure: &Failure) -> ApiError {
    let why = match failure.kind {
        FailureKind::AlreadyExists | FailureKind::Conflict => Some(Refused::Taken),
        FailureKind::TooLarge => Some(Refused::TooLarge),
        FailureKind::Unreadable | FailureKind::Internal => None,
        _ => Some(Refused::Unfit),
    };
    let error = ApiError::validation(format!("refused while a migration is under way: {}", failure.message));
    match why {
        Some(why) => error.with_details(ErrorDetails::Refused(why)),
        None => error,
    }
}

fn too_large(own: usize, all: usize) -> ApiError {
    ApiError::validation(format!(
        "a transaction of {own} items writes {all} while a migration is under way, above DynamoDB's {MAX_ITEMS}: write fewer \
         items at once until it is finished"
    ))
    .with_details(ErrorDetails::Refused(Refused::TooLarge))
}
