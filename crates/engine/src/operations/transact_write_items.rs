//! TransactWriteItems: up to 100 puts, updates, deletes and checks, all or none.

use std::sync::Arc;

use sortkey_api::operations::{TransactWriteItems, TransactWriteItemsInput, TransactWriteItemsOutput};
use sortkey_api::shapes::returns::{ReturnValuesOnConditionCheckFailure};
use sortkey_api::shapes::transaction::{ConditionCheck, Delete, Put, TransactWriteItem, Update};
use sortkey_api::{ApiError, OperationId, StringMap, SuppliedItem, TableName};
use sortkey_expression::ExpressionKind;
use sortkey_value::Item;
use sortkey_value::limits::ITEM_SIZE_BYTES;

use super::Run;
use super::batch_write_item::add_metric;
use crate::read::consumed::{self, Units};
use crate::engine::{Engine, Shared};
use crate::read::expressions::{Bound, Expressions};
use crate::write::mutation::{Action, Mutation, SizeRule};
use crate::reply::Reply;
use crate::catalog::schema::KeyFault;
use crate::catalog::table::Table;
use crate::text;
use crate::write::token::Token;
use crate::write::transaction::{self, Meeting, Part};

/// The most that all items of a transaction may weigh together.
const MAX_BYTES: usize = 4 * 1024 * 1024;

impl Run for TransactWriteItems {
    fn run(
        shared: &Arc<Shared>,
        input: TransactWriteItemsInput,
    ) -> Result<Reply<TransactWriteItemsOutput>, ApiError> {
        transact(shared, input, Meeting::Conflicts)
    }
}

impl Engine {
    /// Like [`Engine::transact_write_items`], but waits for transactions that hold its items instead of failing with a
    /// conflict.
    pub fn transact_write_items_in_line(
        &self,
        input: TransactWriteItemsInput,
    ) -> Reply<TransactWriteItemsOutput> {
        let run = || {
            sortkey_api::check(&input)?;
            transact(&self.shared, input, Meeting::Waits)
        };
        Reply::from(run())
    }
}

fn transact(
    shared: &Arc<Shared>,
    input: TransactWriteItemsInput,
    meeting: Meeting,
) -> Result<Reply<TransactWriteItemsOutput>, ApiError> {
        let writes: Vec<Write<'_>> = input.transact_items.iter().map(Write::of).collect::<Result<_, _>>()?;
        let bound: Vec<(Bound, &Item)> = writes.iter().map(|write| write.bind(shared)).collect::<Result<_, ApiError>>()?;
        if bound.iter().map(|(_, item)| item.size_bytes()).sum::<usize>() > MAX_BYTES {
            return Err(ApiError::validation(
                "Member must satisfy constraint: Collective size of all items in a transaction cannot exceed 4 MB",
            ));
        }
        let mut parts = Vec::with_capacity(writes.len());
        for (write, (bound, item)) in writes.iter().zip(bound) {
            let name = write.table.name();
            shared.throttle(name, OperationId::TransactWriteItems)?;
            let table = shared.catalog.table(&shared.committer.view(), name)?;
            // An empty key is answered for the whole request, unlike everything else that is wrong with a key.
            if let Some(fault @ KeyFault::Empty { .. }) = table.key.fault(item) {
                return Err(text::key_fault(&fault));
            }
            let mutation = write.mutation(&table, bound, item);
            let shows_item = write.on_failure == Some(&ReturnValuesOnConditionCheckFailure::AllOld);
            parts.push(Part { mutation, shows_item });
        }
        let token = input.client_request_token.as_deref().map(|text| {
            let mut contents = Vec::new();
            sortkey_api::encode(&input.transact_items, &mut contents);
            Token::new(text, &contents)
        });
        let (capacity, metrics) = (input.return_consumed_capacity.clone(), input.return_item_collection_metrics.clone());
        transaction::run(shared, "TransactWriteItems", parts, token, meeting, move |committed, mutations| {
            let units = if committed.replayed { Units::Read } else { Units::Write };
            let mut collections = StringMap::new();
            for mutation in mutations {
                let asked = metrics.as_ref();
                if let Some(metric) = consumed::collection_metrics(asked, &mutation.table, &mutation.key_item) {
                    add_metric(&mut collections, &mutation.table.name, metric);
                }
            }
            TransactWriteItemsOutput {
                consumed_capacity: committed.costs.report(capacity.as_ref(), units),
                item_collection_metrics: (!collections.is_empty()).then_some(collections),
            }
        })
}

