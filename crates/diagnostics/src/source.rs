//! The texts that spans point into, with line and column arithmetic.

use crate::{FileId, Span};

/// One source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name shown to the reader, usually a path.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// All files of one compilation, in the order they were read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

/// A place for people: both numbers count from one, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

impl Sources {
    /// No files yet.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file and names it from now on by the returned id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)))
            .collect();
        self.files.push(Source { name: name.into(), text, line_starts });
        id
    }

    /// The file of that id.
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.files.get(file.0 as usize)
    }

    /// The text of a span; empty when the span points nowhere.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|source| source.text.get(span.range())).unwrap_or_default()
    }

    /// The line and column at which a span begins.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.file).map_or(Position { line: 1, column: 1 }, |source| source.position(span.start))
    }

    /// Every file with its id.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files
            .iter()
            .enumerate()
            .map(|(at, source)| (FileId(u32::try_from(at).unwrap_or(u32::MAX)), source))
    }
}

impl Source {
    /// The line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0) as usize;
        let before = self.text.get(start..offset as usize).unwrap_or_default();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: number(line), column: number(before.chars().count() + 1) }
    }

    /// The byte offset of a line (counted from one) and a column in UTF-16 units (counted from zero), as
    /// editors send them; clamped to the text.
    pub fn offset_utf16(&self, line: u32, column_utf16: u32) -> u32 {
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let Some(start) = self.line_starts.get(line.saturating_sub(1) as usize).copied() else {
            return end;
        };
        let rest = self.text.get(start as usize..).unwrap_or_default();
        let (mut units, mut at) = (0, start);
        for character in rest.chars().take_while(|c| *c != '\n') {
            if units >= column_utf16 {
                break;
            }
            units += u32::from(character.len_utf16() == 2) + 1;
            at += u32::try_from(character.len_utf8()).unwrap_or(1);
        }
        at
    }

    /// The line (from zero) and UTF-16 column (from zero) of a byte offset, as the language server protocol counts.
    pub fn position_utf16(&self, offset: u32) -> (u32, u32) {
        let line = self.position(offset).line;
        let start = self.line_starts.get(line as usize - 1).copied().unwrap_or(0) as usize;
        let before = self.text.get(start..offset as usize).unwrap_or_default();
        (line - 1, u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_lines_from_one() {
        let mut sources = Sources::new();
        let file = sources.add("a.sk", "ä b\nc\n");
        let at = |offset| sources.position(Span::new(file, offset, offset));
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(3), Position { line: 1, column: 3 });
        assert_eq!(at(5), Position { line: 2, column: 1 });
        assert_eq!(at(7), Position { line: 3, column: 1 });
    }

    #[test]
    fn editor_positions_go_there_and_back() {
        let mut sources = Sources::new();
        let file = sources.add("a.sk", "x𝄞y\nz");
        let source = sources.get(file).unwrap();
        for offset in [0, 1, 5, 6, 7, 8] {
            let (line, column) = source.position_utf16(offset);
            assert_eq!(source.offset_utf16(line + 1, column), offset);
        }
        assert_eq!(source.offset_utf16(99, 0), 8);
    }
}
