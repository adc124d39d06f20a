//! Transactions: all writes or none, as of one moment.
//!
//! A transaction tries its locks. If another transaction holds one of its keys, it is cancelled with
//! TransactionConflict, as on AWS; single writes wait instead, and so do transactions of a design that runs in the same
//! process, which would only be sent again. A request with a token that is in flight gets
//! TransactionInProgress; one that has happened is answered without happening again.

use std::collections::BTreeSet;
use std::sync::Arc;

use sortkey_api::{ApiError, CancellationReason, ErrorKind};
use sortkey_storage::{Batch, Key, Lock, Published};
use sortkey_value::Item;

use crate::engine::{Shared, outcome};
use crate::faults::FaultKind;
use crate::read::capacity::{Consistency, Cost};
use crate::read::consumed::Costs;
use crate::reply::Reply;
use crate::stream::Actor;
use crate::write::change::{Changes, ItemChange};
use crate::write::mutation::{Action, Mutation, Refusal};
use crate::write::token::Token;

/// One write of a transaction: what is done, or why it cannot be, and whether a failed condition shows the item.
pub(crate) struct Part {
    pub(crate) mutation: Result<Mutation, ApiError>,
    pub(crate) shows_item: bool,
}

/// The results of a transaction.
pub(crate) struct Committed {
    pub(crate) costs: Costs,
    pub(crate) replayed: bool,
}

/// The behaviour of a transaction that meets another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// It is cancelled.
    Conflicts,
    /// It waits until the other one has committed.
    Waits,
}

/// Runs the writes, all or none.
pub(crate) fn run<T: Send + 'static>(
    shared: &Arc<Shared>,
    operation: &'static str,
    parts: Vec<Part>,
    token: Option<Token>,
    meeting: Meeting,
    answer: impl FnOnce(Committed, &[Mutation]) -> T + Send + 'static,
) -> Result<Reply<T>, ApiError> {
    let (mutations, shows): (Vec<Mutation>, Vec<bool>) = mutations(parts)?;
    if mutations.iter().map(|mutation| &mutation.key).collect::<BTreeSet<_>>().len() < mutations.len() {
        return Err(ApiError::validation(
            "Transaction request cannot include multiple operations on one item",
        ));
    }
    let tables = mutations.iter().map(|mutation| &*mutation.table.name);
    if tables.into_iter().any(|table| shared.faults.strikes(FaultKind::Conflict, operation, table)) {
        let keys: Vec<Key> = mutations.into_iter().map(|mutation| mutation.key).collect();
        return Err(conflict(&keys, &keys));
    }
    let mut locks: Vec<Lock> = mutations.iter().flat_map(Mutation::locks).collect();
    locks.extend(token.as_ref().map(|token| Lock::exclusive(token.key())));
    let keys: Vec<Key> = mutations.iter().map(|mutation| mutation.key.clone()).collect();
    let token_key = token.as_ref().map(Token::key);
    let database = Arc::clone(shared);
    let prepare = move |view: &Published| {
        let result = prepare(&database, view, &mutations, &shows, token.as_ref());
        outcome(result.map(|(batch, committed)| (batch, answer(committed, &mutations))))
    };
    let tried = match meeting {
        Meeting::Conflicts => shared.committer.try_write(locks, prepare),
        Meeting::Waits => Ok(shared.committer.write_in_line(locks, prepare)),
    };
    match tried {
        Ok(ticket) => Ok(Reply::waiting(ticket)),
        Err(held) if token_key.is_some_and(|key| held.keys.contains(&key)) => Err(ApiError::new(
            ErrorKind::TransactionInProgressException,
            "Transaction with the same client request token is in progress",
        )),
        Err(held) => Err(conflict(&keys, &held.keys)),
    }
}