/// One write with what all four kinds have in common.
struct Write<'a> {
    table: &'a TableName,
    /// The item of a put, the key of the others.
    item: &'a SuppliedItem,
    kind: Kind,
    on_failure: Option<&'a ReturnValuesOnConditionCheckFailure>,
    expressions: Expressions<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Put,
    Update,
    Delete,
    Check,
}

impl<'a> Write<'a> {
    fn of(item: &'a TransactWriteItem) -> Result<Write<'a>, ApiError> {
        match (&item.condition_check, &item.put, &item.delete, &item.update) {
            (Some(check), None, None, None) => Ok(Write::check(check)),
            (None, Some(put), None, None) => Ok(Write::put(put)),
            (None, None, Some(delete), None) => Ok(Write::delete(delete)),
            (None, None, None, Some(update)) => Ok(Write::update(update)),
            _ => Err(ApiError::validation(
                "TransactItems can only contain one of Check, Put, Update or Delete",
            )),
        }
    }

    fn put(put: &'a Put) -> Write<'a> {
        Write {
            table: &put.table_name,
            item: &put.item,
            kind: Kind::Put,
            on_failure: put.return_values_on_condition_check_failure.as_ref(),
            expressions: Expressions {
                names: put.expression_attribute_names.as_ref(),
                values: put.expression_attribute_values.as_ref(),
                expressions: vec![(ExpressionKind::Condition, put.condition_expression.as_deref())],
                legacy: Vec::new(),
            },
        }
    }

    fn delete(delete: &'a Delete) -> Write<'a> {
        Write {
            table: &delete.table_name,
            item: &delete.key,
            kind: Kind::Delete,
            on_failure: delete.return_values_on_condition_check_failure.as_ref(),
            expressions: Expressions {
                names: delete.expression_attribute_names.as_ref(),
                values: delete.expression_attribute_values.as_ref(),
                expressions: vec![(ExpressionKind::Condition, delete.condition_expression.as_deref())],
                legacy: Vec::new(),
            },
        }
    }

    fn check(check: &'a ConditionCheck) -> Write<'a> {
        Write {
            table: &check.table_name,
            item: &check.key,
            kind: Kind::Check,
            on_failure: check.return_values_on_condition_check_failure.as_ref(),
            expressions: Expressions {
                names: check.expression_attribute_names.as_ref(),
                values: check.expression_attribute_values.as_ref(),
                expressions: vec![(ExpressionKind::Condition, Some(&check.condition_expression))],
                legacy: Vec::new(),
            },
        }
    }

    fn update(update: &'a Update) -> Write<'a> {
        Write {
            table: &update.table_name,
            item: &update.key,
            kind: Kind::Update,
            on_failure: update.return_values_on_condition_check_failure.as_ref(),
            expressions: Expressions {
                names: update.expression_attribute_names.as_ref(),
                values: update.expression_attribute_values.as_ref(),
                expressions: vec![
                    (ExpressionKind::Update, Some(&update.update_expression)),
                    (ExpressionKind::Condition, update.condition_expression.as_deref()),
                ],
                legacy: Vec::new(),
            },
        }
    }

    /// The checks that do not need the table; errors here concern the whole request.
    fn bind(&self, shared: &Shared) -> Result<(Bound, &'a Item), ApiError> {
        self.expressions.check()?;
        let item = self.item.checked()?;
        if self.kind == Kind::Put && item.size_bytes() > ITEM_SIZE_BYTES {
            return Err(text::item_too_large());
        }
        Ok((self.expressions.bind(&shared.expressions)?, item))
    }

    fn mutation(&self, table: &Arc<Table>, bound: Bound, item: &Item) -> Result<Mutation, ApiError> {
        let action = match self.kind {
            Kind::Put => return Mutation::put(table, item, bound.condition),
            Kind::Delete => Action::Delete,
            Kind::Check => Action::Check,
            Kind::Update => Action::Update(bound.update.ok_or_else(ApiError::internal)?),
        };
        let mutation = Mutation::by_key(table, item, bound.condition, action)?;
        Ok(Mutation { size_rule: SizeRule::Flat, ..mutation })
    }
}
