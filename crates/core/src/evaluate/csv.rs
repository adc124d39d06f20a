//! `csv(items, column, ...)`: items of the language as the cells of a table.

use sortkey_functions::csv::Cell;

use crate::values::{Val, untyped};

/// Items as a table: a line of names, then a line for each item.
pub(super) fn csv(items: &Val, columns: &[Val]) -> String {
    let names: Vec<String> =
        columns.iter().map(|name| name.as_text().unwrap_or_default().to_owned()).collect();
    let items = match items {
        Val::List(items) | Val::Set(items) => items.as_slice(),
        _ => &[],
    };
    let cell = |item: &Val, name: &str| {
        let Some(value) = item.fields().and_then(|fields| fields.get(name)) else { return Cell::Nothing };
        match (value, crate::template::canonical(None, value)) {
            (Val::Absent | Val::Null, _) => Cell::Nothing,
            (Val::Number(_), Some(text)) => Cell::Number(text),
            (Val::Time(_), _) => Cell::Text(untyped(value).as_str().unwrap_or_default().to_owned()),
            (_, Some(text)) => Cell::Text(text),
            (_, None) => Cell::Text(untyped(value).to_string()),
        }
    };
    let rows = items.iter().map(|item| names.iter().map(|name| cell(item, name)).collect::<Vec<_>>());
    sortkey_functions::csv::table(&names, rows)
}
