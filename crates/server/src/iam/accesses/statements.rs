//! PartiQL, which is authorised per statement.

use sortkey_api::SuppliedValue;
use sortkey_api::operations as op;
use sortkey_expression::Condition;
use sortkey_partiql::{Returning, Statement};

use super::{Access, Backend, Concerned, Reader};
use crate::iam::expressions::{self, fixed, leading_key, names};

impl<B: Backend> Reader<'_, B> {
    pub(super) fn execute_statement(&self, input: &op::ExecuteStatementInput) -> Access {
        self.statement(&input.statement, input.parameters.as_deref(), None)
            .showing(input.return_values_on_condition_check_failure.as_ref())
    }

    pub(super) fn batch_execute(&self, input: &op::BatchExecuteStatementInput) -> Vec<Access> {
        let enclosing = Some("BatchExecuteStatement");
        let statements = input.statements.iter();
        statements
            .map(|one| {
                self.statement(&one.statement, one.parameters.as_deref(), enclosing)
                    .showing(one.return_values_on_condition_check_failure.as_ref())
            })
            .collect()
    }

    pub(super) fn execute_transaction(&self, input: &op::ExecuteTransactionInput) -> Vec<Access> {
        let enclosing = Some("ExecuteTransaction");
        let statements = input.transact_statements.iter();
        statements
            .map(|one| {
                self.statement(&one.statement, one.parameters.as_deref(), enclosing)
                    .showing(one.return_values_on_condition_check_failure.as_ref())
            })
            .collect()
    }

    /// A statement that cannot be read is an action on everything: the backend will not run it, and nothing allows it.
    fn statement(
        &self,
        text: &str,
        parameters: Option<&[SuppliedValue]>,
        enclosing: Option<&'static str>,
    ) -> Access {
        let parameters: Option<Vec<_>> =
            parameters.unwrap_or_default().iter().map(|value| value.checked().ok().cloned()).collect();
        let parsed = sortkey_partiql::parse(text).ok();
        let bound = parsed.zip(parameters).and_then(|(parsed, parameters)| parsed.bind(&parameters).ok());
        let Some(statement) = bound else {
            return Access { action: "dynamodb:PartiQLSelect", ..self.on("*") };
        };
        match &statement {
            Statement::Select(select) | Statement::Exists(select) => {
                let (table, index) = (select.source.table.as_str(), select.source.index.as_deref());
                let found = self.conditioned(table, index, select.condition.as_ref());
                let attributes = match &select.columns {
                    None => Concerned::Everything,
                    Some(columns) => {
                        let mut named = Vec::new();
                        let paths: Vec<_> = columns.iter().map(|column| &column.path).collect();
                        expressions::add(&paths, &mut named);
                        found.attributes.and(Concerned::These(named))
                    }
                };
                let full_table_scan = Some(found.leading_keys == Concerned::Everything);
                Access { action: "dynamodb:PartiQLSelect", full_table_scan, attributes, enclosing, ..found }
            }
            Statement::Insert(insert) => {
                let partition = self.backend.partition_key(self.fork, &insert.table, None);
                Access {
                    action: "dynamodb:PartiQLInsert",
                    leading_keys: leading_key(&insert.item, partition.as_deref()),
                    attributes: names(&insert.item),
                    enclosing,
                    ..self.on_table(&insert.table)
                }
            }
            Statement::Update(update) => {
                let mut named = Vec::new();
                expressions::add(&update.update.paths(), &mut named);
                let found = self.conditioned(&update.table, None, update.condition.as_ref());
                let attributes = match update.returning {
                    Some(Returning::AllOld | Returning::AllNew) => Concerned::Everything,
                    _ => found.attributes.and(Concerned::These(named)),
                };
                let return_values = update.returning.map(|returning| return_value(returning).to_owned());
                Access { action: "dynamodb:PartiQLUpdate", attributes, return_values, enclosing, ..found }
            }
            Statement::Delete(delete) => {
                let found = self.conditioned(&delete.table, None, delete.condition.as_ref());
                let found = match delete.returns_old {
                    true => Access {
                        attributes: Concerned::Everything,
                        return_values: Some(return_value(Returning::AllOld).to_owned()),
                        ..found
                    },
                    false => found,
                };
                Access { action: "dynamodb:PartiQLDelete", enclosing, ..found }
            }
        }
    }

    /// An access to the items that a condition finds: the keys that it fixes, and the attributes that it names.
    fn conditioned(&self, table: &str, index: Option<&str>, condition: Option<&Condition>) -> Access {
        let partition = self.backend.partition_key(self.fork, table, index);
        let leading_keys = match (condition, partition) {
            (Some(condition), Some(partition)) => fixed(condition, &partition),
            _ => Concerned::Everything,
        };
        let mut named = Vec::new();
        if let Some(condition) = condition {
            expressions::add(&condition.paths(), &mut named);
        }
        Access { leading_keys, attributes: Concerned::These(named), ..self.on_index(table, index) }
    }
}

/// `RETURNING` in the words of `ReturnValues`.
fn return_value(returning: Returning) -> &'static str {
    match returning {
        Returning::AllOld => "ALL_OLD",
        Returning::AllNew => "ALL_NEW",
        Returning::ModifiedOld => "UPDATED_OLD",
        Returning::ModifiedNew => "UPDATED_NEW",
    }
}
