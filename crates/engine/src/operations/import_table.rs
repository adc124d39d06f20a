//! ImportTable: a new table, which can be used when the files are read.

use std::sync::Arc;

use sortkey_api::operations::{CreateTableInput, ImportTable, ImportTableInput, ImportTableOutput};
use sortkey_api::shapes::transfer::TableCreationParameters;
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Batch, Lock, Published};

use super::Run;
use super::create_table::draft;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::table::Filling;
use crate::jobs::transfers::Status;
use crate::jobs::transfers::bucket::Bucket;
use crate::jobs::transfers::import::{Import, Request, compression, format};
use crate::{catalog, layout};

impl Run for ImportTable {
    fn run(shared: &Arc<Shared>, input: ImportTableInput) -> Result<Reply<ImportTableOutput>, ApiError> {
        // AWS looks at the table before it looks at the bucket.
        let draft = draft(shared, &declaration(input.table_creation_parameters.clone()))?;
        Bucket::named(shared, &input.s3_bucket_source.s3_bucket)?;
        let request = request(&input)?;
        let name = Arc::clone(&draft.name);
        let locks = vec![Lock::exclusive(layout::table(&name)), Shared::ids_lock("table")];
        Ok(shared.write_then(locks, Shared::wake_transfers, move |shared, view| {
            if let Some(import) = repeated(view, &request)? {
                return Ok((Batch::new(), answer(shared, &import)));
            }
            let mut table = draft;
            if shared.catalog.find(view, &table.name)?.is_some() {
                return Err(ApiError::table_exists(&table.name));
            }
            let now = shared.now_ms();
            let import = Import {
                label: shared.label(now),
                table_name: Arc::clone(&table.name),
                table_uuid: table.uuid.clone(),
                request,
                started_ms: now,
                ended_ms: None,
                status: Status::InProgress,
                imported: 0,
                errors: 0,
                size_bytes: 0,
            };
            let mut batch = Batch::new();
            table.id = Shared::take_id(view, "table", &mut batch)?;
            table.created_ms = now;
            table.billing.on_demand_since_ms = table.billing.on_demand.then_some(now);
            table.filling = Some(Filling::Import { label: import.label.clone() });
            batch.put(layout::table(&table.name), table.to_value());
            batch.changes_schema();
            batch.put(layout::import(&import.label), import.to_value());
            Ok((batch, answer(shared, &import)))
        }))
    }
}

fn request(input: &ImportTableInput) -> Result<Request, ApiError> {
    let mut table = Vec::new();
    sortkey_api::encode(&input.table_creation_parameters, &mut table);
    let source = &input.s3_bucket_source;
    Ok(Request {
        token: input.client_token.clone(),
        bucket: source.s3_bucket.clone(),
        bucket_owner: source.s3_bucket_owner.clone(),
        prefix: source.s3_key_prefix.clone(),
        format: format(&input.input_format, input.input_format_options.as_ref())?,
        compression: compression(input.input_compression_type.as_ref()),
        table: String::from_utf8(table).map_err(|_| ApiError::internal())?,
    })
}

/// The table as CreateTable would declare it.
fn declaration(parameters: TableCreationParameters) -> CreateTableInput {
    CreateTableInput {
        table_name: parameters.table_name.into(),
        attribute_definitions: parameters.attribute_definitions,
        key_schema: parameters.key_schema,
        billing_mode: parameters.billing_mode,
        provisioned_throughput: parameters.provisioned_throughput,
        on_demand_throughput: parameters.on_demand_throughput,
        sse_specification: parameters.sse_specification,
        global_secondary_indexes: parameters.global_secondary_indexes,
        vector_indexes: parameters.vector_indexes,
        ..CreateTableInput::default()
    }
}

/// The import that the same token began, if it was the same.
fn repeated(view: &Published, request: &Request) -> Result<Option<Import>, ApiError> {
    if request.token.is_none() {
        return Ok(None);
    }
    for import in catalog::entries::<Import>(view, layout::IMPORTS) {
        let import = import?;
        if import.request.token != request.token {
            continue;
        }
        if import.request == *request {
            return Ok(Some(import));
        }
        return Err(ApiError::new(
            ErrorKind::ImportConflictException,
            "The client token was used for an import with other parameters",
        ));
    }
    Ok(None)
}

fn answer(shared: &Shared, import: &Import) -> ImportTableOutput {
    ImportTableOutput { import_table_description: import.description(shared) }
}
