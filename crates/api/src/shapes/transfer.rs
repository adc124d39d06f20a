//! Exports of tables to files, and imports of tables from files.

use super::index::GlobalSecondaryIndex;
use super::limits::{PLAIN_TABLE_NAME, S3_BUCKET};
use super::table::{AttributeDefinition, KeySchemaElement, SSESpecification};
use super::throughput::{BillingMode, OnDemandThroughput, ProvisionedThroughput};
use crate::attributes::SuppliedItem;
use crate::shape::{RawJson, Timestamp, choices, shape};

choices! {
    /// The status of an export.
    enum ExportStatus {
        InProgress = "IN_PROGRESS",
        Completed = "COMPLETED",
        Failed = "FAILED",
    }
}

choices! {
    /// How exported items are written.
    enum ExportFormat {
        DynamodbJson = "DYNAMODB_JSON",
        Ion = "ION",
    }
}

choices! {
    /// Whether an export has all items, or those that changed.
    enum ExportType {
        FullExport = "FULL_EXPORT",
        IncrementalExport = "INCREMENTAL_EXPORT",
    }
}

choices! {
    /// How files in a bucket are encrypted.
    enum S3SseAlgorithm {
        Aes256 = "AES256",
        Kms = "KMS",
    }
}

choices! {
    /// The status of an import.
    enum ImportStatus {
        InProgress = "IN_PROGRESS",
        Completed = "COMPLETED",
        Cancelling = "CANCELLING",
        Cancelled = "CANCELLED",
        Failed = "FAILED",
    }
}

choices! {
    /// How items to be imported are written.
    enum InputFormat {
        DynamodbJson = "DYNAMODB_JSON",
        Ion = "ION",
        Csv = "CSV",
    }
}

choices! {
    /// How files to be imported are compressed.
    enum InputCompressionType {
        Gzip = "GZIP",
        Zstd = "ZSTD",
        None = "NONE",
    }
}

shape! {
    /// An export as it is.
    struct ExportDescription {
        export_arn: Option<String> = "ExportArn";
        export_status: Option<ExportStatus> = "ExportStatus";
        start_time: Option<Timestamp> = "StartTime";
        end_time: Option<Timestamp> = "EndTime";
        export_manifest: Option<String> = "ExportManifest";
        table_arn: Option<String> = "TableArn";
        table_id: Option<String> = "TableId";
        export_time: Option<Timestamp> = "ExportTime";
        client_token: Option<String> = "ClientToken";
        s3_bucket: Option<String> = "S3Bucket";
        s3_bucket_owner: Option<String> = "S3BucketOwner";
        s3_prefix: Option<String> = "S3Prefix";
        s3_sse_algorithm: Option<S3SseAlgorithm> = "S3SseAlgorithm";
        s3_sse_kms_key_id: Option<String> = "S3SseKmsKeyId";
        failure_code: Option<String> = "FailureCode";
        failure_message: Option<String> = "FailureMessage";
        export_format: Option<ExportFormat> = "ExportFormat";
        billed_size_bytes: Option<i64> = "BilledSizeBytes";
        item_count: Option<i64> = "ItemCount";
        export_type: Option<ExportType> = "ExportType";
    }
}

shape! {
    /// An export in a list.
    struct ExportSummary {
        export_arn: Option<String> = "ExportArn";
        export_status: Option<ExportStatus> = "ExportStatus";
        export_type: Option<ExportType> = "ExportType";
    }
}

shape! {
    /// The files of an import.
    struct S3BucketSource {
        s3_bucket_owner: Option<String> = "S3BucketOwner", &[AccountNumber];
        s3_bucket: String = "S3Bucket", S3_BUCKET;
        s3_key_prefix: Option<String> = "S3KeyPrefix", &[MaxLength(1024)];
    }
}

shape! {
    /// The options of a format.
    struct InputFormatOptions {
        csv: Option<CsvOptions> = "Csv";
    }
}

shape! {
    /// The delimiter of a line's fields, and their names if there is no header line.
    struct CsvOptions {
        delimiter: Option<String> = "Delimiter", &[MinLength(1), MaxLength(1)];
        header_list: Option<Vec<String>> = "HeaderList", &[MinLength(1), MaxLength(255)];
    }
}

shape! {
    /// The table that an import creates.
    struct TableCreationParameters {
        table_name: String = "TableName", PLAIN_TABLE_NAME;
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions";
        key_schema: Vec<KeySchemaElement> = "KeySchema", &[MinLength(1), MaxLength(2)];
        billing_mode: Option<BillingMode> = "BillingMode";
        provisioned_throughput: Option<ProvisionedThroughput> = "ProvisionedThroughput";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        sse_specification: Option<SSESpecification> = "SSESpecification";
        global_secondary_indexes: Option<Vec<GlobalSecondaryIndex>> = "GlobalSecondaryIndexes";
        /// Known, so that it can be refused.
        vector_indexes: Option<RawJson> = "VectorIndexes";
    }
}

shape! {
    /// An import as it is.
    struct ImportTableDescription {
        import_arn: Option<String> = "ImportArn";
        import_status: Option<ImportStatus> = "ImportStatus";
        table_arn: Option<String> = "TableArn";
        table_id: Option<String> = "TableId";
        client_token: Option<String> = "ClientToken";
        s3_bucket_source: Option<S3BucketSource> = "S3BucketSource";
        error_count: Option<i64> = "ErrorCount";
        input_format: Option<InputFormat> = "InputFormat";
        input_format_options: Option<InputFormatOptions> = "InputFormatOptions";
        input_compression_type: Option<InputCompressionType> = "InputCompressionType";
        table_creation_parameters: Option<TableCreationParameters> = "TableCreationParameters";
        start_time: Option<Timestamp> = "StartTime";
        end_time: Option<Timestamp> = "EndTime";
        processed_size_bytes: Option<i64> = "ProcessedSizeBytes";
        processed_item_count: Option<i64> = "ProcessedItemCount";
        imported_item_count: Option<i64> = "ImportedItemCount";
        failure_code: Option<String> = "FailureCode";
        failure_message: Option<String> = "FailureMessage";
    }
}

shape! {
    /// An import in a list.
    struct ImportSummary {
        import_arn: Option<String> = "ImportArn";
        import_status: Option<ImportStatus> = "ImportStatus";
        table_arn: Option<String> = "TableArn";
        s3_bucket_source: Option<S3BucketSource> = "S3BucketSource";
        input_format: Option<InputFormat> = "InputFormat";
        start_time: Option<Timestamp> = "StartTime";
        end_time: Option<Timestamp> = "EndTime";
    }
}

shape! {
    /// One line of an exported file: `{"Item":{...}}`.
    struct ItemLine {
        item: SuppliedItem = "Item";
    }
}
