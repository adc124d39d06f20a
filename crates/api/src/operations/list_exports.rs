//! ListExports.

use crate::shape::{TableName, shape};
use crate::shapes::transfer::ExportSummary;

shape! {
    /// The table whose exports to list, and the page.
    struct ListExportsInput {
        table_arn: Option<TableName> = "TableArn";
        max_results: Option<i32> = "MaxResults", &[AtLeast(1), AtMost(25)];
        next_token: Option<String> = "NextToken";
    }
}

shape! {
    /// A page of exports.
    struct ListExportsOutput {
        export_summaries: Option<Vec<ExportSummary>> = "ExportSummaries";
        next_token: Option<String> = "NextToken";
    }
}
