//! A place in a source file: the file and a half-open range of bytes.

use serde::Serialize;

/// A file of a [`crate::Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct FileId(pub u32);

/// A half-open byte range of one file. Twelve bytes, copied freely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// A range of one file.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end: end.max(start) }
    }

    /// The smallest range that holds both; `self` where the files differ.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty range just behind this one: where a fix inserts.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// The empty range just before this one.
    pub fn before(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// Whether `other` lies within this range of the same file.
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// The range as indexes into the file's text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}
