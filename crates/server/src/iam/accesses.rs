//! The accesses of a request, as AWS authorises them: actions on resources, with the values of DynamoDB's condition
//! keys.
//!
//! [`items`] reads the operations on items, [`batches`] batches and transactions, [`statements`] PartiQL, and [`managed`]
//! everything about tables, backups, streams and policies.

/// The expressions of an input, with its placeholders for names.
macro_rules! expressions {
    ($input:expr $(, $part:ident: $text:expr)*) => {
        Expressions {
            names: $input.expression_attribute_names.as_ref(),
            $($part: $text,)*
            ..Expressions::default()
        }
    };
}

mod batches;
mod items;
mod managed;
mod statements;

use sortkey_access::ACCOUNT;
use sortkey_api::shapes::returns::ReturnValuesOnConditionCheckFailure;
use sortkey_api::{ApiError, OperationId, SuppliedItem, TableName, decode};

use super::context::Concerned;
use super::expressions::leading_key;
use crate::backend::{Backend, Call, ForkName};

/// One action on one resource.
#[derive(Clone, Debug, Default)]
pub(super) struct Access {
    pub(super) action: &'static str,
    pub(super) resource: String,
    /// The resource that may have a policy of its own.
    pub(super) owner: Option<Owner>,
    pub(super) leading_keys: Concerned,
    pub(super) attributes: Concerned,
    pub(super) select: Option<String>,
    pub(super) return_values: Option<String>,
    pub(super) return_consumed_capacity: Option<String>,
    pub(super) enclosing: Option<&'static str>,
    pub(super) full_table_scan: Option<bool>,
}

impl Access {
    /// An operation on a whole table, which reads or writes every item in it, or decides who may.
    fn of_all_items(self) -> Access {
        Access { leading_keys: Concerned::Everything, attributes: Concerned::Everything, ..self }
    }

    /// A write whose refusal shows the item. It reads everything that a write with `ReturnValues: ALL_OLD` reads, without the
    /// right to write being enough.
    fn showing(self, asked: Option<&ReturnValuesOnConditionCheckFailure>) -> Access {
        match asked {
            Some(ReturnValuesOnConditionCheckFailure::AllOld) => Access {
                attributes: Concerned::Everything,
                return_values: Some(ReturnValuesOnConditionCheckFailure::AllOld.as_str().to_owned()),
                ..self
            },
            _ => self,
        }
    }
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
            Id::ExecuteStatement => vec![self.execute_statement(&decode(body)?)],
            Id::BatchExecuteStatement => self.batch_execute(&decode(body)?),
            Id::ExecuteTransaction => self.execute_transaction(&decode(body)?),
            _ => self.managed(body)?,
        })
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

    fn on_named(&self, table: &TableName) -> Access {
        self.on_table(table.name())
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
    /// here: the authorised resource must be the one that is used.
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
