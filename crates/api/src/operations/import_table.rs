//! ImportTable.

use crate::shape::shape;
use crate::shapes::transfer::{
    ImportTableDescription, InputCompressionType, InputFormat, InputFormatOptions, S3BucketSource,
    TableCreationParameters,
};

shape! {
    /// The files, their format, and the table to create from them.
    struct ImportTableInput {
        client_token: Option<String> = "ClientToken", &[NoDollarSign];
        s3_bucket_source: S3BucketSource = "S3BucketSource";
        input_format: InputFormat = "InputFormat";
        input_format_options: Option<InputFormatOptions> = "InputFormatOptions";
        input_compression_type: Option<InputCompressionType> = "InputCompressionType";
        table_creation_parameters: TableCreationParameters = "TableCreationParameters";
    }
}

shape! {
    /// The import as it begins.
    struct ImportTableOutput {
        import_table_description: ImportTableDescription = "ImportTableDescription";
    }
}
