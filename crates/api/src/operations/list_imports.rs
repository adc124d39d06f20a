//! ListImports.

use crate::shape::{TableName, shape};
use crate::shapes::transfer::ImportSummary;

shape! {
    /// The table whose imports to list, and the page.
    struct ListImportsInput {
        table_arn: Option<TableName> = "TableArn";
        page_size: Option<i32> = "PageSize", &[AtLeast(1), AtMost(25)];
        next_token: Option<String> = "NextToken", &[MinLength(112), MaxLength(1024)];
    }
}

shape! {
    /// A page of imports.
    struct ListImportsOutput {
        import_summary_list: Option<Vec<ImportSummary>> = "ImportSummaryList";
        next_token: Option<String> = "NextToken";
    }
}
