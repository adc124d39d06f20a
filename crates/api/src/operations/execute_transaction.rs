//! ExecuteTransaction: carries out up to 100 PartiQL statements, or none of them.

use crate::shape::shape;
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::limits::CLIENT_REQUEST_TOKEN;
use crate::shapes::returns::ReturnConsumedCapacity;
use crate::shapes::statement::ParameterizedStatement;
use crate::shapes::transaction::ItemResponse;

shape! {
    /// The statements.
    struct ExecuteTransactionInput {
        transact_statements: Vec<ParameterizedStatement> = "TransactStatements", &[MinLength(1), MaxLength(100)];
        client_request_token: Option<String> = "ClientRequestToken", CLIENT_REQUEST_TOKEN;
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
    }
}

shape! {
    /// One response per statement that reads, in order.
    struct ExecuteTransactionOutput {
        responses: Option<Vec<ItemResponse>> = "Responses";
        consumed_capacity: Option<Vec<ConsumedCapacity>> = "ConsumedCapacity";
    }
}
