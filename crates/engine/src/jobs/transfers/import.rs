//! Imports: what was asked for, how far they are, and how they are shown. `reading.rs` does the work.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sortkey_api::shapes::transfer::{
    CsvOptions, ImportStatus, ImportSummary, ImportTableDescription, InputCompressionType, InputFormat,
    InputFormatOptions, S3BucketSource,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Published, Value};

use super::Status;
use crate::catalog::describe::timestamp;
use crate::engine::Shared;
use crate::{catalog, layout, text};

/// An import's descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Import {
    /// The end of its ARN.
    pub(crate) label: String,
    pub(crate) table_name: Arc<str>,
    pub(crate) table_uuid: String,
    pub(crate) request: Request,
    pub(crate) started_ms: u64,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) status: Status,
    pub(crate) imported: i64,
    pub(crate) errors: i64,
    pub(crate) size_bytes: i64,
}

/// The parameters of the request; a token is bound to one set of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) token: Option<String>,
    pub(crate) bucket: String,
    pub(crate) bucket_owner: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) format: Format,
    pub(crate) compression: Compression,
    /// The declaration of the table, as it was sent.
    pub(crate) table: String,
}

/// How items are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    DynamodbJson,
    Csv { delimiter: Option<char>, header: Option<Vec<String>> },
}

/// How files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Import {
    /// The import that an ARN names.
    pub(crate) fn find(shared: &Shared, view: &Published, arn: &str) -> Result<Import, ApiError> {
        let label = arn.rsplit_once("/import/").map_or("", |(_, label)| label);
        let found = catalog::entry::<Import>(view, &layout::import(label))?;
        found.filter(|import| import.arn(shared) == arn).ok_or_else(|| {
            ApiError::new(ErrorKind::ImportNotFoundException, format!("Import not found: {arn}"))
        })
    }

    pub(crate) fn arn(&self, shared: &Shared) -> String {
        format!("{}/import/{}", shared.table_arn(&self.table_name), self.label)
    }

    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_vec(self).expect("a descriptor has only string keys").into()
    }

    pub(crate) fn summary(&self, shared: &Shared) -> ImportSummary {
        ImportSummary {
            import_arn: Some(self.arn(shared)),
            import_status: Some(self.shown_status()),
            table_arn: Some(shared.table_arn(&self.table_name)),
            s3_bucket_source: Some(self.request.source()),
            input_format: Some(self.request.shown_format()),
            start_time: Some(timestamp(self.started_ms)),
            end_time: self.ended_ms.map(timestamp),
        }
    }

    pub(crate) fn description(&self, shared: &Shared) -> ImportTableDescription {
        let failure = match &self.status {
            Status::Failed(failure) => Some(failure.clone()),
            _ => None,
        };
        let parameters = sortkey_api::decode(self.request.table.as_bytes());
        ImportTableDescription {
            import_arn: Some(self.arn(shared)),
            import_status: Some(self.shown_status()),
            table_arn: Some(shared.table_arn(&self.table_name)),
            table_id: Some(self.table_uuid.clone()),
            client_token: self.request.token.clone(),
            s3_bucket_source: Some(self.request.source()),
            error_count: Some(self.errors),
            input_format: Some(self.request.shown_format()),
            input_format_options: self.request.shown_options(),
            input_compression_type: Some(self.request.shown_compression()),
            // It was read before, when the import began.
            table_creation_parameters: parameters.ok(),
            start_time: Some(timestamp(self.started_ms)),
            end_time: self.ended_ms.map(timestamp),
            processed_size_bytes: Some(self.size_bytes),
            processed_item_count: Some(self.imported + self.errors),
            imported_item_count: Some(self.imported),
            failure_code: failure.as_ref().map(|failure| failure.code.clone()),
            failure_message: failure.map(|failure| failure.message),
        }
    }

    fn shown_status(&self) -> ImportStatus {
        match self.status {
            Status::InProgress => ImportStatus::InProgress,
            Status::Completed => ImportStatus::Completed,
            Status::Failed(_) => ImportStatus::Failed,
        }
    }
}

impl Request {
    fn source(&self) -> S3BucketSource {
        S3BucketSource {
            s3_bucket_owner: self.bucket_owner.clone(),
            s3_bucket: self.bucket.clone(),
            s3_key_prefix: self.prefix.clone(),
        }
    }

    fn shown_format(&self) -> InputFormat {
        match self.format {
            Format::DynamodbJson => InputFormat::DynamodbJson,
            Format::Csv { .. } => InputFormat::Csv,
        }
    }

    fn shown_options(&self) -> Option<InputFormatOptions> {
        let Format::Csv { delimiter, header } = &self.format else { return None };
        let delimiter = delimiter.map(String::from);
        (delimiter.is_some() || header.is_some())
            .then(|| InputFormatOptions { csv: Some(CsvOptions { delimiter, header_list: header.clone() }) })
    }

    fn shown_compression(&self) -> InputCompressionType {
        match self.compression {
            Compression::None => InputCompressionType::None,
            Compression::Gzip => InputCompressionType::Gzip,
            Compression::Zstd => InputCompressionType::Zstd,
        }
    }
}

/// The format that a request names, with its options.
pub(crate) fn format(asked: &InputFormat, options: Option<&InputFormatOptions>) -> Result<Format, ApiError> {
    let csv = options.and_then(|options| options.csv.as_ref());
    match asked {
        InputFormat::Ion => Err(text::unsupported_parameter("InputFormat ION")),
        InputFormat::Csv => {
            let delimiter = csv.and_then(|csv| csv.delimiter.as_deref()).and_then(|text| text.chars().next());
            if delimiter.is_some_and(|delimiter| !matches!(delimiter, ',' | ';' | ':' | '|' | '\t' | ' ')) {
                return Err(ApiError::invalid_parameter("Delimiter must be one of , ; : | tab and space"));
            }
            Ok(Format::Csv { delimiter, header: csv.and_then(|csv| csv.header_list.clone()) })
        }
        _ if csv.is_some() => Err(ApiError::validation(format!(
            "Invalid Request: Unsupported InputFormatOptions for the given input format: {asked}."
        ))),
        _ => Ok(Format::DynamodbJson),
    }
}

/// The compression that a request names.
pub(crate) fn compression(asked: Option<&InputCompressionType>) -> Compression {
    match asked {
        Some(InputCompressionType::Gzip) => Compression::Gzip,
        Some(InputCompressionType::Zstd) => Compression::Zstd,
        _ => Compression::None,
    }
}
