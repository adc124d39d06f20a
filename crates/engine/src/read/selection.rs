//! The attributes that a query or scan returns, and their source.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::shapes::returns::Select;
use sortkey_expression::Projection as ExpressionProjection;
use sortkey_storage::Published;
use sortkey_value::Item;

use crate::catalog::schema::{IndexKind, Projection};
use crate::read::capacity::{Consistency, Cost};
use crate::read::page::Page;
use crate::read::source::Source;
use crate::reply::storage_failure;

/// The parts of the found items to return.
pub(crate) struct Selection {
    count_only: bool,
    projection: Option<ExpressionProjection>,
    /// A local index that lacks attributes which were asked for sends the read to the table, item by item.
    fetches: bool,
}

impl Selection {
    /// The selection for a request that [`check_select`] has accepted.
    pub(crate) fn new(
        source: Source<'_>,
        select: Option<&Select>,
        projection: Option<ExpressionProjection>,
    ) -> Result<Selection, ApiError> {
        let count_only = select == Some(&Select::Count);
        let Some(index) = source.index else {
            return Ok(Selection { count_only, projection, fetches: false });
        };
        let wants_all = select == Some(&Select::AllAttributes);
        let lacking = |projection: &ExpressionProjection| -> Vec<String> {
            let names = projection.paths().iter().map(sortkey_expression::Path::attribute_name);
            names.filter(|name| !index.keeps(&source.table.key, name)).map(str::to_owned).collect()
        };
        let lacking = projection.as_ref().map(lacking).unwrap_or_default();
        let complete = index.projection == Projection::All;
        if index.kind == IndexKind::Global {
            if wants_all && !complete {
                return Err(ApiError::invalid_parameter(format_args!(
                    "Select type ALL_ATTRIBUTES is not supported for global secondary index {} because its projection type is not ALL",
                    index.name
                )));
            }
            if !lacking.is_empty() {
                return Err(ApiError::invalid_parameter(format_args!(
                    "Global secondary index {} does not project {}",
                    index.name,
                    lacking.join(", ")
                )));
            }
        }
        let fetches = (wants_all && !complete) || !lacking.is_empty();
        Ok(Selection { count_only, projection, fetches })
    }

    /// The items to return, and what getting them costs besides the page itself.
    pub(crate) fn apply(
        &self,
        source: Source<'_>,
        view: &Arc<Published>,
        consistency: Consistency,
        page: Page,
    ) -> Result<(Option<Vec<Item>>, Cost), ApiError> {
        let mut cost = Cost::default();
        if self.count_only {
            return Ok((None, cost));
        }
        let mut items = Vec::with_capacity(page.items.len());
        for (_, mut item) in page.items {
            if self.fetches {
                let key = source.table.item_key(&item).ok_or_else(ApiError::internal)?;
                let value = view.snapshot.get(&key).map_err(|error| storage_failure(&error))?;
                item = value.map(Item::from_bytes).unwrap_or(item);
                cost.add(Cost::table(consistency.read_units(item.size_bytes())));
            }
            items.push(match &self.projection {
                Some(projection) => projection.apply(&item),
                None => item,
            });
        }
        Ok((Some(items), cost))
    }
}

/// Whether `Select` fits the rest of the request. `given` names the parameter that lists attributes.
pub(crate) fn check_select(
    select: Option<&Select>,
    given: Option<&str>,
    index: Option<&str>,
) -> Result<(), ApiError> {
    match (select, given) {
        (Some(Select::SpecificAttributes), None) => Err(ApiError::invalid_parameter(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        )),
        (Some(Select::SpecificAttributes) | None, _) => Ok(()),
        (Some(select), Some(given)) => {
            let what =
                if *select == Select::Count { "only the Count".to_owned() } else { select.to_string() };
            Err(ApiError::validation(format!("Cannot specify the {given} when choosing to get {what}")))
        }
        (Some(Select::AllProjectedAttributes), None) if index.is_none() => Err(ApiError::invalid_parameter(
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        )),
        _ => Ok(()),
    }
}
