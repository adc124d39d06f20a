//! PutItem. AWS checks, in this order: what goes together, the values of the item, ReturnValues, the size, the
//! condition, the table, the keys.

use std::sync::Arc;

use sortkey_api::{ApiError, OperationId, TableName};
use sortkey_api::operations::{PutItem, PutItemInput, PutItemOutput};
use sortkey_api::shapes::returns::ReturnValue;
use sortkey_expression::ExpressionKind;
use sortkey_value::limits::ITEM_SIZE_BYTES;

use super::Run;
use crate::engine::Shared;
use crate::read::expressions::Expressions;
use crate::write::mutation::Mutation;
use crate::reply::Reply;
use crate::write::single_write::{self, Wants};
use crate::read::legacy;
use crate::text;

impl Run for PutItem {
    fn run(shared: &Arc<Shared>, input: PutItemInput) -> Result<Reply<PutItemOutput>, ApiError> {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            expressions: vec![(ExpressionKind::Condition, input.condition_expression.as_deref())],
            legacy: vec![
                ("Expected", input.expected.is_some()),
                ("ConditionalOperator", input.conditional_operator.is_some()),
            ],
        };
        expressions.check()?;
        let wording = shared.settings.wording;
        let item = input.item.checked().map_err(|error| wording.of_item_value(error))?;
        let returns_old = match &input.return_values {
            None | Some(ReturnValue::None) => false,
            Some(ReturnValue::AllOld) => true,
            Some(_) => return Err(ApiError::validation("ReturnValues can only be ALL_OLD or NONE")),
        };
        if item.size_bytes() > ITEM_SIZE_BYTES {
            return Err(text::item_too_large());
        }
        let bound =
            expressions.bind(&shared.expressions).map_err(|error| wording.of_single_write(error))?;
        let condition = legacy::expected(input.expected.as_ref(), input.conditional_operator.as_ref())?
            .or(bound.condition);
        shared.throttle(input.table_name.name(), OperationId::PutItem)?;
        let table = shared.catalog.table(&shared.committer.view(), input.table_name.name())?;
        let mutation = Mutation::put(&table, item, condition)?;
        let wants = Wants {
            capacity: input.return_consumed_capacity,
            metrics: input.return_item_collection_metrics,
            on_failure: input.return_values_on_condition_check_failure,
        };
        Ok(single_write::run(shared, mutation, wants, move |written| PutItemOutput {
            attributes: written.change.before.filter(|_| returns_old),
            consumed_capacity: written.capacity,
            item_collection_metrics: written.metrics,
        }))
    }

    fn table(input: &PutItemInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
