//! GetItem.

use std::sync::Arc;

use sortkey_api::{ApiError, OperationId, TableName};
use sortkey_api::operations::{GetItem, GetItemInput, GetItemOutput};
use sortkey_expression::{ExpressionKind, Projection};
use sortkey_value::Item;

use super::Run;
use crate::read::capacity::{Consistency, Cost};
use crate::read::consumed::{self, Units};
use crate::engine::Shared;
use crate::read::expressions::Expressions;
use crate::write::mutation::item_key;
use crate::reply::{Reply, storage_failure};
use crate::read::legacy;
use crate::write::scalar;

impl Run for GetItem {
    fn run(shared: &Arc<Shared>, input: GetItemInput) -> Result<Reply<GetItemOutput>, ApiError> {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: None,
            expressions: vec![(ExpressionKind::Projection, input.projection_expression.as_deref())],
            legacy: vec![("AttributesToGet", input.attributes_to_get.is_some())],
        };
        expressions.check()?;
        let key = input.key.checked()?;
        let projection = match legacy::attributes_to_get(input.attributes_to_get.as_deref())? {
            Some(projection) => Some(projection),
            None => expressions.bind(&shared.expressions)?.projection,
        };
        let name = input.table_name.name();
        shared.throttle(name, OperationId::GetItem)?;
        let view = shared.committer.view();
        let table = shared.catalog.table(&view, name)?;
        let key = item_key(&table, key)?;
        scalar::check_keys(&table, projection.iter().flat_map(Projection::paths))?;
        let value = view.snapshot.get(&key).map_err(|error| storage_failure(&error))?;
        let item = value.map(Item::from_bytes);
        let size_bytes = item.as_ref().map_or(0, Item::size_bytes);
        let cost = Cost::table(Consistency::of(input.consistent_read).read_units(size_bytes));
        Ok(Reply::now(GetItemOutput {
            item: match projection {
                Some(projection) => item.map(|item| projection.apply(&item)),
                None => item,
            },
            consumed_capacity: consumed::report(
                input.return_consumed_capacity.as_ref(),
                &table.name,
                &cost,
                Units::Unnamed,
            ),
        }))
    }

    fn table(input: &GetItemInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}
