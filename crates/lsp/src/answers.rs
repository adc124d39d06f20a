//! Diagnostics in the form of the protocol.

use crate::documents::{range, uri};
use serde_json::{Value, json};
use sortkey_design::Compilation;
use sortkey_diagnostics::{Diagnostic, FileId, Severity};

/// The diagnostics of the open file itself; those of imported files show when they are opened.
pub(crate) fn diagnostics(compilation: &Compilation) -> Vec<Value> {
    let own = compilation.diagnostics.iter().filter(|each| each.primary.span.file == FileId(0));
    own.filter_map(|each| diagnostic(each, compilation)).collect()
}

/// One diagnostic.
pub(crate) fn diagnostic(diagnostic: &Diagnostic, compilation: &Compilation) -> Option<Value> {
    let source = compilation.sources.get(diagnostic.primary.span.file)?;
    let related: Vec<Value> = diagnostic
        .secondary
        .iter()
        .filter_map(|label| {
            let source = compilation.sources.get(label.span.file)?;
            let location = json!({ "uri": uri(&source.name), "range": range(source, label.span) });
            Some(json!({ "location": location, "message": label.text }))
        })
        .collect();
    Some(json!({
        "range": range(source, diagnostic.primary.span),
        "severity": match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Hint => 4,
        },
        "code": diagnostic.rule,
        "source": "sortkey",
        "message": message(diagnostic),
        "relatedInformation": related,
    }))
}

fn message(diagnostic: &Diagnostic) -> String {
    let label = Some(&diagnostic.primary.text).filter(|text| !text.is_empty());
    let lines = std::iter::once(&diagnostic.title).chain(label).chain(&diagnostic.notes);
    lines.map(String::as_str).collect::<Vec<_>>().join("\n")
}
