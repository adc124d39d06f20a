//! Earlier deployments under other names: items that a design would leave behind when it begins with empty tables.
//!
//! A table with another name, or a design that follows another one, begins empty, as if everything were gone. So nothing is
//! created while items of the same design are in another table.

use std::collections::BTreeMap;

use sortkey_api::operations::{ListTablesInput, ScanInput};
use sortkey_design::TABLE_DIFFERS;
use sortkey_design::model::{Design, Migration};
use sortkey_diagnostics::Diagnostic;
use sortkey_value::ValueRef;

use super::apply::DeployError;
use super::inspect;
use super::record::Version;
use super::tables::{Desired, desired};
use super::{DESIGN_TAG, MIGRATE, TABLE_TAG};
use sortkey_core::internals::is_reserved_text;
use sortkey_core::{Requests as _, Runtime};
use sortkey_core::{parameter_values, table_name};

/// The maximum number of tables that are searched for a former name.
const MAX_TABLES: usize = 1_000;

/// Enough items to decide whether a table is empty, since reserved items may come first.
const LOOKED_AT: i32 = 100;

/// Refuses to leave items behind in old tables.
pub(super) async fn left_behind(runtime: &Runtime) -> Result<Vec<Diagnostic>, DeployError> {
    let naming = runtime.shared().settings.naming();
    let tables = desired(runtime.design(), &naming).map_err(DeployError::Refused)?;
    let missing = without_items(runtime, &tables).await?;
    let pending = pending(runtime, &missing).await?;
    if !pending.is_empty() {
        return Ok(pending);
    }
    match missing.is_empty() {
        true => Ok(Vec::new()),
        false => renamed(runtime, &tables, &missing).await,
    }
}

/// Whether the items of an old design are waiting to be migrated to this one.
pub async fn is_pending(runtime: &Runtime) -> Result<bool, DeployError> {
    let naming = runtime.shared().settings.naming();
    let tables = desired(runtime.design(), &naming).map_err(DeployError::Refused)?;
    let missing = without_items(runtime, &tables).await?;
    Ok(!pending(runtime, &missing).await?.is_empty())
}

/// The tables that do not exist or are empty.
async fn without_items<'t, 'd>(
    runtime: &Runtime,
    tables: &'t [Desired<'d>],
) -> Result<Vec<&'t Desired<'d>>, DeployError> {
    let mut missing = Vec::new();
    for table in tables {
        if !has_items(runtime, table.name()).await? {
            missing.push(table);
        }
    }
    Ok(missing)
}

