//! The result of a write on an item, computed here as DynamoDB computes it.

use sortkey_api::operations::{DeleteItemInput, PutItemInput, UpdateItemInput};
use sortkey_api::shapes::transaction::{ConditionCheck, Delete, Put, TransactWriteItem, Update};
use sortkey_api::{ApiError, SuppliedItem, TableName};
use sortkey_core::internals::EntityInfo;
use sortkey_expression::{ExpressionKind, Placeholders, parse_condition, parse_update};
use sortkey_value::Item;

use crate::place::Place;

/// The outcome of a write on the existing item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Its condition does not hold.
    Refused,
    /// The item becomes this; none if it goes.
    Becomes(Option<Item>),
}

/// One member of a transaction, whichever it is.
pub(crate) enum Member<'a> {
    Check(&'a ConditionCheck),
    Put(&'a Put),
    Delete(&'a Delete),
    Update(&'a Update),
}

impl<'a> Member<'a> {
    pub(crate) fn of(item: &'a TransactWriteItem) -> Option<Member<'a>> {
        match (&item.condition_check, &item.put, &item.delete, &item.update) {
            (Some(check), ..) => Some(Member::Check(check)),
            (_, Some(put), ..) => Some(Member::Put(put)),
            (_, _, Some(delete), _) => Some(Member::Delete(delete)),
            (.., Some(update)) => Some(Member::Update(update)),
            _ => None,
        }
    }

    pub(crate) fn table(&self) -> &TableName {
        match self {
            Member::Check(check) => &check.table_name,
            Member::Put(put) => &put.table_name,
            Member::Delete(delete) => &delete.table_name,
            Member::Update(update) => &update.table_name,
        }
    }

    /// The place of the item it writes, by the key of any entity of its table.
    pub(crate) fn place(&self, info: &EntityInfo) -> Result<Place, ApiError> {
        Ok(match self {
            Member::Check(check) => Place::at(info, check.key.checked()?.clone()),
            Member::Put(put) => Place::of(info, put.item.checked()?),
            Member::Delete(delete) => Place::at(info, delete.key.checked()?.clone()),
            Member::Update(update) => Place::at(info, update.key.checked()?.clone()),
        })
    }

    /// Its outcome on an item.
    pub(crate) fn outcome(&self, place: &Place, before: Option<&Item>) -> Result<Outcome, ApiError> {
        let holds = |text: Option<&String>, names: Option<&_>, values: Option<&SuppliedItem>| {
            let Some(text) = text else { return Ok(true) };
            let values = values.map(SuppliedItem::checked).transpose()?;
            let mut placeholders = Placeholders::new(names, values).map_err(invalid)?;
            let kind = ExpressionKind::Condition;
            let condition = parse_condition(text, kind)
                .map_err(invalid)?
                .bind(kind, &mut placeholders)
                .map_err(invalid)?;
            Ok::<bool, ApiError>(condition.matches(before))
        };
        match self {
            Member::Check(_) => Ok(Outcome::Becomes(before.cloned())),
            Member::Put(put) => {
                let names = put.expression_attribute_names.as_ref();
                match holds(
                    put.condition_expression.as_ref(),
                    names,
                    put.expression_attribute_values.as_ref(),
                )? {
                    true => Ok(Outcome::Becomes(Some(put.item.checked()?.clone()))),
                    false => Ok(Outcome::Refused),
                }
            }
            Member::Delete(delete) => {
                let names = delete.expression_attribute_names.as_ref();
                match holds(
                    delete.condition_expression.as_ref(),
                    names,
                    delete.expression_attribute_values.as_ref(),
                )? {
                    true => Ok(Outcome::Becomes(None)),
                    false => Ok(Outcome::Refused),
                }
            }
            Member::Update(update) => {
                let (names, values) =
                    (update.expression_attribute_names.as_ref(), update.expression_attribute_values.as_ref());
                if !holds(update.condition_expression.as_ref(), names, values)? {
                    return Ok(Outcome::Refused);
                }
                let values = values.map(SuppliedItem::checked).transpose()?;
                let mut placeholders = Placeholders::new(names, values).map_err(invalid)?;
                if update.update_expression.is_empty() {
                    return Ok(Outcome::Becomes(Some(before.cloned().unwrap_or_else(|| place.key.clone()))));
                }
                let parsed = parse_update(&update.update_expression).map_err(invalid)?;
                let parsed = parsed.bind(&mut placeholders).map_err(invalid)?;
                let after = parsed.apply(before, &place.key).map_err(invalid)?;
                Ok(Outcome::Becomes((before.is_some() || parsed.creates_item()).then_some(after)))
            }
        }
    }
}

fn invalid(error: impl ToString) -> ApiError {
    ApiError::validation(error.to_string())
}

/// Single writes as members of a transaction.
pub(crate) fn of_put(input: PutItemInput) -> TransactWriteItem {
    let put = Put {
        item: input.item,
        table_name: input.table_name,
        condition_expression: input.condition_expression,
        expression_attribute_names: input.expression_attribute_names,
        expression_attribute_values: input.expression_attribute_values,
        return_values_on_condition_check_failure: input.return_values_on_condition_check_failure,
    };
    TransactWriteItem { put: Some(put), ..TransactWriteItem::default() }
}

pub(crate) fn of_delete(input: DeleteItemInput) -> TransactWriteItem {
    let delete = Delete {
        key: input.key,
        table_name: input.table_name,
        condition_expression: input.condition_expression,
        expression_attribute_names: input.expression_attribute_names,
        expression_attribute_values: input.expression_attribute_values,
        return_values_on_condition_check_failure: input.return_values_on_condition_check_failure,
    };
    TransactWriteItem { delete: Some(delete), ..TransactWriteItem::default() }
}

pub(crate) fn of_update(input: UpdateItemInput) -> TransactWriteItem {
    let update = Update {
        key: input.key,
        update_expression: input.update_expression.unwrap_or_default(),
        table_name: input.table_name,
        condition_expression: input.condition_expression,
        expression_attribute_names: input.expression_attribute_names,
        expression_attribute_values: input.expression_attribute_values,
        return_values_on_condition_check_failure: input.return_values_on_condition_check_failure,
    };
    TransactWriteItem { update: Some(update), ..TransactWriteItem::default() }
}
