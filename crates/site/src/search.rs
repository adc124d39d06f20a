//! The index of the search: one entry for each heading. A reader's browser loads it at the first key.

use serde_json::{Value, json};

use crate::page::MarkdownPage;

/// How much text of a section can be found. Sections are short; tables of a hundred rows are not worth their bytes.
const BODY_CHARS: usize = 1_500;

pub(crate) fn index<'a>(pages: impl Iterator<Item = &'a MarkdownPage>) -> String {
    let entries: Vec<Value> = pages
        .flat_map(|page| {
            page.headings.iter().map(|heading| {
                let body: String = heading.body.chars().take(BODY_CHARS).collect();
                json!([format!("{}#{}", page.address(), heading.anchor), page.title, heading.text, body])
            })
        })
        .collect();
    Value::Array(entries).to_string()
}
