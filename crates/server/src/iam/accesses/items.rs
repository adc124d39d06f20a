//! Operations on items: what they read, write and return.

use sortkey_api::operations as op;
use sortkey_api::shapes::legacy::{ComparisonOperator, Condition as LegacyCondition};
use sortkey_api::shapes::returns::{ReturnConsumedCapacity, ReturnValue, Select};
use sortkey_api::{StringMap, SuppliedItem};

use super::{Access, Backend, Concerned, Reader};
use crate::iam::expressions::{Expressions, names, text_of};

impl<B: Backend> Reader<'_, B> {
    pub(super) fn get_item(&self, input: &op::GetItemInput) -> Access {
        let expressions = expressions!(input, projection: input.projection_expression.as_deref());
        Access {
            attributes: read_attributes(&expressions, input.attributes_to_get.as_deref(), None)
                .and(names(input.key.unchecked())),
            return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
            ..self.item(input.table_name.name(), &[&input.key])
        }
    }

    pub(super) fn put_item(&self, input: &op::PutItemInput) -> Access {
        let expressions = expressions!(input,
            values: input.expression_attribute_values.as_ref(),
            condition: input.condition_expression.as_deref());
        Access {
            return_values: returned(input.return_values.as_ref()),
            return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
            ..self.write(input.table_name.name(), &input.item, &expressions, keys(input.expected.as_ref()))
        }
        .showing(input.return_values_on_condition_check_failure.as_ref())
    }

    pub(super) fn update_item(&self, input: &op::UpdateItemInput) -> Access {
        let expressions = expressions!(input,
            values: input.expression_attribute_values.as_ref(),
            condition: input.condition_expression.as_deref(),
            update: input.update_expression.as_deref());
        let legacy = keys(input.expected.as_ref()).and(keys(input.attribute_updates.as_ref()));
        Access {
            return_values: returned(input.return_values.as_ref()),
            return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
            ..self.write(input.table_name.name(), &input.key, &expressions, legacy)
        }
        .showing(input.return_values_on_condition_check_failure.as_ref())
    }

    pub(super) fn delete_item(&self, input: &op::DeleteItemInput) -> Access {
        let expressions = expressions!(input,
            values: input.expression_attribute_values.as_ref(),
            condition: input.condition_expression.as_deref());
        Access {
            return_values: returned(input.return_values.as_ref()),
            return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
            ..self.write(input.table_name.name(), &input.key, &expressions, keys(input.expected.as_ref()))
        }
        .showing(input.return_values_on_condition_check_failure.as_ref())
    }

    /// A write of one item: what its expressions and the item itself name, and what the parameters from before expressions do.
    pub(super) fn write(
        &self,
        table: &str,
        item: &SuppliedItem,
        expressions: &Expressions<'_>,
        legacy: Concerned,
    ) -> Access {
        let attributes = expressions.attributes().and(names(item.unchecked())).and(legacy);
        Access { attributes, ..self.item(table, &[item]) }
    }

    pub(super) fn query(&self, input: &op::QueryInput) -> Access {
        let expressions = expressions!(input,
            values: input.expression_attribute_values.as_ref(),
            filter: input.filter_expression.as_deref(),
            key_condition: input.key_condition_expression.as_deref(),
            projection: input.projection_expression.as_deref());
        let (table, index) = (input.table_name.name(), input.index_name.as_deref());
        let leading_keys = match (self.backend.partition_key(self.fork, table, index), &input.key_conditions)
        {
            (None, _) => Concerned::Everything,
            (Some(partition), Some(conditions)) => legacy_key(conditions, &partition),
            (Some(partition), None) => expressions.leading_keys(&partition),
        };
        let legacy = keys(input.query_filter.as_ref()).and(keys(input.key_conditions.as_ref()));
        let (list, select) = (input.attributes_to_get.as_deref(), input.select.as_ref());
        Access {
            leading_keys,
            attributes: read_attributes(&expressions, list, select).and(legacy),
            select: select.map(|select| select.as_str().to_owned()),
            return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
            ..self.on_index(table, index)
        }
    }

    pub(super) fn scan(&self, input: &op::ScanInput) -> Access {
        let expressions = expressions!(input,
            values: input.expression_attribute_values.as_ref(),
            filter: input.filter_expression.as_deref(),
            projection: input.projection_expression.as_deref());
        let (list, select) = (input.attributes_to_get.as_deref(), input.select.as_ref());
        Access {
            leading_keys: Concerned::Everything,
            attributes: read_attributes(&expressions, list, select).and(keys(input.scan_filter.as_ref())),
            select: select.map(|select| select.as_str().to_owned()),
            return_consumed_capacity: capacity(input.return_consumed_capacity.as_ref()),
            ..self.on_index(input.table_name.name(), input.index_name.as_deref())
        }
    }
}

/// The attributes that a read returns or tests; everything by default.
pub(super) fn read_attributes(
    expressions: &Expressions<'_>,
    attributes_to_get: Option<&[String]>,
    select: Option<&Select>,
) -> Concerned {
    let named = expressions.attributes();
    match (expressions.projection, attributes_to_get, select) {
        (_, Some(list), _) => named.and(Concerned::These(list.to_vec())),
        (Some(_), None, _) | (None, None, Some(Select::Count)) => named,
        (None, None, _) => Concerned::Everything,
    }
}

pub(super) fn capacity(asked: Option<&ReturnConsumedCapacity>) -> Option<String> {
    asked.map(|asked| asked.as_str().to_owned())
}

fn returned(asked: Option<&ReturnValue>) -> Option<String> {
    asked.map(|asked| asked.as_str().to_owned())
}

/// The names in a parameter from before expressions.
fn keys<V>(map: Option<&StringMap<V>>) -> Concerned {
    map.map_or(Concerned::Nothing, |map| Concerned::These(map.keys().map(str::to_owned).collect()))
}

fn legacy_key(conditions: &StringMap<LegacyCondition>, partition: &str) -> Concerned {
    let fixed = conditions.get(partition).filter(|it| it.comparison_operator == ComparisonOperator::Eq);
    let values = fixed.and_then(|condition| condition.attribute_value_list.as_deref());
    let texts: Option<Vec<String>> =
        values.and_then(|values| values.iter().map(|value| value.checked().ok().and_then(text_of)).collect());
    texts.map_or(Concerned::Everything, Concerned::These)
}
