//! DescribeExport.

use crate::shape::shape;
use crate::shapes::limits::BACKUP_ARN;
use crate::shapes::transfer::ExportDescription;

shape! {
    /// The export to describe.
    struct DescribeExportInput {
        export_arn: String = "ExportArn", BACKUP_ARN;
    }
}

shape! {
    /// The export as it is.
    struct DescribeExportOutput {
        export_description: Option<ExportDescription> = "ExportDescription";
    }
}
