//! Statements with their parameters in place.

use sortkey_expression::{Condition, Path, Update};
use sortkey_value::Item;

/// A bound statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `SELECT`.
    Select(Select),
    /// `INSERT`.
    Insert(Insert),
    /// `UPDATE`, or `FROM ... SET`.
    Update(UpdateItem),
    /// `DELETE`.
    Delete(Delete),
    /// `EXISTS(SELECT ...)`: a condition of a transaction.
    Exists(Select),
}

/// The table or index that a `SELECT` reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The table.
    pub table: String,
    /// The index, if one is named.
    pub index: Option<String>,
}

/// `SELECT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// The table or index to read.
    pub source: Source,
    /// The columns; `None` for all attributes.
    pub columns: Option<Vec<Column>>,
    /// `WHERE`.
    pub condition: Option<Condition>,
    /// `ORDER BY`.
    pub order: Vec<Order>,
}

impl Select {
    /// Reduces an item to the columns. Columns that the item lacks are left out.
    pub fn project(&self, item: &Item) -> Item {
        let Some(columns) = &self.columns else {
            return item.clone();
        };
        let mut row = Item::builder();
        for column in columns {
            if let Some(value) = column.path.find(item) {
                row.name(&column.name);
                row.value(value);
            }
        }
        row.finish()
    }
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The path of the shown value.
    pub path: Path,
    /// The column's name: the last name in the path and the indexes behind it, such as `b[0]` for `a.b[0]`.
    pub name: String,
}

/// A term of `ORDER BY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The attribute.
    pub attribute: String,
    /// Whether the largest come first.
    pub descending: bool,
}

/// `INSERT`: the item must not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The table.
    pub table: String,
    /// The item.
    pub item: Item,
}

/// `UPDATE`: the item must exist.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateItem {
    /// The table.
    pub table: String,
    /// The changes.
    pub update: Update,
    /// `WHERE`.
    pub condition: Option<Condition>,
    /// `RETURNING`.
    pub returning: Option<Returning>,
}

/// `DELETE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// The table.
    pub table: String,
    /// `WHERE`.
    pub condition: Option<Condition>,
    /// Whether the old item is returned.
    pub returns_old: bool,
}

/// The result of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    /// `ALL OLD *`.
    AllOld,
    /// `ALL NEW *`.
    AllNew,
    /// `MODIFIED OLD *`.
    ModifiedOld,
    /// `MODIFIED NEW *`.
    ModifiedNew,
}

impl Returning {
    /// As written.
    pub fn as_str(self) -> &'static str {
        match self {
            Returning::AllOld => "ALL OLD *",
            Returning::AllNew => "ALL NEW *",
            Returning::ModifiedOld => "MODIFIED OLD *",
            Returning::ModifiedNew => "MODIFIED NEW *",
        }
    }
}
