//! Sending prepared writes: one request for one item, one transaction for several.

use sortkey_api::ErrorKind;
use sortkey_api::operations::*;
use sortkey_api::shapes::returns::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use sortkey_api::shapes::transaction::{ConditionCheck, Delete, Put, TransactWriteItem, Update};
use sortkey_diagnostics::a;
use sortkey_value::Item;

use super::refusal::{Refusal, cancelled, explain, refused};
use super::{Act, Answers, Test, Write};
use crate::condition::Condition;
use crate::evaluate::{Scope, hex};
use crate::session::{Session, failure};
use crate::{Failure, FailureKind};

/// DynamoDB's bound on a transaction.
const MAX_ITEMS: usize = 100;

/// Sends writes, all or none. A single one answers with the image that was asked for.
pub(crate) async fn send(
    session: &Session<'_>,
    scope: &Scope<'_>,
    writes: Vec<Write>,
    answers: Answers,
) -> Result<Option<Item>, Refusal> {
    let mut writes = merged(writes);
    let kept = match session.fence() {
        Some(fence) => fence.guard(scope, &mut writes)?,
        None => return send_all(session, scope, writes, answers).await,
    };
    let sent = send_all(session, scope, writes, answers).await?;
    session.keep(kept);
    Ok(sent)
}

async fn send_all(
    session: &Session<'_>,
    scope: &Scope<'_>,
    mut writes: Vec<Write>,
    answers: Answers,
) -> Result<Option<Item>, Refusal> {
    match writes.len() {
        0 => Ok(None),
        1 => match writes.pop() {
            Some(write) => send_one(session, scope, write, answers).await,
            None => Ok(None),
        },
        count if count > MAX_ITEMS => Err(Refusal::Failed(Failure::new(
            FailureKind::TooLarge,
            format!("a transaction of {count} items is above DynamoDB's {MAX_ITEMS}"),
        ))),
        _ => together(session, scope, writes).await.map(|()| None),
    }
}

/// Two moves of one guard become one: freed and taken in the same transaction, it changes hands. Two statements about one
/// item stay two, which is refused.
fn merged(writes: Vec<Write>) -> Vec<Write> {
    let is_guard = |write: &Write| write.demands.iter().any(|each| matches!(each.test, Test::Free(_)));
    let mut merged: Vec<Write> = Vec::with_capacity(writes.len());
    for write in writes {
        let is_twin = |each: &Write| each.key == write.key && each.entity == write.entity && is_guard(each);
        let twin = merged.iter().position(is_twin).filter(|_| is_guard(&write));
        match (twin, &write.act) {
            (Some(at), Act::Put(item)) if merged[at].act == Act::Delete => {
                merged[at].act = Act::Put(item.clone())
            }
            (Some(at), Act::Delete) if matches!(merged[at].act, Act::Put(_)) => {
                merged[at] = Write { act: merged[at].act.clone(), ..write };
            }
            _ => merged.push(write),
        }
    }
    merged
}

/// A condition that cannot hold: the item shows which demand it is.
async fn impossible(session: &Session<'_>, scope: &Scope<'_>, write: &Write) -> Result<Refusal, Failure> {
    let table = &scope.shared.entities[write.entity].table;
    let stored = session.get(table, write.key.clone(), true).await?;
    explain(scope, write, stored.as_ref())
}

fn condition(condition: Condition) -> Option<String> {
    match condition {
        Condition::Text(text) => Some(text),
        Condition::Always | Condition::Never => None,
    }
}

/// Sends one write, which answers with the image that was asked for.
async fn send_one(
    session: &Session<'_>,
    scope: &Scope<'_>,
    mut write: Write,
    answers: Answers,
) -> Result<Option<Item>, Refusal> {
    if write.condition == Condition::Never {
        return Err(impossible(session, scope, &write).await?);
    }
    let table_name = scope.shared.entities[write.entity].table.clone();
    // The parts of the request are moved out; the demands stay, to explain a refusal.
    let condition_expression = condition(std::mem::replace(&mut write.condition, Condition::Always));
    let (expression_attribute_names, expression_attribute_values) =
        std::mem::take(&mut write.placeholders).into_parts();
    let return_values_on_condition_check_failure = Some(ReturnValuesOnConditionCheckFailure::AllOld);
    let sent = match std::mem::replace(&mut write.act, Act::Check) {
        Act::Put(item) => session
            .put(PutItemInput {
                table_name,
                item: item.into(),
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
                ..PutItemInput::default()
            })
            .await
            .map(|_| None),
        Act::Update(expression) => session
            .update(UpdateItemInput {
                table_name,
                key: std::mem::take(&mut write.key).into(),
                update_expression: Some(expression),
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values: (answers == Answers::New).then_some(ReturnValue::AllNew),
                return_values_on_condition_check_failure,
                ..UpdateItemInput::default()
            })
            .await
            .map(|output| output.attributes),
        Act::Delete => session
            .delete(DeleteItemInput {
                table_name,
                key: std::mem::take(&mut write.key).into(),
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values: (answers == Answers::Old).then_some(ReturnValue::AllOld),
                return_values_on_condition_check_failure,
                ..DeleteItemInput::default()
            })
            .await
            .map(|output| output.attributes),
        Act::Check => {
            let stored = session.get(&table_name, std::mem::take(&mut write.key), true).await?;
            return match write.unmet(scope, stored.as_ref())? {
                None => Ok(stored),
                Some(_) => Err(explain(scope, &write, stored.as_ref())?),
            };
        }
    };
    match sent {
        Ok(image) => {
            session.wrote_something();
            Ok(image)
        }
        Err(error) => Err(refused(scope, &write, error)?),
    }
}

