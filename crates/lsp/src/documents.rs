//! The open files, and the conversions between their bytes and an editor's positions.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use sortkey_design::{Compilation, FileLoader};
use sortkey_diagnostics::{Source, Span};
use sortkey_lints::{Options, check};
use std::collections::HashMap;

/// The characters that a path in a URI escapes.
const IN_PATHS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The texts of the files that an editor has open, by URI.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: HashMap<String, String>,
}

impl Documents {
    pub(crate) fn set(&mut self, uri: &str, text: &str) {
        self.open.insert(uri.to_owned(), text.to_owned());
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.open.remove(uri);
    }

    pub(crate) fn text(&self, uri: &str) -> Option<&str> {
        self.open.get(uri).map(String::as_str)
    }

    /// The open file, checked with the text of the editor; its imports are read from disk.
    pub(crate) fn check(&self, uri: &str) -> Option<Compilation> {
        Some(check(&path(uri), self.text(uri)?, &FileLoader, &Options::default()))
    }
}

/// The path of a `file:` URI, percent-encoding undone; other URIs as they are.
pub(crate) fn path(uri: &str) -> String {
    let encoded = uri.strip_prefix("file://").unwrap_or(uri);
    percent_decode_str(encoded).decode_utf8_lossy().into_owned()
}

/// The URI of a path.
pub(crate) fn uri(path: &str) -> String {
    if path.contains("://") {
        return path.to_owned();
    }
    let absolute = std::path::absolute(path).map(|path| path.to_string_lossy().into_owned());
    let path = absolute.unwrap_or_else(|_| path.to_owned());
    format!("file://{}", utf8_percent_encode(&path, IN_PATHS))
}

/// A span as the editor's range.
pub(crate) fn range(source: &Source, span: Span) -> Value {
    let position = |offset| {
        let (line, character) = source.position_utf16(offset);
        json!({ "line": line, "character": character })
    };
    json!({ "start": position(span.start), "end": position(span.end) })
}

/// The byte that an editor's position means.
pub(crate) fn offset(source: &Source, position: &Value) -> u32 {
    let number = |name: &str| u32::try_from(position[name].as_u64().unwrap_or(0)).unwrap_or(u32::MAX);
    source.offset_utf16(number("line").saturating_add(1), number("character"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths_with_their_escapes_undone() {
        assert_eq!(path("file:///a%20b/c.sk"), "/a b/c.sk");
        assert_eq!(path("file:///100%"), "/100%");
        assert_eq!(path("untitled:1"), "untitled:1");
        // A `%` in the name of a file was not escaped, and its URI led to another one.
        for name in ["/a b/c.sk", "/100%20.sk", "/ü#?.sk"] {
            assert_eq!(path(&uri(name)), name);
        }
    }
}
