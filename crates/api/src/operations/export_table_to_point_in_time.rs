//! ExportTableToPointInTime.

use crate::shape::{RawJson, TableName, Timestamp, shape};
use crate::shapes::limits::S3_BUCKET;
use crate::shapes::transfer::{ExportDescription, ExportFormat, ExportType, S3SseAlgorithm};

shape! {
    /// The table, the time and the destination of the export.
    struct ExportTableToPointInTimeInput {
        table_arn: TableName = "TableArn";
        export_time: Option<Timestamp> = "ExportTime";
        client_token: Option<String> = "ClientToken", &[NoDollarSign];
        s3_bucket: String = "S3Bucket", S3_BUCKET;
        s3_bucket_owner: Option<String> = "S3BucketOwner", &[AccountNumber];
        s3_prefix: Option<String> = "S3Prefix", &[MaxLength(1024)];
        s3_sse_algorithm: Option<S3SseAlgorithm> = "S3SseAlgorithm";
        s3_sse_kms_key_id: Option<String> = "S3SseKmsKeyId", &[MinLength(1), MaxLength(2048)];
        export_format: Option<ExportFormat> = "ExportFormat";
        export_type: Option<ExportType> = "ExportType";
        /// Known, so that it can be refused.
        incremental_export_specification: Option<RawJson> = "IncrementalExportSpecification";
        /// Known, so that it can be refused.
        filter_specification: Option<RawJson> = "FilterSpecification";
    }
}

shape! {
    /// The export as it begins.
    struct ExportTableToPointInTimeOutput {
        export_description: Option<ExportDescription> = "ExportDescription";
    }
}