async fn together(session: &Session<'_>, scope: &Scope<'_>, mut writes: Vec<Write>) -> Result<(), Refusal> {
    for write in &writes {
        if write.condition == Condition::Never {
            return Err(impossible(session, scope, write).await?);
        }
    }
    if let Some(twice) = twice(scope, &writes) {
        return Err(Refusal::Failed(twice));
    }
    let items = writes.iter_mut().map(|write| item(scope, write)).collect();
    let input = TransactWriteItemsInput {
        transact_items: items,
        client_request_token: session.needs_tokens().then(|| token(scope)).transpose()?,
        ..TransactWriteItemsInput::default()
    };
    match session.transact(input).await {
        Ok(()) => {
            session.wrote_something();
            Ok(())
        }
        Err(error) if error.kind == ErrorKind::TransactionCanceledException => {
            Err(cancelled(scope, &writes, error)?)
        }
        Err(error) => Err(Refusal::Failed(failure(error))),
    }
}

/// A token lets a repeated request find that the first one happened.
fn token(scope: &Scope<'_>) -> Result<String, Failure> {
    let bits: Result<Vec<u64>, _> = (0..2).map(|_| scope.ids.next()).collect();
    let bits = bits.map_err(|error| Failure::internal(error.to_string()))?;
    Ok(hex(&bits.iter().flat_map(|part| part.to_be_bytes()).collect::<Vec<u8>>()))
}

/// DynamoDB takes one action per item: two statements that were given the same key cannot be one transaction.
fn twice(scope: &Scope<'_>, writes: &[Write]) -> Option<Failure> {
    let table = |write: &Write| &scope.shared.entities[write.entity].table;
    let same = |one: &Write, other: &Write| one.key == other.key && table(one) == table(other);
    let (at, write) =
        writes.iter().enumerate().find(|(at, write)| writes[..*at].iter().any(|each| same(each, write)))?;
    let first = writes[..at].iter().find(|each| same(each, write))?;
    let name = |write: &Write| &scope.shared.entities[write.entity].name;
    let which = match name(first) == name(write) {
        true => format!("the same {} twice", name(write)),
        false => format!("{} and {} with one key", a(name(first)), a(name(write))),
    };
    Some(Failure::new(FailureKind::Invalid, format!("this would write {which} in one transaction")))
}

/// The parts of the request are moved out of a write; its demands stay, to explain a refusal.
fn item(scope: &Scope<'_>, write: &mut Write) -> TransactWriteItem {
    let table_name = scope.shared.entities[write.entity].table.clone();
    let condition_expression = condition(std::mem::replace(&mut write.condition, Condition::Always));
    let (expression_attribute_names, expression_attribute_values) =
        std::mem::take(&mut write.placeholders).into_parts();
    let return_values_on_condition_check_failure = Some(ReturnValuesOnConditionCheckFailure::AllOld);
    let key = std::mem::take(&mut write.key).into();
    let mut item = TransactWriteItem::default();
    match std::mem::replace(&mut write.act, Act::Check) {
        Act::Put(content) => {
            item.put = Some(Put {
                item: content.into(),
                table_name,
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
        Act::Update(update_expression) => {
            item.update = Some(Update {
                key,
                update_expression,
                table_name,
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
        Act::Delete => {
            item.delete = Some(Delete {
                key,
                table_name,
                condition_expression,
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
        Act::Check => {
            item.condition_check = Some(ConditionCheck {
                key,
                table_name,
                condition_expression: condition_expression.unwrap_or_default(),
                expression_attribute_names,
                expression_attribute_values,
                return_values_on_condition_check_failure,
            });
        }
    }
    item
}
