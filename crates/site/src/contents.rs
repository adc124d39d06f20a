//! The table of contents: `docs/SUMMARY.md`.

use crate::{SiteError, page};

/// The table of contents, in the order in which pages are read.
#[derive(Debug)]
pub struct Contents {
    /// Parts and their chapters.
    pub parts: Vec<Part>,
}

/// Chapters under one heading.
#[derive(Debug)]
pub struct Part {
    /// The heading; empty for what comes before the first one.
    pub title: String,
    /// Its pages.
    pub chapters: Vec<Chapter>,
}

/// A page in the table of contents.
#[derive(Debug)]
pub struct Chapter {
    /// The title that readers see.
    pub title: String,
    /// The page's path in the repository.
    pub path: String,
}

impl Contents {
    /// Reads the list. Headings begin parts; the first heading names the file.
    pub fn parse(summary: &str) -> Result<Contents, SiteError> {
        let mut parts = vec![Part { title: String::new(), chapters: Vec::new() }];
        for (index, text) in summary.lines().enumerate() {
            if text.trim().is_empty() || text == "# Summary" {
                continue;
            }
            if let Some(title) = text.strip_prefix("# ") {
                parts.push(Part { title: title.to_owned(), chapters: Vec::new() });
                continue;
            }
            let chapter =
                chapter(text).ok_or(SiteError::Contents { line: index + 1, text: text.to_owned() })?;
            if let Some(part) = parts.last_mut() {
                part.chapters.push(chapter);
            }
        }
        parts.retain(|part| !part.chapters.is_empty());
        Ok(Contents { parts })
    }

    /// All chapters, in order.
    pub fn chapters(&self) -> impl Iterator<Item = &Chapter> {
        self.parts.iter().flat_map(|part| &part.chapters)
    }
}

/// `- [Title](page.md)` or, before the first part, `[Title](page.md)`.
fn chapter(line: &str) -> Option<Chapter> {
    let line = line.trim();
    let (title, target) = line.strip_prefix("- ").unwrap_or(line).strip_prefix('[')?.split_once("](")?;
    let path = page::resolve("docs/SUMMARY.md", target.strip_suffix(')')?)?;
    Some(Chapter { title: title.to_owned(), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_chapters_are_read() {
        let contents =
            Contents::parse("# Summary\n\n[Home](index.md)\n\n# Use\n\n- [Map](../ARCHITECTURE.md)\n");
        let contents = contents.expect("a table of contents");
        let found: Vec<_> = contents.chapters().map(|chapter| chapter.path.as_str()).collect();
        assert_eq!(found, ["docs/index.md", "ARCHITECTURE.md"]);
        assert_eq!(contents.parts.last().map(|part| part.title.as_str()), Some("Use"));
    }

    #[test]
    fn other_lines_are_refused() {
        let error = Contents::parse("# Summary\n\nsome text\n").expect_err("an error").to_string();
        assert_eq!(
            error,
            "docs/SUMMARY.md:3: expected `- [Title](page.md)` or a heading, found \"some text\""
        );
    }
}
