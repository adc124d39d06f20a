//! PartiQL statements in batches and transactions, and what becomes of them.

use super::returns::ReturnValuesOnConditionCheckFailure;
use crate::attributes::SuppliedValue;
use crate::shape::Constraint::{self, MaxLength, MinLength};
use crate::shape::shape;
use sortkey_value::Item;

/// The text of a statement.
pub(crate) const STATEMENT: &[Constraint] = &[MinLength(1), MaxLength(8192)];
/// The values for a statement's question marks.
pub(crate) const PARAMETERS: &[Constraint] = &[MinLength(1)];

shape! {
    /// A statement of a batch.
    struct BatchStatementRequest {
        statement: String = "Statement", STATEMENT;
        parameters: Option<Vec<SuppliedValue>> = "Parameters", PARAMETERS;
        consistent_read: Option<bool> = "ConsistentRead";
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// A statement of a transaction.
    struct ParameterizedStatement {
        statement: String = "Statement", STATEMENT;
        parameters: Option<Vec<SuppliedValue>> = "Parameters", PARAMETERS;
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// The result of one statement of a batch.
    struct BatchStatementResponse {
        error: Option<BatchStatementError> = "Error";
        table_name: Option<String> = "TableName";
        item: Option<Item> = "Item";
    }
}

shape! {
    /// Why one statement of a batch failed.
    struct BatchStatementError {
        /// See [`ErrorKind::reason_code`](crate::ErrorKind::reason_code).
        code: Option<String> = "Code";
        message: Option<String> = "Message";
        item: Option<Item> = "Item";
    }
}
