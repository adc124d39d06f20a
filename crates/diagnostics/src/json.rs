//! Diagnostics for machines: one stable JSON document with positions already worked out.

use crate::{Diagnostic, Label, Sources, Span};
use serde_json::{Value, json};

/// The document that `sortkey check --format json` prints.
pub fn to_json(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    json!({
        "version": 1,
        "diagnostics": diagnostics.iter().map(|each| diagnostic(each, sources)).collect::<Vec<_>>(),
    })
}

fn diagnostic(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    json!({
        "code": diagnostic.code,
        "rule": diagnostic.rule,
        "severity": diagnostic.severity,
        "title": diagnostic.title,
        "primary": label(&diagnostic.primary, sources),
        "secondary": diagnostic.secondary.iter().map(|each| label(each, sources)).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "fixes": diagnostic.fixes.iter().map(|fix| json!({
            "title": fix.title,
            "automatic": fix.automatic,
            "edits": fix.edits.iter().map(|edit| json!({
                "place": place(edit.span, sources),
                "replacement": edit.replacement,
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn label(label: &Label, sources: &Sources) -> Value {
    json!({ "place": place(label.span, sources), "text": label.text })
}

fn place(span: Span, sources: &Sources) -> Value {
    let (start, end) = (sources.position(span), sources.position(span.after()));
    json!({
        "file": sources.get(span.file).map(|source| source.name.as_str()),
        "start": { "offset": span.start, "line": start.line, "column": start.column },
        "end": { "offset": span.end, "line": end.line, "column": end.column },
    })
}
