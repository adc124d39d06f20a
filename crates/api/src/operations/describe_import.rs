//! DescribeImport.

use crate::shape::shape;
use crate::shapes::limits::BACKUP_ARN;
use crate::shapes::transfer::ImportTableDescription;

shape! {
    /// The import to describe.
    struct DescribeImportInput {
        import_arn: String = "ImportArn", BACKUP_ARN;
    }
}

shape! {
    /// The import as it is.
    struct DescribeImportOutput {
        import_table_description: ImportTableDescription = "ImportTableDescription";
    }
}
