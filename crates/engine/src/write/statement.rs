//! PartiQL statements, lowered to the same reads and writes as everything else.

use std::sync::Arc;

use sortkey_api::{ApiError, SuppliedValue};
use sortkey_expression::{Condition, Path};
use sortkey_partiql::plan::{ItemTarget, KeySchema as PlanKey, plan_item_read, plan_write};
use sortkey_partiql::{Select, Statement};
use sortkey_storage::Published;
use sortkey_value::limits::ITEM_SIZE_BYTES;
use sortkey_value::{AttributeValue, Item};

use crate::catalog::schema::KeySchema;
use crate::catalog::table::Table;
use crate::engine::Shared;
use crate::read::expressions::invalid;
use crate::reply::storage_failure;
use crate::text;
use crate::write::change::ItemChange;
use crate::write::images::Images;
use crate::write::mutation::{Action, Mutation, SizeRule, item_key};

/// Reads a statement and puts its parameters in.
pub(crate) fn parse(text: &str, parameters: Option<&[SuppliedValue]>) -> Result<Statement, ApiError> {
    // Parameters come first: AWS looks at their values before it looks at the text.
    let parameters: Vec<AttributeValue> = parameters
        .unwrap_or_default()
        .iter()
        .map(|parameter| parameter.checked().cloned())
        .collect::<Result<_, _>>()?;
    sortkey_partiql::parse(text).and_then(|parsed| parsed.bind(&parameters)).map_err(invalid)
}

/// The table that a statement names.
pub(crate) fn table_name(statement: &Statement) -> &str {
    match statement {
        Statement::Select(select) | Statement::Exists(select) => &select.source.table,
        Statement::Insert(insert) => &insert.table,
        Statement::Update(update) => &update.table,
        Statement::Delete(delete) => &delete.table,
    }
}

/// Whether a statement only reads. EXISTS counts as a write: it is a condition among them.
pub(crate) fn reads(statement: &Statement) -> bool {
    matches!(statement, Statement::Select(_))
}

/// A write, and what it returns.
pub(crate) struct StatementWrite {
    pub(crate) mutation: Mutation,
    pub(crate) images: Images,
}

/// The write that a statement means; a SELECT means none.
pub(crate) fn write(table: &Arc<Table>, statement: &Statement) -> Result<StatementWrite, ApiError> {
    match statement {
        Statement::Insert(insert) => {
            if insert.item.size_bytes() > ITEM_SIZE_BYTES {
                return Err(text::item_too_large());
            }
            let mutation = Mutation::put(table, &insert.item, None)?;
            let mutation = Mutation { action: Action::Insert(insert.item.clone()), ..mutation };
            Ok(StatementWrite { mutation, images: Images::Nothing })
        }
        Statement::Update(update) => {
            let target = target(table, update.condition.as_ref())?;
            let condition = and(exists(&table.key), target.condition);
            let images = Images::returning(update.returning, &update.update);
            let action = Action::Update(update.update.clone());
            let mutation = Mutation::by_key(table, &target.key, Some(condition), action)?;
            Ok(StatementWrite { mutation: Mutation { size_rule: SizeRule::Flat, ..mutation }, images })
        }
        Statement::Delete(delete) => {
            let target = target(table, delete.condition.as_ref())?;
            let mutation = Mutation::by_key(table, &target.key, target.condition, Action::Delete)?;
            let images = if delete.returns_old { Images::AllOld } else { Images::Nothing };
            Ok(StatementWrite { mutation, images })
        }
        Statement::Exists(select) => {
            let target = plan_item_read(select.condition.as_ref(), plan_key(&table.key)?, false);
            let Some(ItemTarget { key, condition: Some(condition) }) = target else {
                return Err(ApiError::validation(
                    "EXISTS() must contain a single item read with additional condition",
                ));
            };
            let condition = and(exists(&table.key), Some(condition));
            let mutation = Mutation::by_key(table, &key, Some(condition), Action::Check)?;
            Ok(StatementWrite { mutation, images: Images::Nothing })
        }
        Statement::Select(_) => Err(ApiError::validation(
            "Statements that read and statements that write cannot be mixed in one request",
        )),
    }
}

impl StatementWrite {
    /// The item that the statement returns.
    pub(crate) fn returned(&self, change: ItemChange) -> Option<Item> {
        self.images.of(change)
    }
}

/// The one item that a SELECT inside a batch or a transaction reads, and its size before columns are chosen.
/// The condition must be an equality on the key and nothing more; `otherwise` is AWS's error text if it is
/// not.
pub(crate) fn read_item(
    table: &Table,
    view: &Published,
    select: &Select,
    otherwise: &str,
) -> Result<(Option<Item>, usize), ApiError> {
    let target = plan_item_read(select.condition.as_ref(), plan_key(&table.key)?, true)
        .filter(|target| target.condition.is_none() && select.source.index.is_none())
        .ok_or_else(|| ApiError::validation(otherwise))?;
    let place = item_key(table, &target.key)?;
    let value = view.snapshot.get(&place).map_err(|error| storage_failure(&error))?;
    let item = value.map(Item::from_bytes);
    let size_bytes = item.as_ref().map_or(0, Item::size_bytes);
    Ok((item.map(|item| select.project(&item)), size_bytes))
}

/// Converts a key to the form that plans use.
pub(crate) fn plan_key(key: &KeySchema) -> Result<PlanKey<'_>, ApiError> {
    let ([partition], [] | [_]) = (key.partition.as_slice(), key.sort.as_slice()) else {
        return Err(ApiError::validation(
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE \
             keys.",
        ));
    };
    Ok(PlanKey {
        partition: (&partition.name, partition.kind),
        sort: key.sort.first().map(|sort| (sort.name.as_str(), sort.kind)),
    })
}

fn target(table: &Table, condition: Option<&Condition>) -> Result<ItemTarget, ApiError> {
    plan_write(condition, plan_key(&table.key)?).map_err(invalid)
}

/// That there is an item: it has the attributes of its key.
fn exists(key: &KeySchema) -> Condition {
    let name = key.partition.first().map_or("", |partition| &partition.name);
    Condition::Exists(Path::attribute(name))
}

fn and(first: Condition, second: Option<Condition>) -> Condition {
    match second {
        Some(second) => Condition::And(vec![first, second]),
        None => first,
    }
}

/// The tables that statements name, as they are in one state.
pub(crate) fn table(
    shared: &Shared,
    view: &Published,
    statement: &Statement,
) -> Result<Arc<Table>, ApiError> {
    shared.catalog.table(view, table_name(statement))
}
