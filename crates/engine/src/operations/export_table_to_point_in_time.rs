//! ExportTableToPointInTime: the table as it was, in files below the export directory.

use std::sync::Arc;

use sortkey_api::operations::{
    ExportTableToPointInTime, ExportTableToPointInTimeInput, ExportTableToPointInTimeOutput,
};
use sortkey_api::shapes::transfer::{ExportFormat, ExportType, S3SseAlgorithm};
use sortkey_api::{ApiError, ErrorKind, TableName};
use sortkey_storage::{Batch, Lock, Published};

use super::Run;
use crate::engine::Shared;
use crate::history::past::Moment;
use crate::reply::Reply;
use crate::catalog::table::{Hold, Table};
use crate::jobs::transfers::Status;
use crate::jobs::transfers::bucket::{Bucket, prefix_parts};
use crate::jobs::transfers::export::{Export, Request};
use crate::history::recovery;
use crate::{catalog, layout, text};

impl Run for ExportTableToPointInTime {
    fn run(
        shared: &Arc<Shared>,
        input: ExportTableToPointInTimeInput,
    ) -> Result<Reply<ExportTableToPointInTimeOutput>, ApiError> {
        refuse_unsupported(&input)?;
        if input.s3_sse_kms_key_id.is_some() && input.s3_sse_algorithm != Some(S3SseAlgorithm::Kms) {
            return Err(ApiError::validation("Invalid Request: KMS Key Id is not supported for this encryption type"));
        }
        Bucket::named(shared, &input.s3_bucket)?;
        prefix_parts(input.s3_prefix.as_deref().unwrap_or_default())?;
        let name = input.table_arn.name().to_owned();
        let request = request(input);
        let locks = vec![Lock::exclusive(layout::table(&name))];
        Ok(shared.write_then(locks, Shared::wake_transfers, move |shared, view| {
            if let Some(export) = repeated(view, &request, &name)? {
                return Ok((Batch::new(), answer(shared, &export)));
            }
            let table = shared.catalog.find(view, &name)?.ok_or_else(|| recovery::table_not_found(&shared.table_arn(&name)))?;
            let mut table = Table::clone(&table);
            let export = begin(shared, view, &table, request)?;
            table.holds.push(Hold { by: export.arn(shared), since_ms: export.moment.time_ms });
            let mut batch = Batch::new();
            batch.put(layout::table(&name), table.to_value());
            batch.changes_schema();
            batch.put(layout::export(&export.label), export.to_value());
            Ok((batch, answer(shared, &export)))
        }))
    }

    fn table(input: &ExportTableToPointInTimeInput) -> Option<&TableName> {
        Some(&input.table_arn)
    }
}

fn refuse_unsupported(input: &ExportTableToPointInTimeInput) -> Result<(), ApiError> {
    let given = [
        ("ExportFormat ION", input.export_format == Some(ExportFormat::Ion)),
        ("ExportType INCREMENTAL_EXPORT", input.export_type == Some(ExportType::IncrementalExport)),
        ("IncrementalExportSpecification", input.incremental_export_specification.is_some()),
        ("FilterSpecification", input.filter_specification.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(text::unsupported_parameter(name)),
        None => Ok(()),
    }
}

fn request(input: ExportTableToPointInTimeInput) -> Request {
    Request {
        token: input.client_token,
        time_ms: input.export_time.map(|time| time.millis),
        bucket: input.s3_bucket,
        bucket_owner: input.s3_bucket_owner,
        prefix: input.s3_prefix,
        encryption: input.s3_sse_algorithm.map(|algorithm| algorithm.as_str().to_owned()),
        encryption_key: input.s3_sse_kms_key_id,
    }
}

/// The export that the same token began, if it was the same.
fn repeated(view: &Published, request: &Request, table: &str) -> Result<Option<Export>, ApiError> {
    if request.token.is_none() {
        return Ok(None);
    }
    for export in catalog::entries::<Export>(view, layout::EXPORTS) {
        let export = export?;
        if export.request.token != request.token {
            continue;
        }
        if export.request == *request && *export.table_name == *table {
            return Ok(Some(export));
        }
        return Err(ApiError::new(
            ErrorKind::ExportConflictException,
            "The client token was used for an export with other parameters",
        ));
    }
    Ok(None)
}

fn begin(shared: &Shared, view: &Published, table: &Table, request: Request) -> Result<Export, ApiError> {
    let recovery = table.recovery.as_ref().ok_or_else(|| recovery::unavailable(&table.name))?;
    let now = shared.now_ms();
    let window = recovery.window_ms(now);
    let time_ms = match request.time_ms {
        None => *window.end(),
        Some(time) => u64::try_from(time).ok().filter(|time| window.contains(time)).ok_or_else(|| {
            ApiError::new(
                ErrorKind::InvalidExportTimeException,
                "The specified ExportTime is outside of the point in time recovery window.",
            )
        })?,
    };
    Ok(Export {
        label: shared.label(now),
        table_name: Arc::clone(&table.name),
        table_id: table.id,
        table_uuid: table.uuid.clone(),
        moment: Moment { time_ms, version: view.stamp.version },
        request,
        started_ms: now,
        ended_ms: None,
        status: Status::InProgress,
        item_count: 0,
        size_bytes: 0,
    })
}

fn answer(shared: &Shared, export: &Export) -> ExportTableToPointInTimeOutput {
    ExportTableToPointInTimeOutput { export_description: Some(export.description(shared)) }
}
