//! UpdateItem: by an expression or by the older AttributeUpdates; creates the item if it is not there.

use std::sync::Arc;

use sortkey_api::{ApiError, OperationId, TableName};
use sortkey_api::operations::{UpdateItem, UpdateItemInput, UpdateItemOutput};
use sortkey_expression::ExpressionKind;

use super::Run;
use crate::engine::Shared;
use crate::read::expressions::Expressions;
use crate::write::images::Images;
use crate::read::legacy;
use crate::write::mutation::{Action, Mutation};
use crate::reply::Reply;
use crate::write::single_write::{self, Wants};

impl Run for UpdateItem {
    fn run(shared: &Arc<Shared>, input: UpdateItemInput) -> Result<Reply<UpdateItemOutput>, ApiError> {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            expressions: vec![
                (ExpressionKind::Update, input.update_expression.as_deref()),
                (ExpressionKind::Condition, input.condition_expression.as_deref()),
            ],
            legacy: vec![
                ("AttributeUpdates", input.attribute_updates.is_some()),
                ("Expected", input.expected.is_some()),
                ("ConditionalOperator", input.conditional_operator.is_some()),
            ],
        };
        expressions.check()?;
        let key = input.key.checked()?;
        let legacy_update = legacy::attribute_updates(input.attribute_updates.as_ref())?;
        let legacy_condition = legacy::expected(input.expected.as_ref(), input.conditional_operator.as_ref())?;
        let wording = shared.settings.wording;
        let bound = expressions.bind(&shared.expressions).map_err(|error| wording.of_single_write(error))?;
        let update = legacy_update.or(bound.update).unwrap_or_default();
        let condition = legacy_condition.or(bound.condition);
        shared.throttle(input.table_name.name(), OperationId::UpdateItem)?;
        let table = shared.catalog.table(&shared.committer.view(), input.table_name.name())?;
        let images = Images::asked(input.return_values.as_ref(), &update);
        let mutation = Mutation::by_key(&table, key, condition, Action::Update(update))?;
        let wants = Wants {
            capacity: input.return_consumed_capacity,
            metrics: input.return_item_collection_metrics,
            on_failure: input.return_values_on_condition_check_failure,
        };
        Ok(single_write::run(shared, mutation, wants, move |written| UpdateItemOutput {
            attributes: images.of(written.change),
            consumed_capacity: written.capacity,
            item_collection_metrics: written.metrics,
        }))
    }

    fn table(input: &UpdateItemInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
