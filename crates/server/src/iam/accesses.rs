//! What a request asks for, as AWS authorises it: actions on resources, with what DynamoDB's condition keys say about them.

use sortkey_access::ACCOUNT;
use sortkey_api::operations as op;
use sortkey_api::shapes::legacy::{ComparisonOperator, Condition as LegacyCondition};
use sortkey_api::shapes::returns::{ReturnConsumedCapacity, ReturnValue, Select};
use sortkey_api::{ApiError, OperationId, StringMap, SuppliedItem, SuppliedValue, TableName, decode};
use sortkey_partiql::Statement;

use super::context::Concerned;
use super::expressions::{self, Expressions, fixed, leading_key, names, text_of};
use crate::backend::{Backend, Call, ForkName};

/// One action on one resource.
#[derive(Clone, Debug, Default)]
pub(super) struct Access {
    pub(super) action: &'static str,
    pub(super) resource: String,
    /// What may have a policy of its own.
    pub(super) owner: Option<Owner>,
    pub(super) leading_keys: Concerned,
    pub(super) attributes: Concerned,
    pub(super) select: Option<String>,
    pub(super) return_values: Option<String>,
    pub(super) return_consumed_capacity: Option<String>,
    pub(super) enclosing: Option<&'static str>,
    pub(super) full_table_scan: Option<bool>,
}

/// A table, or one of its streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) table: String,
    pub(super) stream: Option<String>,
}

/// Reads a request.
pub(super) fn of<B: Backend>(backend: &B, region: &str, call: &Call) -> Result<Vec<Access>, ApiError> {
    let reader = Reader { backend, region, fork: call.fork.as_ref(), operation: call.operation };
    reader.read(&call.body)
}

struct Reader<'a, B> {
    backend: &'a B,
    region: &'a str,
    fork: Option<&'a ForkName>,
    operation: OperationId,
}

