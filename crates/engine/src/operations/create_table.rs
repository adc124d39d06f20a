//! CreateTable: the declaration is checked, then the name is taken under its lock.

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_api::operations::{CreateTable, CreateTableInput, CreateTableOutput};
use sortkey_api::shapes::index::IndexStatus as Status;
use sortkey_api::shapes::table::TableStatus;
use sortkey_api::shapes::throughput::{BillingMode, WarmThroughputDescription};
use sortkey_api::{ApiError, TableName};
use sortkey_storage::{Batch, Lock};

use super::Run;
use crate::catalog::declaration::Declaration;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::catalog::schema::{Index, IndexKind, IndexStatus};
use crate::catalog::table::{Billing, Capacity, Table};
use crate::catalog::throughput::{Of, capacity, check_index_throughput, check_on_demand, check_throughput, check_warm};
use crate::catalog::{encryption, policy, tags};
use crate::stream::streaming;
use crate::{layout, text};

impl Run for CreateTable {
    fn run(shared: &Arc<Shared>, input: CreateTableInput) -> Result<Reply<CreateTableOutput>, ApiError> {
        let draft = draft(shared, &input)?;
        let stream = input.stream_specification.as_ref().map(streaming::view_type).transpose()?.flatten();
        let warms = input.warm_throughput.is_some();
        let globals = input.global_secondary_indexes.as_deref().unwrap_or_default();
        let warm_indexes: Vec<String> = globals
            .iter()
            .filter(|index| index.warm_throughput.is_some())
            .map(|index| index.index_name.clone())
            .collect();
        let locks = vec![
            Lock::exclusive(layout::table(&draft.name)),
            Shared::ids_lock("table"),
            Shared::ids_lock("stream"),
        ];
        // Stream records are removed after a day, in the background.
        let wake = if stream.is_some() { Shared::wake_background } else { |_: &Arc<Shared>| {} };
        Ok(shared.write_then(locks, wake, move |shared, view| {
            let mut table = draft;
            if shared.catalog.find(view, &table.name)?.is_some() {
                return Err(ApiError::table_exists(&table.name));
            }
            let mut batch = Batch::new();
            table.id = Shared::take_id(view, "table", &mut batch)?;
            table.created_ms = shared.now_ms();
            table.billing.on_demand_since_ms = table.billing.on_demand.then_some(table.created_ms);
            if let Some(view_type) = stream {
                streaming::open(shared, view, &mut table, view_type, &mut batch)?;
            }
            batch.put(layout::table(&table.name), table.to_value());
            batch.changes_schema();
            let mut description = shared.describe(view, &table, TableStatus::Creating)?;
            // AWS shows since when a table is on demand from the first DescribeTable on.
            if let Some(billing) = &mut description.billing_mode_summary {
                billing.last_update_to_pay_per_request_date_time = None;
            }
            // Warm throughput is shown where it was asked for, and is still being provided.
            description.warm_throughput = description.warm_throughput.filter(|_| warms).map(|warm| updating(&warm));
            for index in description.global_secondary_indexes.iter_mut().flatten() {
                index.index_status = Some(Status::Creating);
                let warms = index.index_name.as_ref().is_some_and(|name| warm_indexes.contains(name));
                index.warm_throughput = index.warm_throughput.take().filter(|_| warms).map(|warm| updating(&warm));
            }
            Ok((batch, CreateTableOutput { table_description: Some(description) }))
        }))
    }

    fn table(input: &CreateTableInput) -> Option<&TableName> {
        Some(&input.table_name)
    }
}

/// Warm throughput that is being provided.
pub(super) fn updating(warm: &WarmThroughputDescription) -> WarmThroughputDescription {
    WarmThroughputDescription { status: Some("UPDATING".into()), ..warm.clone() }
}

/// The table without what only its commit decides: ids and times.
pub(super) fn draft(shared: &Shared, input: &CreateTableInput) -> Result<Table, ApiError> {
    refuse_unsupported(input)?;
    let on_demand = input.billing_mode == Some(BillingMode::PayPerRequest);
    check_throughput(on_demand, input.provisioned_throughput.as_ref())?;
    check_on_demand(on_demand, input.on_demand_throughput.as_ref(), Of::Table)?;
    check_warm(input.warm_throughput.as_ref(), None, Of::Table)?;
    input.sse_specification.as_ref().map_or(Ok(()), encryption::check)?;
    let declaration = Declaration::check(
        &input.attribute_definitions,
        &input.key_schema,
        input.local_secondary_indexes.as_deref(),
        input.global_secondary_indexes.as_deref(),
    )?;
    let globals = input.global_secondary_indexes.as_deref().unwrap_or_default();
    let mut indexes = Vec::new();
    for (id, declared) in (1..).zip(declaration.indexes) {
        let capacity = match globals.iter().find(|global| global.index_name == declared.name) {
            Some(global) if declared.kind == IndexKind::Global => {
                check_index_throughput(&declared.name, on_demand, global.provisioned_throughput.as_ref())?;
                check_on_demand(on_demand, global.on_demand_throughput.as_ref(), Of::Index(&global.index_name))?;
                check_warm(global.warm_throughput.as_ref(), None, Of::Index(&global.index_name))?;
                capacity(
                    global.provisioned_throughput.as_ref(),
                    global.on_demand_throughput.as_ref(),
                    global.warm_throughput.as_ref(),
                )
            }
            _ => Capacity::default(),
        };
        indexes.push(Index {
            id,
            name: declared.name,
            kind: declared.kind,
            key: declared.key,
            projection: declared.projection,
            status: IndexStatus::Active,
            capacity,
        });
    }
    let tags = tags::add(&BTreeMap::new(), input.tags.as_deref().unwrap_or_default())?;
    Ok(Table {
        id: 0,
        name: input.table_name.name().into(),
        uuid: shared.uuid(),
        created_ms: 0,
        attributes: declaration.attributes,
        key: declaration.key,
        next_index_id: u16::try_from(indexes.len()).unwrap_or(u16::MAX) + 1,
        indexes,
        billing: Billing { on_demand, on_demand_since_ms: None },
        capacity: capacity(
            input.provisioned_throughput.as_ref(),
            input.on_demand_throughput.as_ref(),
            input.warm_throughput.as_ref(),
        ),
        deletion_protection: input.deletion_protection_enabled == Some(true),
        table_class: input.table_class.as_ref().map(|class| class.as_str().to_owned()),
        encryption: input.sse_specification.as_ref().and_then(|asked| encryption::choose(shared, asked)),
        stream: None,
        expiry: None,
        recovery: None,
        tags,
        policy: input.resource_policy.as_deref().map(|document| policy::new(shared, document, None)).transpose()?,
        stream_policies: BTreeMap::new(),
        holds: Vec::new(),
        restored: None,
        filling: None,
    })
}

fn refuse_unsupported(input: &CreateTableInput) -> Result<(), ApiError> {
    let given = [
        ("GlobalTableSourceArn", input.global_table_source_arn.is_some()),
        ("GlobalTableSettingsReplicationMode", input.global_table_settings_replication_mode.is_some()),
        ("VectorIndexes", input.vector_indexes.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(text::unsupported_parameter(name)),
        None => Ok(()),
    }
}
