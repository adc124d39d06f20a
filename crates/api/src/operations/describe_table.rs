//! DescribeTable.

use crate::shape::{TableName, shape};
use crate::shapes::limits::CONTROL_TABLE;
use crate::shapes::table::TableDescription;

shape! {
    /// The table.
    struct DescribeTableInput {
        table_name: TableName = "TableName", CONTROL_TABLE;
    }
}

shape! {
    /// The table as it is.
    struct DescribeTableOutput {
        table: Option<TableDescription> = "Table";
    }
}
