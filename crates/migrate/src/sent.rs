//! The outcome of a transaction of the copy.

use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput};
use sortkey_api::{Again, Cause, ErrorKind};
use sortkey_diagnostics::a;
use sortkey_value::{AttributeValue, Item};

use crate::copy::Copying;
use crate::effect::{Effect, Role};
use crate::hidden::{self, Origin};
use crate::pack::{Load, Pack};
use crate::place::Place;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::runner::fenced;
use crate::state::Walk;

/// How often an item that keeps changing is read again.
const ATTEMPTS: u32 = 100;

impl Copying {
    /// Sends a transaction; the loads that are to be carried over again come back. `reader` forgets what was written.
    pub(crate) async fn send<'r>(
        &'r self,
        mut pack: Pack<'r, '_>,
        walk: &mut Walk,
        unfit: &mut Vec<String>,
        reader: &Reader<'_>,
    ) -> Result<Vec<Load<'r>>, Refusal> {
        let backend = &self.runner.backend;
        let token = backend.token()?;
        let members = &pack.members;
        let input = || TransactWriteItemsInput {
            transact_items: members.iter().map(Effect::member).collect(),
            client_request_token: Some(token.clone()),
            ..TransactWriteItemsInput::default()
        };
        let error = match backend.ask_made::<TransactWriteItems>(&input).await {
            Ok(_) => {
                walk.copied += pack.loads.len() as u64;
                walk.units += pack.units;
                reader.forget(pack.written());
                return Ok(Vec::new());
            }
            Err(error) => error,
        };
        let reasons = error.reasons().map(<[_]>::to_vec).unwrap_or_default();
        if error.kind != ErrorKind::TransactionCanceledException || reasons.len() != pack.members.len() {
            return Err(error.into());
        }
        if reasons[0].cause() == Cause::Condition {
            return Err(fenced());
        }
        let is_hasty = error.again() == Again::Refused;
        walk.conflicts += u64::from(is_hasty);
        let mut there: Vec<usize> = Vec::new();
        let mut changed: Vec<usize> = Vec::new();
        for ((effect, owners), reason) in pack.members.iter().zip(&pack.owners).zip(&reasons).skip(1) {
            let first = owners.first().map(|at| &pack.loads[*at]);
            match (reason.cause(), &effect.role, first) {
                (Cause::None | Cause::Conflict | Cause::Throttled, ..) | (_, _, None) => {}
                (Cause::Condition, Role::Claimed(own), Some(load)) => {
                    if !is_own(own, reason.item.as_ref()) {
                        let stranger = reason.item.as_ref().and_then(hidden::origins).unwrap_or_default();
                        unfit.push(clash(load, &effect.place, &stranger));
                    }
                    there.extend(owners);
                }
                (Cause::Condition, Role::Guard(_, what), Some(load)) => {
                    unfit.push(format!(
                        "the {} at {} cannot be carried over: there is already {}",
                        load.info.name,
                        load.place(),
                        a(what)
                    ));
                    there.extend(owners);
                }
                (Cause::Condition, Role::Stale, _) => changed.extend(owners),
                (Cause::Fault(_), ..) => return Err(error.into()),
            }
        }
        if is_hasty {
            backend.rest().await;
        }
        let mut again = Vec::new();
        for (at, mut load) in std::mem::take(&mut pack.loads).into_iter().enumerate() {
            if there.contains(&at) {
                walk.there += 1;
                continue;
            }
            if changed.contains(&at) {
                walk.retried += 1;
                load.attempts += 1;
                let place = load.place();
                if load.attempts > ATTEMPTS {
                    return Err(Refusal::new(format!(
                        "the {} at {place} keeps changing: go on with fewer writes",
                        load.info.name
                    )));
                }
                match Reader::new(backend).get(&place).await? {
                    Some(item) => load.item = item,
                    None => continue,
                }
            }
            again.push(load);
        }
        Ok(again)
    }
}

fn is_own(own: &AttributeValue, there: Option<&Item>) -> bool {
    there.and_then(|item| item.get(hidden::FROM)).is_some_and(|from| from.to_owned() == *own)
}

fn clash(load: &Load<'_>, target: &Place, others: &[Origin]) -> String {
    let other = others.first().map_or_else(|| "no old item".to_owned(), |each| format!("{:?}", each.key));
    format!(
        "the {} at {} becomes {target}, which is made of {other} already: say how they combine with `merge`, or keep what \
         tells them apart in the key",
        load.info.name,
        load.place()
    )
}
