//! DeleteTable.

use crate::shape::{TableName, shape};
use crate::shapes::limits::CONTROL_TABLE;
use crate::shapes::table::TableDescription;

shape! {
    /// The table.
    struct DeleteTableInput {
        table_name: TableName = "TableName", CONTROL_TABLE;
    }
}

shape! {
    /// The table as it is about to go.
    struct DeleteTableOutput {
        table_description: Option<TableDescription> = "TableDescription";
    }
}
