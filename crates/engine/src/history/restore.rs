//! Tables that are restored from a backup, or from a table as it was: with the same keys, indexes, capacity and
//! encryption unless the request overrides them. Streams, expiry, tags, policies, continuous backups and the protection
//! against deletion are not restored, as on AWS.

use std::collections::BTreeMap;

use sortkey_api::operations::{RestoreTableFromBackupInput, RestoreTableToPointInTimeInput};
use sortkey_api::shapes::index::{GlobalSecondaryIndex, LocalSecondaryIndex, Projection};
use sortkey_api::shapes::table::{KeySchemaElement, SSESpecification, TableDescription, TableStatus};
use sortkey_api::shapes::throughput::{
    BillingMode, OnDemandThroughput, ProvisionedThroughput, WarmThroughput,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Batch, Lock, Published};

use crate::catalog::describe::{key_schema, projection};
use crate::catalog::encryption;
use crate::catalog::schema::{Index, IndexKind, IndexStatus};
use crate::catalog::table::{Billing, Capacity, Filling, Restored, Table};
use crate::catalog::throughput::{
    Of, capacity, check_index_throughput, check_on_demand, check_throughput, check_warm,
};
use crate::engine::Shared;
use crate::{layout, text};

/// The settings of a restored table that replace those of its source.
pub(crate) struct Overrides {
    billing_mode: Option<BillingMode>,
    globals: Option<Vec<GlobalSecondaryIndex>>,
    locals: Option<Vec<LocalSecondaryIndex>>,
    provisioned: Option<ProvisionedThroughput>,
    on_demand: Option<OnDemandThroughput>,
    encryption: Option<SSESpecification>,
    has_vectors: bool,
}

/// The restore operations have the same override members.
macro_rules! overrides_from {
    ($($input:ty),+) => {$(
        impl From<&$input> for Overrides {
            fn from(input: &$input) -> Overrides {
                Overrides {
                    billing_mode: input.billing_mode_override.clone(),
                    globals: input.global_secondary_index_override.clone(),
                    locals: input.local_secondary_index_override.clone(),
                    provisioned: input.provisioned_throughput_override.clone(),
                    on_demand: input.on_demand_throughput_override.clone(),
                    encryption: input.sse_specification_override.clone(),
                    has_vectors: input.vector_index_override.is_some(),
                }
            }
        }
    )+};
}

overrides_from!(RestoreTableFromBackupInput, RestoreTableToPointInTimeInput);

/// The locks that are needed to create a table.
pub(crate) fn locks(target: &str) -> Vec<Lock> {
    vec![Lock::exclusive(layout::table(target)), Shared::ids_lock("table")]
}

/// Puts a table into the catalog whose items are still to come.
pub(crate) fn begin(
    shared: &Shared,
    view: &Published,
    source: &Table,
    target: &str,
    overrides: &Overrides,
    (filling, restored): (Filling, Restored),
    batch: &mut Batch,
) -> Result<TableDescription, ApiError> {
    let mut table = overrides.apply(shared, source)?;
    table.id = Shared::take_id(view, "table", batch)?;
    table.name = target.into();
    table.restored = Some(restored);
    table.filling = Some(filling);
    batch.put(layout::table(target), table.to_value());
    batch.changes_schema();
    shared.describe(view, &table, TableStatus::Creating)
}

/// A restore never writes to a table that is there.
pub(crate) fn check_free(shared: &Shared, view: &Published, target: &str) -> Result<(), ApiError> {
    match shared.catalog.find(view, target)? {
        None => Ok(()),
        Some(_) => Err(ApiError::new(
            ErrorKind::TableAlreadyExistsException,
            format!("Table already exists: {target}"),
        )),
    }
}

