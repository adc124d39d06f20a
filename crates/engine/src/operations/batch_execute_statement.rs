//! BatchExecuteStatement: up to 25 statements, all of them reads or all of them writes, each for itself.

use std::collections::HashMap;
use std::sync::Arc;

use sortkey_api::operations::{
    BatchExecuteStatement, BatchExecuteStatementInput, BatchExecuteStatementOutput,
};
use sortkey_api::shapes::returns::ReturnValuesOnConditionCheckFailure;
use sortkey_api::shapes::statement::{BatchStatementError, BatchStatementRequest, BatchStatementResponse};
use sortkey_api::{ApiError, ErrorDetails};
use sortkey_partiql::Statement;
use sortkey_storage::{Key, Lock};
use sortkey_value::Item;

use super::Run;
use crate::read::capacity::{Consistency, Cost};
use crate::write::change::Changes;
use crate::read::consumed::{Costs, Units};
use crate::engine::Shared;
use crate::reply::Reply;
use crate::write::statement::{self, StatementWrite};
use crate::stream::Actor;

const WITHOUT_KEY: &str =
    "Select statements within BatchExecuteStatement must specify the primary key in the where clause.";

impl Run for BatchExecuteStatement {
    fn run(
        shared: &Arc<Shared>,
        input: BatchExecuteStatementInput,
    ) -> Result<Reply<BatchExecuteStatementOutput>, ApiError> {
        let parse = |request: &BatchStatementRequest| statement::parse(&request.statement, request.parameters.as_deref());
        let parsed: Vec<Result<Statement, ApiError>> = input.statements.iter().map(parse).collect();
        let kinds: Vec<bool> = parsed.iter().flatten().map(statement::reads).collect();
        if kinds.iter().any(|reads| *reads != kinds[0]) {
            return Err(ApiError::validation("A batch must contain statements that read or statements that write, not both"));
        }
        match kinds.first() {
            Some(false) => Ok(write(shared, input, parsed)),
            _ => Ok(Reply::now(read(shared, &input, parsed))),
        }
    }
}

fn read(
    shared: &Shared,
    input: &BatchExecuteStatementInput,
    parsed: Vec<Result<Statement, ApiError>>,
) -> BatchExecuteStatementOutput {
    let view = shared.committer.view();
    let mut costs = Costs::default();
    let mut responses = Vec::with_capacity(parsed.len());
    for (request, parsed) in input.statements.iter().zip(parsed) {
        let table = parsed.as_ref().ok().map(|parsed| statement::table_name(parsed).to_owned());
        let one = || {
            let parsed = parsed?;
            let table = statement::table(shared, &view, &parsed)?;
            let Statement::Select(select) = &parsed else { return Err(ApiError::internal()) };
            let (item, size_bytes) = statement::read_item(&table, &view, select, WITHOUT_KEY)?;
            let units = Consistency::of(request.consistent_read).read_units(size_bytes);
            costs.add(&table.name, Cost::table(units));
            Ok(item)
        };
        responses.push(response(table, one()));
    }
    BatchExecuteStatementOutput {
        responses: Some(responses),
        consumed_capacity: costs.report(input.return_consumed_capacity.as_ref(), Units::Unnamed),
    }
}

fn write(
    shared: &Arc<Shared>,
    input: BatchExecuteStatementInput,
    parsed: Vec<Result<Statement, ApiError>>,
) -> Reply<BatchExecuteStatementOutput> {
    let view = Arc::clone(&shared.committer.view());
    let mut tables = Vec::with_capacity(parsed.len());
    let mut writes = Vec::with_capacity(parsed.len());
    for parsed in parsed {
        tables.push(parsed.as_ref().ok().map(|parsed| statement::table_name(parsed).to_owned()));
        let write = || {
            let parsed = parsed?;
            statement::write(&statement::table(shared, &view, &parsed)?, &parsed)
        };
        writes.push(write());
    }
    let locks: Vec<Lock> = writes.iter().flatten().flat_map(|write| write.mutation.locks()).collect();
    shared.write(locks, move |shared, view| {
        let mut changes = Changes::new(view);
        let mut costs = Costs::default();
        // The items as earlier statements of the batch left them.
        let mut written: HashMap<Key, Option<Item>> = HashMap::new();
        let mut responses = Vec::with_capacity(writes.len());
        for ((write, table), request) in writes.into_iter().zip(tables).zip(&input.statements) {
            let show = request.return_values_on_condition_check_failure
                == Some(ReturnValuesOnConditionCheckFailure::AllOld);
            let mut one = |write: StatementWrite| {
                let mutation = &write.mutation;
                let table = shared.catalog.table(view, &mutation.table.name)?;
                let before = match written.get(&mutation.key) {
                    Some(known) => known.clone(),
                    None => mutation.read(view)?,
                };
                let change = mutation.evaluate(before).map_err(|refusal| refusal.into_error(show))?;
                costs.add(&table.name, changes.record(&table, &change, Actor::User)?);
                written.insert(mutation.key.clone(), change.after.clone());
                Ok(write.returned(change))
            };
            responses.push(response(table, write.and_then(&mut one)));
        }
        let output = BatchExecuteStatementOutput {
            responses: Some(responses),
            consumed_capacity: costs.report(input.return_consumed_capacity.as_ref(), Units::Unnamed),
        };
        Ok((changes.batch, output))
    })
}

fn response(table: Option<String>, result: Result<Option<Item>, ApiError>) -> BatchStatementResponse {
    match result {
        Ok(item) => BatchStatementResponse { error: None, table_name: table, item },
        Err(error) => BatchStatementResponse { error: Some(describe(error)), table_name: table, item: None },
    }
}

fn describe(error: ApiError) -> BatchStatementError {
    let item = match error.details.as_deref() {
        Some(ErrorDetails::Item(item)) => Some(item.clone()),
        _ => None,
    };
    BatchStatementError {
        code: Some(error.kind.reason_code().to_owned()),
        message: Some(error.message),
        item,
    }
}
