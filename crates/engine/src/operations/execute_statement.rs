//! ExecuteStatement: a SELECT reads pages by key, by index or by scan; the other statements write one item.

use std::ops::Bound;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sortkey_api::{ApiError, OperationId};
use sortkey_api::operations::{ExecuteStatement, ExecuteStatementInput, ExecuteStatementOutput};
use sortkey_expression::{Condition, KeyRange};
use sortkey_partiql::plan::{Direction, ReadPlan, plan_order, plan_read};
use sortkey_partiql::{Select, Statement};
use sortkey_storage::Order;
use sortkey_value::Item;
use xxhash_rust::xxh3::xxh3_64;

use super::Run;
use crate::read::capacity::Consistency;
use crate::read::consumed::{self, Units};
use crate::engine::Shared;
use crate::read::page::{PAGE_BYTES, Page, PageRequest};
use crate::reply::Reply;
use crate::write::single_write::{self, Wants};
use crate::read::source::{Range, Source};
use crate::write::statement;
use crate::layout;

impl Run for ExecuteStatement {
    fn run(shared: &Arc<Shared>, input: ExecuteStatementInput) -> Result<Reply<ExecuteStatementOutput>, ApiError> {
        let parsed = statement::parse(&input.statement, input.parameters.as_deref())?;
        shared.throttle(statement::table_name(&parsed), OperationId::ExecuteStatement)?;
        match &parsed {
            Statement::Select(select) => Ok(Reply::now(read(shared, select, &input)?)),
            Statement::Exists(_) => {
                Err(ApiError::validation("EXISTS is only allowed in statements of a transaction"))
            }
            _ => write(shared, &parsed, input),
        }
    }
}

fn write(
    shared: &Arc<Shared>,
    parsed: &Statement,
    input: ExecuteStatementInput,
) -> Result<Reply<ExecuteStatementOutput>, ApiError> {
    let table = statement::table(shared, &shared.committer.view(), parsed)?;
    let write = statement::write(&table, parsed)?;
    let wants = Wants {
        capacity: input.return_consumed_capacity,
        metrics: None,
        on_failure: input.return_values_on_condition_check_failure,
    };
    let mutation = write.mutation.clone();
    Ok(single_write::run(shared, mutation, wants, move |written| ExecuteStatementOutput {
        items: Some(write.returned(written.change).into_iter().collect()),
        next_token: None,
        consumed_capacity: written.capacity,
        last_evaluated_key: None,
    }))
}

fn read(shared: &Shared, select: &Select, input: &ExecuteStatementInput) -> Result<ExecuteStatementOutput, ApiError> {
    let view = Arc::clone(&shared.committer.view());
    let table = shared.catalog.table(&view, &select.source.table)?;
    let index = select.source.index.as_deref();
    if index.is_some_and(|index| table.index(index).is_none()) {
        return Err(ApiError::validation("The table does not have the specified index"));
    }
    let source = Source::find(&table, index, input.consistent_read)?;
    let plan_key = statement::plan_key(source.key())?;
    let plan = plan_read(select.condition.as_ref(), plan_key).map_err(crate::read::expressions::invalid)?;
    let direction = plan_order(select, &plan, plan_key).map_err(crate::read::expressions::invalid)?;
    let order = if direction == Direction::Descending { Order::Descending } else { Order::Ascending };
    let resume = input.next_token.as_deref().map(|token| Resume::parse(token, input)).transpose()?;
    let ranges = ranges(source, &plan)?;
    let view = source.view(shared, view)?;

    let mut left = input.limit.and_then(|limit| usize::try_from(limit).ok());
    let mut gathered = Page::default();
    let mut next = None;
    let begin = resume.as_ref().map_or(0, |resume| resume.read);
    for (number, ((mut low, mut high), filter)) in ranges.into_iter().enumerate().skip(begin) {
        if gathered.size_bytes >= PAGE_BYTES {
            next = Some(Resume { read: number, start: None });
            break;
        }
        if let Some(start) = resume.as_ref().filter(|resume| resume.read == number).and_then(|resume| resume.start.as_ref()) {
            let start = source.start_key(start)?;
            match order {
                Order::Ascending => low = Bound::Excluded(start),
                Order::Descending => high = Bound::Excluded(start),
            }
        }
        let page = PageRequest { low, high, order, limit: left, filter }.read(&*view.snapshot)?;
        left = left.map(|left| left.saturating_sub(page.scanned));
        gathered.size_bytes += page.size_bytes;
        gathered.items.extend(page.items);
        if let Some(last) = page.last {
            next = Some(Resume { read: number, start: Some(source.entry_key(&last)) });
            break;
        }
    }
    let cost = source.read_cost(Consistency::of(input.consistent_read), gathered.size_bytes);
    let items = gathered.items.into_iter().map(|(_, item)| select.project(&item));
    Ok(ExecuteStatementOutput {
        items: Some(items.collect()),
        next_token: next.as_ref().map(|next| next.to_text(input)),
        consumed_capacity: consumed::report(
            input.return_consumed_capacity.as_ref(),
            &table.name,
            &cost,
            Units::Unnamed,
        ),
        last_evaluated_key: next.and_then(|next| next.start),
    })
}