/// Migrations whose old tables have items, and whose new ones have none.
async fn pending(runtime: &Runtime, missing: &[&Desired<'_>]) -> Result<Vec<Diagnostic>, DeployError> {
    let mut found = Vec::new();
    for migration in &runtime.design().migrations {
        let Some(old) = &migration.old else { continue };
        let mut full: Vec<String> = Vec::new();
        for (name, into) in old_tables(runtime, migration, old) {
            let is_awaited = missing.iter().any(|table| table.table.name.text == into);
            let is_used = missing.iter().all(|table| table.name() != name);
            let is_pending = is_awaited && is_used || is_shared(runtime, old, &name).await?;
            if is_pending && !full.contains(&name) && has_items(runtime, &name).await? {
                full.push(name);
            }
        }
        if full.is_empty() {
            continue;
        }
        let empty: Vec<String> = missing.iter().map(|table| format!("\"{}\"", table.name())).collect();
        let title = format!("the migration from `{}` has not been carried out", migration.from);
        let full: Vec<String> = full.iter().map(|name| format!("\"{name}\"")).collect();
        found.push(
            TABLE_DIFFERS
                .at(migration.from_span, title)
                .label("pending")
                .note(match empty.is_empty() {
                    true => format!("{} has items of the design before.", full.join(", ")),
                    false => format!("{} would begin empty, while {} has items.", empty.join(", "), full.join(", ")),
                })
                .note(format!(
                    "Carry the items over: `sortkey migrate plan` says what that takes, and `sortkey migrate start` begins. Serve \
                     `{}` until then. To begin with empty tables on purpose, take `migrate` out of the design.",
                    migration.from
                )),
        );
    }
    Ok(found)
}

/// Whether a table of both designs has the items of the old one.
async fn is_shared(runtime: &Runtime, old: &Design, name: &str) -> Result<bool, DeployError> {
    let own = super::evolve::deployed_version(runtime, name).await?;
    Ok(own.is_some() && own == Version::of(old).ok().map(|version| version.digest))
}

/// The deployed names of the old tables that a migration reads, each with the new table that its items go to.
fn old_tables(runtime: &Runtime, migration: &Migration, old: &Design) -> Vec<(String, String)> {
    let settings = &runtime.shared().settings;
    let known: BTreeMap<String, String> = settings
        .parameters
        .iter()
        .filter(|(name, _)| old.parameters.iter().any(|each| each.name.is(name)))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let values = parameter_values(old, &known).unwrap_or_default();
    let mut found = Vec::new();
    for mapping in &migration.mappings {
        let table = old.entity(&mapping.old.text).and_then(|entity| old.table_of(entity));
        let into =
            runtime.design().entity(&mapping.new.text).and_then(|entity| runtime.design().table_of(entity));
        let name = table.and_then(|table| table_name(table, settings.table_prefix.as_deref(), &values).ok());
        found.extend(name.zip(into.map(|into| into.name.text.clone())));
    }
    found
}

/// Tables of this design that it calls by another name now.
async fn renamed(
    runtime: &Runtime,
    tables: &[Desired<'_>],
    missing: &[&Desired<'_>],
) -> Result<Vec<Diagnostic>, DeployError> {
    let design = &runtime.design().name.text;
    let mut found = Vec::new();
    if design.is_empty() {
        return Ok(found);
    }
    for name in names(runtime).await? {
        if tables.iter().any(|table| table.name() == name) || is_copy(runtime, tables, &name) {
            continue;
        }
        let Some(there) = inspect::table(runtime.backend(), &name).await? else { continue };
        let tag =
            |key: &str| there.tags.iter().flatten().find(|tag| tag.key == key).map(|tag| tag.value.as_str());
        if tag(DESIGN_TAG) != Some(design) || !has_items(runtime, &name).await? {
            continue;
        }
        // A table that the design still has, or one that it has no more while another one is new.
        let table = tag(TABLE_TAG).unwrap_or_default();
        let same = missing.iter().find(|each| each.table.name.is(table));
        let is_known = tables.iter().any(|each| each.table.name.is(table));
        let Some(new) = same.or_else(|| missing.first().filter(|_| !is_known)) else { continue };
        let title =
            format!("table \"{}\" would begin empty, while \"{name}\" of this design has items", new.name());
        found.push(
            TABLE_DIFFERS
                .at(new.table.name.span, title)
                .label(format!("\"{name}\" was `{table}`"))
                .note(format!("A table cannot be renamed: call it \"{name}\" again."))
                .note(format!(
                    "Or carry its items over. {MIGRATE} If they are to be given up, delete the old table or its tag `sortkey:design`."
                )),
        );
    }
    Ok(found)
}

/// Whether a table is one of another copy of the design: the same name with another prefix, or with other parameters.
fn is_copy(runtime: &Runtime, tables: &[Desired<'_>], name: &str) -> bool {
    let prefix = runtime.shared().settings.table_prefix.as_deref().unwrap_or_default();
    if !name.starts_with(prefix) {
        return true;
    }
    tables.iter().any(|table| {
        let own = table.table.deployed.as_deref().unwrap_or(&table.table.name.text);
        match own.split_once('{') {
            None => name.ends_with(own),
            Some(_) => {
                let fixed = own.rsplit_once('}').map_or(own, |(_, behind)| behind);
                !fixed.is_empty() && name.ends_with(fixed)
            }
        }
    })
}

async fn names(runtime: &Runtime) -> Result<Vec<String>, DeployError> {
    let (mut names, mut from) = (Vec::new(), None);
    loop {
        let input = ListTablesInput { exclusive_start_table_name: from, limit: None };
        let page = match runtime.backend().list_tables(input).await {
            Ok(page) => page,
            // The caller may not be allowed to list tables.
            Err(error) if inspect::is_unable(&error) => return Ok(names),
            Err(error) => return Err(DeployError::failed("", "ListTables")(error)),
        };
        names.extend(page.table_names);
        from = page.last_evaluated_table_name;
        if from.is_none() || names.len() > MAX_TABLES {
            return Ok(names);
        }
    }
}

/// Whether there is such a table, with items that are not reserved.
pub(super) async fn has_items(runtime: &Runtime, name: &str) -> Result<bool, DeployError> {
    let input = ScanInput {
        table_name: name.into(),
        limit: Some(LOOKED_AT),
        consistent_read: Some(true),
        ..ScanInput::default()
    };
    let output = match runtime.backend().scan(input).await {
        Ok(output) => output,
        Err(error) if error.kind == sortkey_api::ErrorKind::ResourceNotFoundException => return Ok(false),
        Err(error) => return Err(DeployError::failed(name, "Scan")(error)),
    };
    let is_own =
        |value: ValueRef<'_>| matches!(value, ValueRef::S(text) if is_reserved_text(text.as_bytes()));
    let mut items = output.items.iter().flatten();
    Ok(output.last_evaluated_key.is_some() || items.any(|item| !item.iter().any(|(_, value)| is_own(value))))
}
