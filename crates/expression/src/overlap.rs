//! Paths that conflict within one projection or one update.

use crate::error::Problem;
use crate::path::{Path, Relation};

/// Refuses paths of which one leads into another, or of which one takes for a map what another takes for a list.
/// DynamoDB looks for the former in all paths before it looks for the latter.
pub(crate) fn check_apart<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Problem> {
    let mut conflict = None;
    let mut seen: Vec<&Path> = Vec::new();
    for two in paths {
        for one in &seen {
            match one.relation(two) {
                Relation::Apart => {}
                Relation::Overlap => {
                    return Err(Problem::OverlappingPaths { one: (*one).clone(), two: two.clone() });
                }
                Relation::Conflict => {
                    conflict.get_or_insert((*one, two));
                }
            }
        }
        seen.push(two);
    }
    match conflict {
        Some((one, two)) => Err(Problem::ConflictingPaths { one: one.clone(), two: two.clone() }),
        None => Ok(()),
    }
}