/// The ranges that a plan reads, one after another, each with its filter.
fn ranges<'a>(source: Source<'_>, plan: &'a ReadPlan) -> Result<Vec<(Range, Option<&'a Condition>)>, ApiError> {
    match plan {
        ReadPlan::Scan { filter } => Ok(vec![(layout::starting_with(&source.space()), filter.as_ref())]),
        ReadPlan::Keys(reads) => reads
            .iter()
            .map(|read| {
                let range = KeyRange {
                    partition: vec![read.partition.clone()],
                    sort_equal: Vec::new(),
                    sort_range: read.sort.clone(),
                };
                Ok((source.key_range(&range)?, read.filter.as_ref()))
            })
            .collect(),
    }
}

/// The position where the next page of a SELECT begins.
///
/// ```text
/// base64( fingerprint:u64  read:u16  item? )     fingerprint: of the statement and its parameters
/// ```
struct Resume {
    /// The index of the range in the plan.
    read: usize,
    /// The last entry of it that was read.
    start: Option<Item>,
}

impl Resume {
    fn to_text(&self, input: &ExecuteStatementInput) -> String {
        let mut bytes = fingerprint(input).to_be_bytes().to_vec();
        bytes.extend_from_slice(&u16::try_from(self.read).unwrap_or(u16::MAX).to_be_bytes());
        if let Some(start) = &self.start {
            bytes.extend_from_slice(start.as_bytes());
        }
        STANDARD.encode(bytes)
    }

    /// Reads what [`Resume::to_text`] wrote for the same statement.
    fn parse(text: &str, input: &ExecuteStatementInput) -> Result<Resume, ApiError> {
        let invalid = || ApiError::validation("NextToken does not match request");
        let bytes = STANDARD.decode(text).map_err(|_| invalid())?;
        let (made_for, rest) = bytes.split_first_chunk::<8>().ok_or_else(invalid)?;
        let (read, item) = rest.split_first_chunk::<2>().ok_or_else(invalid)?;
        if *made_for != fingerprint(input).to_be_bytes() {
            return Err(invalid());
        }
        let start = (!item.is_empty()).then(|| Item::from_bytes(item.into()));
        Ok(Resume { read: usize::from(u16::from_be_bytes(*read)), start })
    }
}

fn fingerprint(input: &ExecuteStatementInput) -> u64 {
    let mut contents = input.statement.as_bytes().to_vec();
    if let Some(parameters) = &input.parameters {
        sortkey_api::encode(parameters, &mut contents);
    }
    xxh3_64(&contents)
}
