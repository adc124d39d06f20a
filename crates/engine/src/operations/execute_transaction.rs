//! ExecuteTransaction: up to 100 statements, all of them reads or all of them writes and EXISTS, all or none.

use std::sync::Arc;

use sortkey_api::operations::{ExecuteTransaction, ExecuteTransactionInput, ExecuteTransactionOutput};
use sortkey_api::shapes::returns::ReturnValuesOnConditionCheckFailure;
use sortkey_api::shapes::statement::ParameterizedStatement;
use sortkey_api::shapes::transaction::ItemResponse;
use sortkey_api::ApiError;
use sortkey_partiql::Statement;

use super::Run;
use crate::read::capacity::{Consistency, Cost};
use crate::read::consumed::{Costs, Units};
use crate::engine::Shared;
use crate::reply::Reply;
use crate::write::statement;
use crate::write::token::Token;
use crate::write::transaction::{self, Meeting, Part};

const WITHOUT_KEY: &str =
    "Select statements within ExecuteTransaction must specify the primary key in the where clause.";

impl Run for ExecuteTransaction {
    fn run(
        shared: &Arc<Shared>,
        input: ExecuteTransactionInput,
    ) -> Result<Reply<ExecuteTransactionOutput>, ApiError> {
        let parsed: Vec<Statement> =
            input.transact_statements.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        let reads = parsed.iter().filter(|parsed| statement::reads(parsed)).count();
        match reads {
            0 => write(shared, &parsed, input),
            all if all == parsed.len() => read(shared, &parsed, &input).map(Reply::now),
            _ => Err(ApiError::validation(
                "A transaction must contain statements that read or statements that write, not both",
            )),
        }
    }
}

/// AWS's error names the statement that could not be parsed.
fn parse((number, request): (usize, &ParameterizedStatement)) -> Result<Statement, ApiError> {
    let parsed = statement::parse(&request.statement, request.parameters.as_deref()).and_then(|parsed| {
        let returns = match &parsed {
            Statement::Update(update) => update.returning.is_some(),
            Statement::Delete(delete) => delete.returns_old,
            _ => false,
        };
        match returns {
            true => Err(ApiError::validation("RETURNING clause is not supported in ExecuteTransaction.")),
            false => Ok(parsed),
        }
    });
    parsed.map_err(|error| {
        let message = format!("Validation failed in TransactStatements[{number}]: {}", error.message);
        ApiError { message, ..error }
    })
}

fn read(
    shared: &Shared,
    parsed: &[Statement],
    input: &ExecuteTransactionInput,
) -> Result<ExecuteTransactionOutput, ApiError> {
    let view = shared.committer.view();
    let mut costs = Costs::default();
    let mut found = Vec::with_capacity(parsed.len());
    for parsed in parsed {
        let Statement::Select(select) = parsed else { return Err(ApiError::internal()) };
        let table = statement::table(shared, &view, parsed)?;
        let item = statement::read_item(&table, &view, select, WITHOUT_KEY).map(|(item, size_bytes)| {
            costs.add(&table.name, Cost::table(Consistency::Transactional.read_units(size_bytes)));
            item
        });
        found.push(item);
    }
    if found.iter().any(Result::is_err) {
        return Err(transaction::invalid(found.iter().map(|item| item.as_ref().err())));
    }
    Ok(ExecuteTransactionOutput {
        responses: Some(found.into_iter().flatten().map(|item| ItemResponse { item }).collect()),
        consumed_capacity: costs.report(input.return_consumed_capacity.as_ref(), Units::Read),
    })
}

fn write(
    shared: &Arc<Shared>,
    parsed: &[Statement],
    input: ExecuteTransactionInput,
) -> Result<Reply<ExecuteTransactionOutput>, ApiError> {
    let mut parts = Vec::with_capacity(parsed.len());
    for (parsed, request) in parsed.iter().zip(&input.transact_statements) {
        let table = statement::table(shared, &shared.committer.view(), parsed)?;
        let shows_item =
            request.return_values_on_condition_check_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld);
        let mutation = statement::write(&table, parsed).map(|write| write.mutation);
        parts.push(Part { mutation, shows_item });
    }
    let token = input.client_request_token.as_deref().map(|text| {
        let mut contents = Vec::new();
        sortkey_api::encode(&input.transact_statements, &mut contents);
        Token::new(text, &contents)
    });
    transaction::run(shared, "ExecuteTransaction", parts, token, Meeting::Conflicts, move |committed, _| {
        let units = if committed.replayed { Units::Read } else { Units::Write };
        ExecuteTransactionOutput {
            // AWS answers writes with a list, and leaves it empty.
            responses: Some(Vec::new()),
            consumed_capacity: committed.costs.report(input.return_consumed_capacity.as_ref(), units),
        }
    })
}
