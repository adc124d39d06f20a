//! A repair that can be applied to the text: edits that do not overlap.

use crate::{FileId, Span};
use serde::Serialize;

/// Replaces one span by a text; an empty span inserts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The text that is replaced.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// A repair of one diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// Its description, as an imperative (`page the list`).
    pub title: String,
    /// Whether `check --fix` may apply it without asking: the meaning is what the author surely wanted.
    pub automatic: bool,
    /// The edits, all or nothing.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A repair that a person should look at.
    pub fn new(title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Fix {
        let edits = vec![Edit { span, replacement: replacement.into() }];
        Fix { title: title.into(), automatic: false, edits }
    }

    /// Marks the repair as safe to apply without asking.
    pub fn automatic(mut self) -> Fix {
        self.automatic = true;
        self
    }

    /// Adds one more edit.
    pub fn and(mut self, span: Span, replacement: impl Into<String>) -> Fix {
        self.edits.push(Edit { span, replacement: replacement.into() });
        self
    }
}

/// Applies those fixes whose edits touch `file` only and overlap no earlier accepted one; returns how many.
pub fn apply<'a>(text: &str, file: FileId, fixes: impl IntoIterator<Item = &'a Fix>) -> (String, usize) {
    let mut accepted: Vec<&Edit> = Vec::new();
    let mut count = 0;
    for fix in fixes {
        let fits = fix.edits.iter().all(|edit| {
            edit.span.file == file
                && text.get(edit.span.range()).is_some()
                && accepted.iter().all(|other| !overlap(edit.span, other.span))
        });
        if fits && !fix.edits.is_empty() {
            accepted.extend(&fix.edits);
            count += 1;
        }
    }
    accepted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in accepted {
        result.push_str(text.get(at..edit.span.start as usize).unwrap_or_default());
        result.push_str(&edit.replacement);
        at = edit.span.end as usize;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    (result, count)
}

/// Two insertions at one place also collide: their order would be a guess.
fn overlap(a: Span, b: Span) -> bool {
    (a.start < b.end && b.start < a.end) || a.start == b.start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixes_apply_once_and_never_overlap() {
        let file = FileId(0);
        let span = |start, end| Span::new(file, start, end);
        let fixes = [
            Fix::new("a", span(0, 3), "two"),
            Fix::new("overlaps the first", span(2, 4), "x"),
            Fix::new("insert", span(7, 7), "!"),
            Fix::new("elsewhere", Span::new(FileId(1), 0, 1), "x"),
        ];
        assert_eq!(apply("one and", file, &fixes), ("two and!".to_owned(), 2));
    }
}
