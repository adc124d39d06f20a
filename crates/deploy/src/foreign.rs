//! Tables that another program made: they are used only if the deployment explicitly adopts them.
//!
//! A design writes into its tables: a note of how items are stored, guards, tags. In a foreign table these would be items
//! that its owner did not put there, so nothing is written before the owner agrees.

use sortkey_core::Runtime;
use sortkey_design::TABLE_DIFFERS;
use sortkey_diagnostics::Diagnostic;

use super::apply::DeployError;
use super::compare::{Change, There, compare};
use super::inspect;
use super::tables::Desired;
use super::{DESIGN_TAG, TABLE_TAG};

/// Why a table may not be used; none if it is not there, or is a design's own. `writes` are the items that the design would
/// put into it, `is_known` is whether such an item is there already.
pub(super) async fn refusal(
    runtime: &Runtime,
    table: &Desired<'_>,
    writes: &[&str],
    is_known: bool,
) -> Result<Option<Diagnostic>, DeployError> {
    if is_known {
        return Ok(None);
    }
    let Some(there) = inspect::table(runtime.backend(), table.name()).await? else {
        return Ok(None);
    };
    if is_tagged(&there) {
        return Ok(None);
    }
    let added: Vec<String> = compare(table, Some(&there)).changes.iter().map(Change::to_string).collect();
    let items = match writes {
        [] => "no items".to_owned(),
        writes => format!("the items {}", writes.join(" and ")),
    };
    let title = format!("table \"{}\" was made by another program", table.name());
    let refusal = TABLE_DIFFERS
        .at(table.table.name.span, title)
        .label("not made by a design")
        .note(format!("The design would write into it: {items}; and change: {}.", listed(&added)))
        .note(
            "Nothing was written. Start with `--adopt` if the table is yours to change, or give the table another name, or \
             the deployment a prefix (`--prefix`).",
        );
    Ok(Some(refusal))
}

fn is_tagged(there: &There) -> bool {
    let own = |key: &str| key == DESIGN_TAG || key == TABLE_TAG;
    there.tags.iter().flatten().any(|tag| own(&tag.key))
}

fn listed(added: &[String]) -> String {
    if added.is_empty() { "nothing else".to_owned() } else { added.join(", ") }
}