/// All mutations, or the cancellation that those which cannot be amount to.
fn mutations(parts: Vec<Part>) -> Result<(Vec<Mutation>, Vec<bool>), ApiError> {
    if parts.iter().any(|part| part.mutation.is_err()) {
        return Err(invalid(parts.iter().map(|part| part.mutation.as_ref().err())));
    }
    Ok(parts.into_iter().filter_map(|part| Some((part.mutation.ok()?, part.shows_item))).unzip())
}

/// The cancellation of a transaction with requests that cannot be. AWS stops at the first of them.
pub(crate) fn invalid<'a>(errors: impl Iterator<Item = Option<&'a ApiError>>) -> ApiError {
    let mut is_first = true;
    let reason = |error: Option<&ApiError>| match error.filter(|_| is_first) {
        Some(error) => {
            is_first = false;
            CancellationReason::new("ValidationError", error.message.clone())
        }
        None => CancellationReason::none(),
    };
    ApiError::transaction_canceled(errors.map(reason).collect())
}

fn prepare(
    shared: &Arc<Shared>,
    view: &Published,
    mutations: &[Mutation],
    shows: &[bool],
    token: Option<&Token>,
) -> Result<(Batch, Committed), ApiError> {
    let now_ms = shared.now_ms();
    if let Some(token) = token
        && token.is_used(view, now_ms)?
    {
        return Ok((Batch::new(), replay(view, mutations)?));
    }
    let mut evaluated = Vec::with_capacity(mutations.len());
    for mutation in mutations {
        let table = shared.catalog.table(view, &mutation.table.name)?;
        if table.id != mutation.table.id {
            return Err(ApiError::resource_not_found());
        }
        evaluated.push((table, mutation.evaluate(mutation.read(view)?)));
    }
    if evaluated.iter().any(|(_, result)| result.is_err()) {
        let reasons = evaluated.into_iter().zip(shows).map(|((_, result), show)| reason(result, *show));
        return Err(ApiError::transaction_canceled(reasons.collect()));
    }
    let mut changes = Changes::new(view);
    let mut committed = Committed { costs: Costs::default(), replayed: false };
    for ((table, result), mutation) in evaluated.into_iter().zip(mutations) {
        let Ok(change) = result else { continue };
        let cost = match mutation.action {
            // Charged on the image that was read.
            Action::Check => Cost::write(change.before.as_ref(), None),
            _ => changes.record(&table, &change, Actor::User)?,
        };
        committed.costs.add(&table.name, cost.in_transaction());
    }
    if let Some(token) = token {
        token.record(&mut changes.batch, now_ms);
    }
    Ok((changes.batch, committed))
}

/// A request that has happened already costs what reading its items costs.
fn replay(view: &Published, mutations: &[Mutation]) -> Result<Committed, ApiError> {
    let mut costs = Costs::default();
    for mutation in mutations {
        let size_bytes = mutation.read(view)?.as_ref().map_or(0, Item::size_bytes);
        let cost = Cost::table(Consistency::Transactional.read_units(size_bytes));
        costs.add(&mutation.table.name, cost);
    }
    Ok(Committed { costs, replayed: true })
}

fn reason(result: Result<ItemChange, Refusal>, show: bool) -> CancellationReason {
    match result {
        Ok(_) => CancellationReason::none(),
        Err(Refusal::Condition { found }) => {
            let reason = CancellationReason::new("ConditionalCheckFailed", "The conditional request failed");
            CancellationReason { item: found.filter(|_| show), ..reason }
        }
        Err(Refusal::Duplicate) => {
            CancellationReason::new("DuplicateItem", "Duplicate primary key exists in table")
        }
        Err(Refusal::Invalid(error)) => CancellationReason::new("ValidationError", error.message),
    }
}

fn conflict(keys: &[Key], held: &[Key]) -> ApiError {
    let reason = |key: &Key| match held.contains(key) {
        true => CancellationReason::new("TransactionConflict", "Transaction is ongoing for the item"),
        false => CancellationReason::none(),
    };
    ApiError::transaction_canceled(keys.iter().map(reason).collect())
}
