//! Invariants of the tables after every test, whatever the test was about: no stored key attribute is stale, every
//! guard has its owner, and every unique value its guard.

use std::collections::HashMap;

use sortkey_api::operations::ScanInput;
use sortkey_design::model::Test;
use sortkey_diagnostics::Diagnostic;
use sortkey_value::{Item, Map, ValueRef};

use super::failed;
use sortkey_core::internals::{
    EntityInfo, GUARD, Scope, View, held, is_deleted, is_expired, owner, rendered,
};
use sortkey_core::{Failure, Runtime};

/// Fails a test that left an invariant broken.
pub(super) async fn check(runtime: &Runtime, test: &Test) -> Result<(), Diagnostic> {
    match broken(runtime).await {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(failed(test.span, format!("after this test {what}"))),
        Err(failure) => Err(failed(test.span, failure.message)),
    }
}

/// The first violation found among the stored items, if there is one.
pub async fn broken(runtime: &Runtime) -> Result<Option<String>, Failure> {
    let scope = runtime.scope(None);
    let program = &scope.shared.program;
    for (table, items) in stored(runtime).await? {
        let infos: Vec<&EntityInfo> =
            scope.shared.entities.iter().filter(|info| info.table.name() == table).collect();
        let Some(first) = infos.first() else { continue };
        let by_key: HashMap<String, &Item> =
            items.iter().map(|item| (identity(&first.key_of(item)), item)).collect();
        let mut kept: Vec<String> = Vec::new();
        for item in &items {
            let mut owners = infos.iter().filter(|info| info.owns(program, item));
            // If several entities could own it, its templates cannot be attributed to one.
            let (Some(info), None) = (owners.next(), owners.next()) else { continue };
            if let Some(what) = stale(&scope, info, item) {
                return Ok(Some(what));
            }
            let fields = info.decode(program, item);
            // An item that is not live has released its unique values.
            let view = View::of(info.at, &fields);
            if is_expired(&scope, view) || is_deleted(&scope, view)? {
                continue;
            }
            for unique in info.of(program).uniques.ids() {
                let Some(key) = held(&scope, info, unique, &fields)? else { continue };
                let key = identity(&key);
                let guard = by_key.get(&key).copied();
                let owner = guard.and_then(|guard| owner(info, guard)).map(|owner| identity(&owner));
                if owner != Some(identity(&info.key_of(item))) {
                    return Ok(Some(format!("{} {fields:?} does not hold its guard {key}", info.name)));
                }
                kept.push(key);
            }
        }
        // A guard that has expired counts as absent.
        let guards = items
            .iter()
            .filter(|item| is_guard(first, item) && !is_expired(&scope, View::stored(first.at, item)));
        if let Some(key) = guards.map(|item| identity(&first.key_of(item))).find(|key| !kept.contains(key)) {
            return Ok(Some(format!("the guard {key} has no owner")));
        }
    }
    Ok(None)
}

/// The items of every table, by full scans.
pub(super) async fn stored(runtime: &Runtime) -> Result<Vec<(String, Vec<Item>)>, Failure> {
    let session = runtime.session();
    let mut tables: Vec<_> = runtime.shared().entities.iter().map(|info| &info.table).collect();
    tables.sort_unstable_by_key(|table| table.name());
    tables.dedup();
    let mut all = Vec::new();
    for table in tables {
        let mut input = ScanInput { table_name: table.clone(), ..ScanInput::default() };
        let mut items = Vec::new();
        loop {
            let output = session.scan(input.clone()).await?;
            items.extend(output.items.into_iter().flatten());
            match output.last_evaluated_key {
                Some(key) => input.exclusive_start_key = Some(key.into()),
                None => break,
            }
        }
        all.push((table.name().to_owned(), items));
    }
    Ok(all)
}

/// A key as text that can be compared.
pub(super) fn identity(key: &Map) -> String {
    format!("{key:?}")
}

fn is_guard(info: &EntityInfo, item: &Item) -> bool {
    let Some(ValueRef::S(text)) = item.get(&info.partition) else { return false };
    // No entity has an empty name: a key that begins so belongs to a table's own metadata.
    text.strip_prefix(GUARD).is_some_and(|rest| !rest.starts_with('#'))
}

/// The stale part of an item: each template must match the item's attributes.
fn stale(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> Option<String> {
    let program = &scope.shared.program;
    let fields = info.decode(program, item);
    info.of(program).templates.iter().find_map(|template| {
        let name = &template.name;
        let expected = rendered(scope, info, template, &fields).ok()?;
        let there = match item.get(name) {
            Some(ValueRef::S(text)) => Some(text),
            _ => None,
        };
        (expected.as_deref() != there)
            .then(|| format!("{}.{name} is {there:?}, and its template says {expected:?}", info.name))
    })
}
