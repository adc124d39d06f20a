//! Exports: what was asked for, how far they are, and how they are shown. `writing.rs` does the work.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sortkey_api::shapes::transfer::{
    ExportDescription, ExportFormat, ExportStatus, ExportSummary, ExportType, S3SseAlgorithm,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Published, Value};

use super::Status;
use super::bucket::EXPORTS;
use crate::catalog::describe::timestamp;
use crate::engine::Shared;
use crate::history::past::Moment;
use crate::{catalog, layout};

/// An export's descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Export {
    /// The end of its ARN.
    pub(crate) label: String,
    pub(crate) table_name: Arc<str>,
    pub(crate) table_id: u32,
    pub(crate) table_uuid: String,
    pub(crate) moment: Moment,
    pub(crate) request: Request,
    pub(crate) started_ms: u64,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) status: Status,
    pub(crate) item_count: i64,
    pub(crate) size_bytes: i64,
}

/// The parameters of the request; a token is bound to one set of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) token: Option<String>,
    pub(crate) time_ms: Option<i64>,
    pub(crate) bucket: String,
    pub(crate) bucket_owner: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) encryption: Option<String>,
    pub(crate) encryption_key: Option<String>,
}

impl Export {
    /// The export that an ARN names.
    pub(crate) fn find(shared: &Shared, view: &Published, arn: &str) -> Result<Export, ApiError> {
        let label = arn.rsplit_once("/export/").map_or("", |(_, label)| label);
        let found = catalog::entry::<Export>(view, &layout::export(label))?;
        found.filter(|export| export.arn(shared) == arn).ok_or_else(|| {
            ApiError::new(ErrorKind::ExportNotFoundException, format!("Export not found: {arn}"))
        })
    }

    pub(crate) fn arn(&self, shared: &Shared) -> String {
        format!("{}/export/{}", shared.table_arn(&self.table_name), self.label)
    }

    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_vec(self).expect("a descriptor has only string keys").into()
    }

    pub(crate) fn summary(&self, shared: &Shared) -> ExportSummary {
        ExportSummary {
            export_arn: Some(self.arn(shared)),
            export_status: Some(self.shown_status()),
            export_type: Some(ExportType::FullExport),
        }
    }

    pub(crate) fn description(&self, shared: &Shared) -> ExportDescription {
        let request = &self.request;
        let is_complete = self.status == Status::Completed;
        let failure = match &self.status {
            Status::Failed(failure) => Some(failure.clone()),
            _ => None,
        };
        ExportDescription {
            export_arn: Some(self.arn(shared)),
            export_status: Some(self.shown_status()),
            start_time: Some(timestamp(self.started_ms)),
            end_time: self.ended_ms.map(timestamp),
            export_manifest: is_complete.then(|| self.key("manifest-summary.json")),
            table_arn: Some(shared.table_arn(&self.table_name)),
            table_id: Some(self.table_uuid.clone()),
            export_time: Some(timestamp(self.moment.time_ms)),
            client_token: request.token.clone(),
            s3_bucket: Some(request.bucket.clone()),
            s3_bucket_owner: request.bucket_owner.clone(),
            s3_prefix: request.prefix.clone(),
            s3_sse_algorithm: Some(S3SseAlgorithm::from(self.encryption())),
            s3_sse_kms_key_id: request.encryption_key.clone(),
            failure_code: failure.as_ref().map(|failure| failure.code.clone()),
            failure_message: failure.map(|failure| failure.message),
            export_format: Some(ExportFormat::DynamodbJson),
            billed_size_bytes: Some(self.size_bytes),
            item_count: Some(self.item_count),
            export_type: Some(ExportType::FullExport),
        }
    }

    /// The encryption that the export reports for its files.
    pub(super) fn encryption(&self) -> &str {
        self.request.encryption.as_deref().unwrap_or("AES256")
    }

    /// The key of one of its files.
    pub(super) fn key(&self, file: &str) -> String {
        let prefix = self.request.prefix.as_deref().unwrap_or_default().trim_end_matches('/');
        let separator = if prefix.is_empty() { "" } else { "/" };
        format!("{prefix}{separator}{EXPORTS}/{}/{file}", self.label)
    }

    fn shown_status(&self) -> ExportStatus {
        match self.status {
            Status::InProgress => ExportStatus::InProgress,
            Status::Completed => ExportStatus::Completed,
            Status::Failed(_) => ExportStatus::Failed,
        }
    }
}
