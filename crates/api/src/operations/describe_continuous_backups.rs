//! DescribeContinuousBackups.

use crate::shape::{TableName, shape};
use crate::shapes::recovery::ContinuousBackupsDescription;

shape! {
    /// The table.
    struct DescribeContinuousBackupsInput {
        table_name: TableName = "TableName";
    }
}

shape! {
    /// The setting as it is.
    struct DescribeContinuousBackupsOutput {
        continuous_backups_description: Option<ContinuousBackupsDescription> = "ContinuousBackupsDescription";
    }
}