impl<B: Backend> Reader<'_, B> {
    fn read(&self, body: &[u8]) -> Result<Vec<Access>, ApiError> {
        use OperationId as Id;
        Ok(match self.operation {
            Id::GetItem => vec![self.get_item(&decode(body)?)],
            Id::PutItem => vec![self.put_item(&decode(body)?)],
            Id::UpdateItem => vec![self.update_item(&decode(body)?)],
            Id::DeleteItem => vec![self.delete_item(&decode(body)?)],
            Id::Query => vec![self.query(&decode(body)?)],
            Id::Scan => vec![self.scan(&decode(body)?)],
            Id::BatchGetItem => self.batch_get(&decode(body)?),
            Id::BatchWriteItem => self.batch_write(&decode(body)?),
            Id::TransactGetItems => self.transact_get(&decode(body)?),
            Id::TransactWriteItems => self.transact_write(&decode(body)?),
            Id::ExecuteStatement => {
                let input: op::ExecuteStatementInput = decode(body)?;
                vec![self.statement(&input.statement, input.parameters.as_deref(), None)]
            }
            Id::BatchExecuteStatement => {
                let input: op::BatchExecuteStatementInput = decode(body)?;
                let statements = input.statements.iter();
                let enclosing = Some("BatchExecuteStatement");
                statements
                    .map(|one| self.statement(&one.statement, one.parameters.as_deref(), enclosing))
                    .collect()
            }
            Id::ExecuteTransaction => {
                let input: op::ExecuteTransactionInput = decode(body)?;
                let statements = input.transact_statements.iter();
                let enclosing = Some("ExecuteTransaction");
                statements
                    .map(|one| self.statement(&one.statement, one.parameters.as_deref(), enclosing))
                    .collect()
            }
            _ => self.managed(body)?,
        })
    }

    /// Operations on tables, backups, streams and policies.
    fn managed(&self, body: &[u8]) -> Result<Vec<Access>, ApiError> {
        use OperationId as Id;
        let one = |access: Access| Ok(vec![access]);
        let by_table = |name: &TableName| self.on_table(name.name());
        match self.operation {
            Id::CreateTable => one(by_table(&decode::<op::CreateTableInput>(body)?.table_name)),
            Id::DescribeTable => one(by_table(&decode::<op::DescribeTableInput>(body)?.table_name)),
            Id::UpdateTable => one(by_table(&decode::<op::UpdateTableInput>(body)?.table_name)),
            Id::DeleteTable => one(by_table(&decode::<op::DeleteTableInput>(body)?.table_name)),
            Id::DescribeTimeToLive => one(by_table(&decode::<op::DescribeTimeToLiveInput>(body)?.table_name)),
            Id::UpdateTimeToLive => one(by_table(&decode::<op::UpdateTimeToLiveInput>(body)?.table_name)),
            Id::DescribeContinuousBackups => {
                one(by_table(&decode::<op::DescribeContinuousBackupsInput>(body)?.table_name))
            }
            Id::UpdateContinuousBackups => {
                one(by_table(&decode::<op::UpdateContinuousBackupsInput>(body)?.table_name))
            }
            Id::CreateBackup => one(by_table(&decode::<op::CreateBackupInput>(body)?.table_name)),
            Id::ExportTableToPointInTime => {
                one(by_table(&decode::<op::ExportTableToPointInTimeInput>(body)?.table_arn))
            }
            Id::ImportTable => {
                let input: op::ImportTableInput = decode(body)?;
                one(self.on_table(input.table_creation_parameters.table_name.as_str()))
            }
            Id::RestoreTableFromBackup => {
                let input: op::RestoreTableFromBackupInput = decode(body)?;
                Ok(vec![self.on(&input.backup_arn), self.on_table(&input.target_table_name)])
            }
            Id::RestoreTableToPointInTime => {
                let input: op::RestoreTableToPointInTimeInput = decode(body)?;
                let source = input.source_table_arn.as_ref().map(|arn| arn.name().to_owned());
                let source = source.or(input.source_table_name).unwrap_or_default();
                Ok(vec![self.on_table(&source), self.on_table(&input.target_table_name)])
            }
            Id::DeleteBackup => one(self.on(&decode::<op::DeleteBackupInput>(body)?.backup_arn)),
            Id::DescribeBackup => one(self.on(&decode::<op::DescribeBackupInput>(body)?.backup_arn)),
            Id::DescribeExport => one(self.on(&decode::<op::DescribeExportInput>(body)?.export_arn)),
            Id::DescribeImport => one(self.on(&decode::<op::DescribeImportInput>(body)?.import_arn)),
            Id::TagResource => one(self.on_arn(&decode::<op::TagResourceInput>(body)?.resource_arn)),
            Id::UntagResource => one(self.on_arn(&decode::<op::UntagResourceInput>(body)?.resource_arn)),
            Id::ListTagsOfResource => {
                one(self.on_arn(&decode::<op::ListTagsOfResourceInput>(body)?.resource_arn))
            }
            Id::GetResourcePolicy => {
                one(self.on_arn(&decode::<op::GetResourcePolicyInput>(body)?.resource_arn))
            }
            Id::PutResourcePolicy => {
                one(self.on_arn(&decode::<op::PutResourcePolicyInput>(body)?.resource_arn))
            }
            Id::DeleteResourcePolicy => {
                one(self.on_arn(&decode::<op::DeleteResourcePolicyInput>(body)?.resource_arn))
            }
            Id::DescribeStream => one(self.on_arn(&decode::<op::DescribeStreamInput>(body)?.stream_arn)),
            Id::GetShardIterator => one(self.on_arn(&decode::<op::GetShardIteratorInput>(body)?.stream_arn)),
            Id::GetRecords => {
                let iterator = decode::<op::GetRecordsInput>(body)?.shard_iterator;
                let stream = self.backend.iterator_stream(self.fork, &iterator);
                one(stream.map_or_else(|| self.on("*"), |(table, label)| self.on_stream(&table, &label)))
            }
            // What lists things, and what has no resource.
            _ => one(self.on("*")),
        }
    }

    fn get_item(&self, input: &op::GetItemInput) -> Access {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            projection: input.projection_expression.as_deref(),
            ..Expressions::default()
        };
        Access {
            attributes: read_attributes(&expressions, input.attributes_to_get.as_deref(), None)
                .and(names(input.key.unchecked())),
            return_consumed_capacity: chosen(
                input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str),
            ),
            ..self.item(input.table_name.name(), &[&input.key])
        }
    }

    fn put_item(&self, input: &op::PutItemInput) -> Access {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            condition: input.condition_expression.as_deref(),
            ..Expressions::default()
        };
        Access {
            attributes: expressions
                .attributes()
                .and(names(input.item.unchecked()))
                .and(keys(input.expected.as_ref())),
            return_values: chosen(input.return_values.as_ref().map(ReturnValue::as_str)),
            return_consumed_capacity: chosen(
                input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str),
            ),
            ..self.item(input.table_name.name(), &[&input.item])
        }
    }

    fn update_item(&self, input: &op::UpdateItemInput) -> Access {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            condition: input.condition_expression.as_deref(),
            update: input.update_expression.as_deref(),
            ..Expressions::default()
        };
        let legacy = keys(input.expected.as_ref()).and(keys(input.attribute_updates.as_ref()));
        Access {
            attributes: expressions.attributes().and(names(input.key.unchecked())).and(legacy),
            return_values: chosen(input.return_values.as_ref().map(ReturnValue::as_str)),
            return_consumed_capacity: chosen(
                input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str),
            ),
            ..self.item(input.table_name.name(), &[&input.key])
        }
    }

    fn delete_item(&self, input: &op::DeleteItemInput) -> Access {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            condition: input.condition_expression.as_deref(),
            ..Expressions::default()
        };
        Access {
            attributes: expressions
                .attributes()
                .and(names(input.key.unchecked()))
                .and(keys(input.expected.as_ref())),
            return_values: chosen(input.return_values.as_ref().map(ReturnValue::as_str)),
            return_consumed_capacity: chosen(
                input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str),
            ),
            ..self.item(input.table_name.name(), &[&input.key])
        }
    }

    fn query(&self, input: &op::QueryInput) -> Access {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            filter: input.filter_expression.as_deref(),
            key_condition: input.key_condition_expression.as_deref(),
            projection: input.projection_expression.as_deref(),
            ..Expressions::default()
        };
        let (table, index) = (input.table_name.name(), input.index_name.as_deref());
        let leading_keys = match (self.backend.partition_key(self.fork, table, index), &input.key_conditions)
        {
            (None, _) => Concerned::Everything,
            (Some(partition), Some(conditions)) => legacy_key(conditions, &partition),
            (Some(partition), None) => expressions.leading_keys(&partition),
        };
        let legacy = keys(input.query_filter.as_ref()).and(keys(input.key_conditions.as_ref()));
        Access {
            leading_keys,
            attributes: read_attributes(
                &expressions,
                input.attributes_to_get.as_deref(),
                input.select.as_ref(),
            )
            .and(legacy),
            select: chosen(input.select.as_ref().map(Select::as_str)),
            return_consumed_capacity: chosen(
                input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str),
            ),
            ..self.on_index(table, index)
        }
    }

    fn scan(&self, input: &op::ScanInput) -> Access {
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            filter: input.filter_expression.as_deref(),
            projection: input.projection_expression.as_deref(),
            ..Expressions::default()
        };
        Access {
            leading_keys: Concerned::Everything,
            attributes: read_attributes(
                &expressions,
                input.attributes_to_get.as_deref(),
                input.select.as_ref(),
            )
            .and(keys(input.scan_filter.as_ref())),
            select: chosen(input.select.as_ref().map(Select::as_str)),
            return_consumed_capacity: chosen(
                input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str),
            ),
            ..self.on_index(input.table_name.name(), input.index_name.as_deref())
        }
    }

    fn batch_get(&self, input: &op::BatchGetItemInput) -> Vec<Access> {
        let capacity = chosen(input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str));
        let of_table = |(name, asked): (&str, &sortkey_api::shapes::batch::KeysAndAttributes)| {
            let expressions = Expressions {
                names: asked.expression_attribute_names.as_ref(),
                projection: asked.projection_expression.as_deref(),
                ..Expressions::default()
            };
            let key_names = asked.keys.iter().map(|key| names(key.unchecked()));
            Access {
                attributes: key_names.fold(
                    read_attributes(&expressions, asked.attributes_to_get.as_deref(), None),
                    Concerned::and,
                ),
                return_consumed_capacity: capacity.clone(),
                ..self.item(TableName::name_of(name), &asked.keys.iter().collect::<Vec<_>>())
            }
        };
        input.request_items.iter().map(of_table).collect()
    }

    fn batch_write(&self, input: &op::BatchWriteItemInput) -> Vec<Access> {
        let capacity = chosen(input.return_consumed_capacity.as_ref().map(ReturnConsumedCapacity::as_str));
        let of_table = |(name, writes): (&str, &Vec<sortkey_api::shapes::batch::WriteRequest>)| {
            let items: Vec<&SuppliedItem> = writes
                .iter()
                .flat_map(|write| {
                    let put = write.put_request.as_ref().map(|put| &put.item);
                    put.into_iter().chain(write.delete_request.as_ref().map(|delete| &delete.key))
                })
                .collect();
            let attributes = items.iter().map(|item| names(item.unchecked()));
            Access {
                attributes: attributes.fold(Concerned::Nothing, Concerned::and),
                return_consumed_capacity: capacity.clone(),
                ..self.item(TableName::name_of(name), &items)
            }
        };
        input.request_items.iter().map(of_table).collect()
    }

    fn transact_get(&self, input: &op::TransactGetItemsInput) -> Vec<Access> {
        let of_item = |item: &sortkey_api::shapes::transaction::TransactGetItem| {
            let get = &item.get;
            let expressions = Expressions {
                names: get.expression_attribute_names.as_ref(),
                projection: get.projection_expression.as_deref(),
                ..Expressions::default()
            };
            Access {
                action: "dynamodb:GetItem",
                attributes: read_attributes(&expressions, None, None).and(names(get.key.unchecked())),
                enclosing: Some("TransactGetItems"),
                ..self.item(get.table_name.name(), &[&get.key])
            }
        };
        input.transact_items.iter().map(of_item).collect()
    }

    fn transact_write(&self, input: &op::TransactWriteItemsInput) -> Vec<Access> {
        let mut accesses = Vec::new();
        let mut add = |action, table: &TableName, item: &SuppliedItem, expressions: Expressions<'_>| {
            accesses.push(Access {
                action,
                attributes: expressions.attributes().and(names(item.unchecked())),
                enclosing: Some("TransactWriteItems"),
                ..self.item(table.name(), &[item])
            });
        };
        for item in &input.transact_items {
            if let Some(check) = &item.condition_check {
                let expressions = Expressions {
                    names: check.expression_attribute_names.as_ref(),
                    values: check.expression_attribute_values.as_ref(),
                    condition: Some(&check.condition_expression),
                    ..Expressions::default()
                };
                add("dynamodb:ConditionCheckItem", &check.table_name, &check.key, expressions);
            }
            if let Some(put) = &item.put {
                let expressions = Expressions {
                    names: put.expression_attribute_names.as_ref(),
                    values: put.expression_attribute_values.as_ref(),
                    condition: put.condition_expression.as_deref(),
                    ..Expressions::default()
                };
                add("dynamodb:PutItem", &put.table_name, &put.item, expressions);
            }
            if let Some(delete) = &item.delete {
                let expressions = Expressions {
                    names: delete.expression_attribute_names.as_ref(),
                    values: delete.expression_attribute_values.as_ref(),
                    condition: delete.condition_expression.as_deref(),
                    ..Expressions::default()
                };
                add("dynamodb:DeleteItem", &delete.table_name, &delete.key, expressions);
            }
            if let Some(update) = &item.update {
                let expressions = Expressions {
                    names: update.expression_attribute_names.as_ref(),
                    values: update.expression_attribute_values.as_ref(),
                    condition: update.condition_expression.as_deref(),
                    update: Some(&update.update_expression),
                    ..Expressions::default()
                };
                add("dynamodb:UpdateItem", &update.table_name, &update.key, expressions);
            }
        }
        accesses
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
        let conditioned = |action, table: &str, condition: Option<&sortkey_expression::Condition>| {
            let partition = self.backend.partition_key(self.fork, table, None);
            let leading_keys = match (condition, partition) {
                (Some(condition), Some(partition)) => fixed(condition, &partition),
                _ => Concerned::Everything,
            };
            let mut named = Vec::new();
            if let Some(condition) = condition {
                expressions::add(&condition.paths(), &mut named);
            }
            Access {
                action,
                leading_keys,
                attributes: Concerned::These(named),
                enclosing,
                ..self.on_table(table)
            }
        };
        match &statement {
            Statement::Select(select) | Statement::Exists(select) => {
                let (table, index) = (select.source.table.as_str(), select.source.index.as_deref());
                let partition = self.backend.partition_key(self.fork, table, index);
                let leading_keys = match (&select.condition, partition) {
                    (Some(condition), Some(partition)) => fixed(condition, &partition),
                    _ => Concerned::Everything,
                };
                let mut named = Vec::new();
                if let Some(condition) = &select.condition {
                    expressions::add(&condition.paths(), &mut named);
                }
                let attributes = match &select.columns {
                    None => Concerned::Everything,
                    Some(columns) => {
                        expressions::add(
                            &columns.iter().map(|column| &column.path).collect::<Vec<_>>(),
                            &mut named,
                        );
                        Concerned::These(named)
                    }
                };
                Access {
                    action: "dynamodb:PartiQLSelect",
                    full_table_scan: Some(leading_keys == Concerned::Everything),
                    leading_keys,
                    attributes,
                    enclosing,
                    ..self.on_index(table, index)
                }
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
                let access = conditioned("dynamodb:PartiQLUpdate", &update.table, update.condition.as_ref());
                Access { attributes: access.attributes.and(Concerned::These(named)), ..access }
            }
            Statement::Delete(delete) => {
                conditioned("dynamodb:PartiQLDelete", &delete.table, delete.condition.as_ref())
            }
        }
    }

    /// An access to items of a table, by their keys.
    fn item(&self, table: &str, items: &[&SuppliedItem]) -> Access {
        let partition = self.backend.partition_key(self.fork, table, None);
        let leading_keys = items.iter().map(|item| leading_key(item.unchecked(), partition.as_deref()));
        Access { leading_keys: leading_keys.fold(Concerned::Nothing, Concerned::and), ..self.on_table(table) }
    }

    fn on(&self, resource: &str) -> Access {
        Access { action: action(self.operation), resource: resource.to_owned(), ..Access::default() }
    }

    fn on_table(&self, table: &str) -> Access {
        let region = self.region;
        let owner = Owner { table: table.to_owned(), stream: None };
        Access {
            owner: Some(owner),
            ..self.on(&format!("arn:aws:dynamodb:{region}:{ACCOUNT}:table/{table}"))
        }
    }

    fn on_index(&self, table: &str, index: Option<&str>) -> Access {
        let access = self.on_table(table);
        match index {
            None => access,
            Some(index) => Access { resource: format!("{}/index/{index}", access.resource), ..access },
        }
    }

    fn on_stream(&self, table: &str, label: &str) -> Access {
        let access = self.on_table(table);
        let owner = Owner { table: table.to_owned(), stream: Some(label.to_owned()) };
        Access { owner: Some(owner), resource: format!("{}/stream/{label}", access.resource), ..access }
    }

    /// An access to what an ARN names. Region and account of the ARN do not matter to the engine, so they must not matter
    /// here: what is authorised is what is acted on.
    fn on_arn(&self, arn: &str) -> Access {
        let path = arn.splitn(6, ':').nth(5).and_then(|path| path.strip_prefix("table/"));
        match path.map(|path| {
            path.split_once("/stream/").map_or((path, None), |(table, label)| (table, Some(label)))
        }) {
            Some((table, Some(label))) => self.on_stream(table, label),
            Some((table, None)) => self.on_table(table.split('/').next().unwrap_or_default()),
            None => self.on(arn),
        }
    }
}

