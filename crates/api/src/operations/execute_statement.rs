//! ExecuteStatement: carries out one PartiQL statement.

use crate::attributes::SuppliedValue;
use crate::shape::shape;
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::limits::POSITIVE;
use crate::shapes::returns::{ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure};
use crate::shapes::statement::{PARAMETERS, STATEMENT};
use sortkey_value::Item;

shape! {
    /// The statement and its parameters.
    struct ExecuteStatementInput {
        statement: String = "Statement", STATEMENT;
        parameters: Option<Vec<SuppliedValue>> = "Parameters", PARAMETERS;
        consistent_read: Option<bool> = "ConsistentRead";
        next_token: Option<String> = "NextToken", &[MinLength(1), MaxLength(32768)];
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        limit: Option<i32> = "Limit", POSITIVE;
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// A page of items, of a statement that reads.
    struct ExecuteStatementOutput {
        items: Option<Vec<Item>> = "Items";
        next_token: Option<String> = "NextToken";
        consumed_capacity: Option<ConsumedCapacity> = "ConsumedCapacity";
        last_evaluated_key: Option<Item> = "LastEvaluatedKey";
    }
}
