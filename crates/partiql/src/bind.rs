//! From a statement as written, and its parameters, to a statement.

mod condition;
mod path;
mod update;
mod value;

use std::collections::BTreeSet;

use sortkey_expression::Condition;
use sortkey_value::{AttributeValue, Item, Map};

use crate::error::PartiqlError;
use crate::statement::{Column, Delete, Insert, Order, Returning, Select, Source, Statement, UpdateItem};
use crate::syntax::{DeleteNode, Expr, InsertNode, Node, SelectNode, StatementNode, UpdateNode};

/// Puts the parameters, of which there are as many as question marks, into a statement.
pub(crate) fn statement(
    node: &StatementNode,
    parameters: &[AttributeValue],
) -> Result<Statement, PartiqlError> {
    let binder = Binder { parameters };
    match node {
        StatementNode::Select(select) => binder.select(select).map(Statement::Select),
        StatementNode::Insert(insert) => binder.insert(insert).map(Statement::Insert),
        StatementNode::Update(update) => binder.update(update).map(Statement::Update),
        StatementNode::Delete(delete) => binder.delete(delete).map(Statement::Delete),
        StatementNode::Expression(node) => match &node.expr {
            Expr::Call(name, operands) if name == "exists" => match operands.first().map(|node| &node.expr) {
                Some(Expr::Select(select)) => binder.select(select).map(Statement::Exists),
                _ => Err(PartiqlError::UnrecognizedFunction { name: name.clone(), place: node.place }),
            },
            other => Err(PartiqlError::UnsupportedOperation(other.name())),
        },
    }
}

/// The parameters of a statement.
#[derive(Clone, Copy)]
struct Binder<'p> {
    parameters: &'p [AttributeValue],
}

impl Binder<'_> {
    fn select(self, select: &SelectNode) -> Result<Select, PartiqlError> {
        if select.aliased {
            return Err(PartiqlError::Aliasing);
        }
        let source = source(&path::source_names(&select.source)?)?;
        let columns = columns(&select.columns)?;
        let condition = self.optional_condition(select.condition.as_ref())?;
        let order = select
            .order
            .iter()
            .map(|order| match &order.term.expr {
                Expr::Path(attribute, steps) if steps.is_empty() => {
                    Ok(Order { attribute: attribute.clone(), descending: order.descending })
                }
                other => Err(PartiqlError::OrderKind(other.name())),
            })
            .collect::<Result<_, _>>()?;
        Ok(Select { source, columns, condition, order })
    }

    fn insert(self, insert: &InsertNode) -> Result<Insert, PartiqlError> {
        if !insert.single {
            return Err(PartiqlError::SeveralItems);
        }
        if insert.returning {
            return Err(PartiqlError::InsertReturning);
        }
        let table = write_table(&insert.table)?;
        let Expr::Struct(members) = &insert.item.expr else {
            return Err(PartiqlError::ItemSyntax);
        };
        let mut attributes = Map::new();
        for (key, value) in members {
            let name = value::struct_key(key, "root")?;
            let value = self.value(value)?;
            if attributes.insert(name.clone(), value).is_some() {
                return Err(PartiqlError::DuplicateKey { key: name, under: "root".to_owned() });
            }
        }
        Ok(Insert { table, item: Item::from(attributes) })
    }

    fn update(self, update: &UpdateNode) -> Result<UpdateItem, PartiqlError> {
        if update.aliased {
            return Err(PartiqlError::Aliasing);
        }
        Ok(UpdateItem {
            table: write_table(&update.table)?,
            update: self.changes(&update.changes)?,
            condition: self.optional_condition(update.condition.as_ref())?,
            returning: update.returning,
        })
    }

    fn delete(self, delete: &DeleteNode) -> Result<Delete, PartiqlError> {
        if delete.aliased {
            return Err(PartiqlError::Aliasing);
        }
        let table = write_table(&delete.table)?;
        let returns_old = match delete.returning {
            None => false,
            Some(Returning::AllOld) => true,
            Some(other) => return Err(PartiqlError::DeleteReturning(other.as_str())),
        };
        let condition = self.optional_condition(delete.condition.as_ref())?;
        Ok(Delete { table, condition, returns_old })
    }

    fn optional_condition(self, node: Option<&Node>) -> Result<Option<Condition>, PartiqlError> {
        node.map(|node| self.where_clause(node)).transpose()
    }
}

fn source(names: &[String]) -> Result<Source, PartiqlError> {
    if names.iter().any(String::is_empty) {
        return Err(PartiqlError::EmptyPathComponent);
    }
    match names {
        [table] => Ok(Source { table: table.clone(), index: None }),
        [table, index] => Ok(Source { table: table.clone(), index: Some(index.clone()) }),
        _ => Err(PartiqlError::LongSource),
    }
}

fn write_table(names: &[String]) -> Result<String, PartiqlError> {
    match source(names)? {
        Source { table, index: None } => Ok(table),
        _ => Err(PartiqlError::WriteToIndex),
    }
}

fn columns(nodes: &[Node]) -> Result<Option<Vec<Column>>, PartiqlError> {
    if nodes.iter().any(|node| node.expr == Expr::Star) {
        return match nodes.len() {
            1 => Ok(None),
            _ => Err(PartiqlError::StarAndColumns),
        };
    }
    let mut names = BTreeSet::new();
    let mut columns = Vec::with_capacity(nodes.len());
    for node in nodes {
        let path = path::path(node)?;
        let name = path::column_name(&path);
        if !names.insert(name.clone()) {
            return Err(PartiqlError::DuplicateColumn(name));
        }
        columns.push(Column { path, name });
    }
    Ok(Some(columns))
}