/// The attributes that a read returns or looks at; everything if it says nothing else.
fn read_attributes(
    expressions: &Expressions<'_>,
    attributes_to_get: Option<&[String]>,
    select: Option<&Select>,
) -> Concerned {
    let named = expressions.attributes();
    match (expressions.projection, attributes_to_get, select) {
        (_, Some(list), _) => named.and(Concerned::These(list.to_vec())),
        (Some(_), None, _) | (None, None, Some(Select::Count)) => named,
        (None, None, _) => Concerned::Everything,
    }
}

/// The names in a parameter from before expressions.
fn keys<V>(map: Option<&StringMap<V>>) -> Concerned {
    map.map_or(Concerned::Nothing, |map| Concerned::These(map.keys().map(str::to_owned).collect()))
}

fn legacy_key(conditions: &StringMap<LegacyCondition>, partition: &str) -> Concerned {
    let fixed = conditions.get(partition).filter(|it| it.comparison_operator == ComparisonOperator::Eq);
    let values = fixed.and_then(|condition| condition.attribute_value_list.as_deref());
    let texts: Option<Vec<String>> =
        values.and_then(|values| values.iter().map(|value| value.checked().ok().and_then(text_of)).collect());
    texts.map_or(Concerned::Everything, Concerned::These)
}

fn chosen(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// The action of an operation, with the name of its service.
fn action(operation: OperationId) -> &'static str {
    ACTIONS.iter().find(|(id, _)| *id == operation).map_or("dynamodb:Unknown", |(_, action)| action)
}

macro_rules! actions {
    ($($name:ident: $module:ident,)+) => {
        /// Every supported operation with its action.
        const ACTIONS: &[(OperationId, &str)] =
            &[$((OperationId::$name, concat!("dynamodb:", stringify!($name))),)+];
    };
}

sortkey_api::with_operations!(actions);
