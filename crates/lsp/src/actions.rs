//! Quick fixes: the repairs of the diagnostics that a range touches.

use crate::answers;
use crate::documents::{offset, range, uri};
use serde_json::{Map, Value, json};
use sortkey_design::Compilation;
use sortkey_diagnostics::{FileId, Fix};

/// The fixes at a range of the open file.
pub(crate) fn actions(compilation: &Compilation, wanted: &Value) -> Vec<Value> {
    let Some(source) = compilation.sources.get(FileId(0)) else { return Vec::new() };
    let (start, end) = (offset(source, &wanted["start"]), offset(source, &wanted["end"]));
    let mut found = Vec::new();
    for diagnostic in &compilation.diagnostics {
        let span = diagnostic.primary.span;
        if span.file != FileId(0) || span.end < start || span.start > end {
            continue;
        }
        for fix in &diagnostic.fixes {
            found.push(json!({
                "title": fix.title,
                "kind": "quickfix",
                "isPreferred": fix.automatic,
                "diagnostics": answers::diagnostic(diagnostic, compilation).into_iter().collect::<Vec<_>>(),
                "edit": { "changes": changes(fix, compilation) },
            }));
        }
    }
    found
}

fn changes(fix: &Fix, compilation: &Compilation) -> Map<String, Value> {
    let mut changes = Map::new();
    for edit in &fix.edits {
        let Some(source) = compilation.sources.get(edit.span.file) else { continue };
        let edits = changes.entry(uri(&source.name)).or_insert_with(|| json!([]));
        if let Some(edits) = edits.as_array_mut() {
            edits.push(json!({ "range": range(source, edit.span), "newText": edit.replacement }));
        }
    }
    changes
}
