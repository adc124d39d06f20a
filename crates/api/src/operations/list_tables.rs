//! ListTables.

use crate::shape::shape;
use crate::shapes::limits::PLAIN_TABLE_NAME;

shape! {
    /// The page to list.
    struct ListTablesInput {
        exclusive_start_table_name: Option<String> = "ExclusiveStartTableName", PLAIN_TABLE_NAME;
        limit: Option<i32> = "Limit", &[AtLeast(1), AtMost(100)];
    }
}

shape! {
    /// A page of names, in order.
    struct ListTablesOutput {
        table_names: Vec<String> = "TableNames";
        last_evaluated_table_name: Option<String> = "LastEvaluatedTableName";
    }
}