impl Overrides {
    /// Rejects what cannot be done with any source.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        if self.has_vectors {
            return Err(text::unsupported_parameter("VectorIndexOverride"));
        }
        self.encryption.as_ref().map_or(Ok(()), encryption::check)
    }

    fn apply(&self, shared: &Shared, source: &Table) -> Result<Table, ApiError> {
        let now = shared.now_ms();
        let on_demand = match &self.billing_mode {
            Some(mode) => *mode == BillingMode::PayPerRequest,
            None => source.billing.on_demand,
        };
        let mut table = Table {
            uuid: shared.uuid(),
            created_ms: now,
            billing: Billing { on_demand, on_demand_since_ms: on_demand.then_some(now) },
            capacity: self.capacity(source, on_demand)?,
            indexes: self.indexes(source, on_demand)?,
            encryption: match &self.encryption {
                Some(asked) => encryption::choose(shared, asked),
                None => source.encryption.clone(),
            },
            deletion_protection: false,
            stream: None,
            expiry: None,
            recovery: None,
            tags: BTreeMap::new(),
            policy: None,
            stream_policies: BTreeMap::new(),
            holds: Vec::new(),
            ..source.clone()
        };
        table.keep_used_attributes();
        Ok(table)
    }

    fn capacity(&self, source: &Table, on_demand: bool) -> Result<Capacity, ApiError> {
        check_on_demand(on_demand, self.on_demand.as_ref(), Of::Table)?;
        let inherited = inherited(&source.capacity, on_demand);
        if self.provisioned.is_some() || !is_enough(&inherited, on_demand) {
            check_throughput(on_demand, self.provisioned.as_ref())?;
        }
        Ok(overridden(inherited, self.provisioned.as_ref(), self.on_demand.as_ref(), None))
    }

    /// The indexes that are wanted, which are those of the source or some of them.
    fn indexes(&self, source: &Table, on_demand: bool) -> Result<Vec<Index>, ApiError> {
        let mut indexes = Vec::new();
        match &self.locals {
            None => indexes.extend(source.locals().cloned()),
            Some(locals) => {
                for local in locals {
                    let LocalSecondaryIndex { index_name, key_schema, projection } = local;
                    indexes.push(matching(source, IndexKind::Local, index_name, key_schema, projection)?);
                }
            }
        }
        match &self.globals {
            None => {
                for index in source.globals() {
                    let capacity = inherited(&index.capacity, on_demand);
                    if !on_demand && capacity.read_units == 0 {
                        check_index_throughput(&index.name, on_demand, None)?;
                    }
                    indexes.push(Index { capacity, ..index.clone() });
                }
            }
            Some(globals) => {
                for global in globals {
                    let GlobalSecondaryIndex { index_name, key_schema, projection, .. } = global;
                    let index = matching(source, IndexKind::Global, index_name, key_schema, projection)?;
                    indexes.push(Index { capacity: index_capacity(&index, global, on_demand)?, ..index });
                }
            }
        }
        check_distinct(&indexes)?;
        indexes.iter_mut().for_each(|index| index.status = IndexStatus::Active);
        Ok(indexes)
    }
}

/// An index of the source can be named once.
fn check_distinct(indexes: &[Index]) -> Result<(), ApiError> {
    let is_known =
        |(at, index): &(usize, &Index)| indexes[..*at].iter().any(|known| known.name == index.name);
    match indexes.iter().enumerate().find(is_known) {
        Some((_, index)) => Err(text::duplicate_index_name(&index.name)),
        None => Ok(()),
    }
}

/// The part of a capacity that applies to a billing mode.
fn inherited(capacity: &Capacity, on_demand: bool) -> Capacity {
    let kept = |units: Option<i64>| units.filter(|_| on_demand);
    let units = |units: i64| if on_demand { 0 } else { units };
    Capacity {
        read_units: units(capacity.read_units),
        write_units: units(capacity.write_units),
        max_read_request_units: kept(capacity.max_read_request_units),
        max_write_request_units: kept(capacity.max_write_request_units),
        ..Capacity::default()
    }
}

/// Whether a capacity can be used as it is.
fn is_enough(capacity: &Capacity, on_demand: bool) -> bool {
    on_demand || capacity.read_units > 0
}

/// A capacity with the parts that a request gives.
fn overridden(
    inherited: Capacity,
    provisioned: Option<&ProvisionedThroughput>,
    on_demand: Option<&OnDemandThroughput>,
    warm: Option<&WarmThroughput>,
) -> Capacity {
    let given = capacity(provisioned, on_demand, warm);
    let units = if provisioned.is_some() { &given } else { &inherited };
    let limits = if on_demand.is_some() { &given } else { &inherited };
    Capacity {
        read_units: units.read_units,
        write_units: units.write_units,
        max_read_request_units: limits.max_read_request_units,
        max_write_request_units: limits.max_write_request_units,
        ..given
    }
}

fn index_capacity(
    index: &Index,
    given: &GlobalSecondaryIndex,
    on_demand: bool,
) -> Result<Capacity, ApiError> {
    let of = Of::Index(&index.name);
    let (provisioned, limits) = (given.provisioned_throughput.as_ref(), given.on_demand_throughput.as_ref());
    let warm = given.warm_throughput.as_ref();
    check_on_demand(on_demand, limits, of)?;
    check_warm(warm, None, of)?;
    let inherited = inherited(&index.capacity, on_demand);
    if provisioned.is_some() || !is_enough(&inherited, on_demand) {
        check_index_throughput(&index.name, on_demand, provisioned)?;
    }
    Ok(overridden(inherited, provisioned, limits, warm))
}

/// The index of the source that a request describes: indexes can be left out, not changed.
fn matching(
    source: &Table,
    kind: IndexKind,
    name: &str,
    key: &[KeySchemaElement],
    shown: &Projection,
) -> Result<Index, ApiError> {
    let found = source.index(name).filter(|index| index.kind == kind);
    let same = found.filter(|index| {
        key_schema(&index.key) == key && same_projection(&projection(&index.projection), shown)
    });
    same.cloned().ok_or_else(|| {
        ApiError::validation(format!(
            "Invalid Request: Index {name} does not match a secondary index that existed in the source table and cannot \
             be created during the restore operation"
        ))
    })
}

fn same_projection(one: &Projection, other: &Projection) -> bool {
    let names = |projection: &Projection| {
        let mut names = projection.non_key_attributes.clone().unwrap_or_default();
        names.sort();
        names
    };
    one.projection_type == other.projection_type && names(one) == names(other)
}
