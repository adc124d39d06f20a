//! Batches, which are authorised per table, and transactions, which are authorised per item.

use sortkey_api::operations as op;
use sortkey_api::shapes::batch::{KeysAndAttributes, WriteRequest};
use sortkey_api::shapes::transaction::{TransactGetItem, TransactWriteItem};
use sortkey_api::{SuppliedItem, TableName};

use super::items::{capacity, read_attributes};
use super::{Access, Backend, Concerned, Reader};
use crate::iam::expressions::{Expressions, names};

impl<B: Backend> Reader<'_, B> {
    pub(super) fn batch_get(&self, input: &op::BatchGetItemInput) -> Vec<Access> {
        let of_table = |(name, asked): (&str, &KeysAndAttributes)| {
            let expressions = expressions!(asked, projection: asked.projection_expression.as_deref());
            let key_names = asked.keys.iter().map(|key| names(key.unchecked()));
            let read = read_attributes(&expressions, asked.attributes_to_get.as_deref(), None);
            Access {
                attributes: key_names.fold(read, Concerned::and),
                return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
                ..self.item(TableName::name_of(name), &asked.keys.iter().collect::<Vec<_>>())
            }
        };
        input.request_items.iter().map(of_table).collect()
    }

    pub(super) fn batch_write(&self, input: &op::BatchWriteItemInput) -> Vec<Access> {
        let of_table = |(name, writes): (&str, &Vec<WriteRequest>)| {
            let items: Vec<&SuppliedItem> = writes
                .iter()
                .flat_map(|write| {
                    let put = write.put_request.as_ref().map(|put| &put.item);
                    put.into_iter().chain(write.delete_request.as_ref().map(|delete| &delete.key))
                })
                .collect();
            let attributes = items.iter().map(|item| names(item.unchecked()));
            Access {
                attributes: attributes.fold(Concerned::Nothing, Concerned::and),
                return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
                ..self.item(TableName::name_of(name), &items)
            }
        };
        input.request_items.iter().map(of_table).collect()
    }

    pub(super) fn transact_get(&self, input: &op::TransactGetItemsInput) -> Vec<Access> {
        let of_item = |item: &TransactGetItem| {
            let get = &item.get;
            let expressions = expressions!(get, projection: get.projection_expression.as_deref());
            Access {
                action: "dynamodb:GetItem",
                attributes: read_attributes(&expressions, None, None).and(names(get.key.unchecked())),
                enclosing: Some("TransactGetItems"),
                ..self.item(get.table_name.name(), &[&get.key])
            }
        };
        input.transact_items.iter().map(of_item).collect()
    }

    pub(super) fn transact_write(&self, input: &op::TransactWriteItemsInput) -> Vec<Access> {
        input.transact_items.iter().flat_map(|item| self.transact_write_item(item)).collect()
    }

    /// The actions of one entry of a transaction. More than one is an error, which the backend answers.
    fn transact_write_item(&self, item: &TransactWriteItem) -> impl Iterator<Item = Access> {
        let write = |action, table: &TableName, item: &SuppliedItem, expressions: Expressions<'_>| Access {
            action,
            enclosing: Some("TransactWriteItems"),
            ..self.write(table.name(), item, &expressions, Concerned::Nothing)
        };
        let check = item.condition_check.as_ref().map(|check| {
            let expressions = expressions!(check,
                values: check.expression_attribute_values.as_ref(),
                condition: Some(&check.condition_expression));
            write("dynamodb:ConditionCheckItem", &check.table_name, &check.key, expressions)
                .showing(check.return_values_on_condition_check_failure.as_ref())
        });
        let put = item.put.as_ref().map(|put| {
            let expressions = expressions!(put,
                values: put.expression_attribute_values.as_ref(),
                condition: put.condition_expression.as_deref());
            write("dynamodb:PutItem", &put.table_name, &put.item, expressions)
                .showing(put.return_values_on_condition_check_failure.as_ref())
        });
        let delete = item.delete.as_ref().map(|delete| {
            let expressions = expressions!(delete,
                values: delete.expression_attribute_values.as_ref(),
                condition: delete.condition_expression.as_deref());
            write("dynamodb:DeleteItem", &delete.table_name, &delete.key, expressions)
                .showing(delete.return_values_on_condition_check_failure.as_ref())
        });
        let update = item.update.as_ref().map(|update| {
            let expressions = expressions!(update,
                values: update.expression_attribute_values.as_ref(),
                condition: update.condition_expression.as_deref(),
                update: Some(&update.update_expression));
            write("dynamodb:UpdateItem", &update.table_name, &update.key, expressions)
                .showing(update.return_values_on_condition_check_failure.as_ref())
        });
        [check, put, delete, update].into_iter().flatten()
    }
}
