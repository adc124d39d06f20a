//! Values in the reports of tests.

use sortkey_core::internals::{Scope, Val, to_public_json};

/// Longer values are cut: a report is read by people.
const MAX_CHARACTERS: usize = 400;

/// A value on one line.
pub(super) fn shown(scope: &Scope<'_>, value: &Val) -> String {
    let text = match value {
        Val::Absent => "absent".to_owned(),
        value => to_public_json(scope, value).to_string(),
    };
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Two values that were compared; of two items only what differs.
pub(super) fn compared(scope: &Scope<'_>, left: &Val, right: &Val) -> Vec<String> {
    let (Some(fields), Some(others)) = (left.fields(), right.fields()) else {
        return vec![format!("left:  {}", shown(scope, left)), format!("right: {}", shown(scope, right))];
    };
    let mut names: Vec<&str> = fields.keys().chain(others.keys()).map(|name| &**name).collect();
    names.sort();
    names.dedup();
    let absent = Val::Absent;
    let differing = names.into_iter().filter_map(|name| {
        let (left, right) = (fields.get(name).unwrap_or(&absent), others.get(name).unwrap_or(&absent));
        (!left.same(right)).then(|| format!("{name}: {} and {}", shown(scope, left), shown(scope, right)))
    });
    differing.collect()
}
