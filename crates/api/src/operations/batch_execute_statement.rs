//! BatchExecuteStatement: carries out up to 25 PartiQL statements, each for itself.

use crate::shape::shape;
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::returns::ReturnConsumedCapacity;
use crate::shapes::statement::{BatchStatementRequest, BatchStatementResponse};

shape! {
    /// The statements.
    struct BatchExecuteStatementInput {
        statements: Vec<BatchStatementRequest> = "Statements", &[MinLength(1), MaxLength(25)];
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
    }
}

shape! {
    /// One response per statement, in order.
    struct BatchExecuteStatementOutput {
        responses: Option<Vec<BatchStatementResponse>> = "Responses";
        consumed_capacity: Option<Vec<ConsumedCapacity>> = "ConsumedCapacity";
    }
}
