//! Refuses to serve a design alone while its items are being migrated to another one: its writes would be lost.
//!
//! The state of a migration is an item in one of the old tables.
//! Only the part that matters to a deployment is read here.

use sortkey_api::operations::GetItemInput;
use sortkey_core::internals::reserved_key;
use sortkey_core::{Requests as _, Runtime};
use sortkey_design::TABLE_DIFFERS;
use sortkey_diagnostics::Diagnostic;
use sortkey_value::{Item, ValueRef};

use super::apply::DeployError;
use super::inspect;
use super::record::Version;

/// The key of the state of a migration.
pub const MIGRATION: &str = "unique##migration";
/// The attribute of the state that holds the phase.
pub const PHASE: &str = "phase";
/// The attribute of the state that holds the version of the old design.
pub const FROM: &str = "before";

/// Refuses a design that a migration leads away from.
pub(super) async fn refusal(runtime: &Runtime) -> Result<Option<Diagnostic>, DeployError> {
    let scope = runtime.scope(None);
    let mut seen: Vec<&str> = Vec::new();
    for info in runtime.shared().entities.iter() {
        if seen.contains(&info.table.name()) {
            continue;
        }
        seen.push(info.table.name());
        let key = reserved_key(&scope, info, MIGRATION);
        if !matches!(key.get(&*info.partition), Some(sortkey_value::AttributeValue::S(_))) {
            continue;
        }
        let input = GetItemInput {
            table_name: info.table.clone(),
            key: key.into(),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let item = match runtime.backend().get_item(input).await {
            Ok(output) => output.item,
            Err(error) if inspect::is_elsewhere(&error) => None,
            Err(error) => return Err(DeployError::failed(info.table.name(), "GetItem")(error)),
        };
        let Some(item) = item else { continue };
        let text = |name: &str| text(&item, &info.aside(name));
        let own = Version::of(runtime.design()).map(|version| version.digest).unwrap_or_default();
        let phase = text(PHASE).unwrap_or_default();
        let is_under_way = ["starting", "both", "shadow", "switched"].contains(&phase.as_str());
        let is_over = phase == "finished" && text(FROM).is_some_and(|before| before == own);
        if is_under_way || is_over {
            let design = runtime.design();
            let span = design.table_of(info.source(design)).map_or(design.name.span, |table| table.name.span);
            let title = format!("a migration of table \"{}\" is in phase `{phase}`", info.table.name());
            let next = match is_over {
                true => "The items are those of the next design now: serve that one.",
                false => {
                    "Serve the design with the `migrate` block: it follows the phase, and writes both designs."
                }
            };
            return Ok(Some(
                TABLE_DIFFERS.at(span, title).label("its items are being carried over").note(next),
            ));
        }
    }
    Ok(None)
}

fn text(item: &Item, name: &str) -> Option<String> {
    match item.get(name) {
        Some(ValueRef::S(text)) => Some(text.to_owned()),
        _ => None,
    }
}
