//! Lines with a place where they may be padded, and the padding of neighbours to one column.

use crate::kind::SyntaxNode;

/// Why a line may be padded; only lines with the same reason align with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// After an attribute's name.
    Attribute,
    /// After the word of a table clause.
    TableClause,
    /// Before the `=` of a pattern or operation.
    Equals,
}

impl Column {
    /// Wider cells stay out of the alignment, so that one long name does not push all others away.
    fn max_width(self) -> usize {
        match self {
            Column::Attribute => 28,
            Column::TableClause => 12,
            Column::Equals => 40,
        }
    }
}

/// A line of output.
#[derive(Debug, Default)]
pub(super) struct Line {
    indent: usize,
    text: String,
    mark: Option<(Column, usize)>,
}

impl Line {
    pub(super) fn indented(depth: usize) -> Line {
        Line { indent: depth, ..Line::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Marks the current end as the place to pad; the first mark of a line counts.
    pub(super) fn mark(&mut self, column: Column) {
        if self.mark.is_none() {
            self.mark = Some((column, self.text.trim_end().len()));
        }
    }

    /// Whether nothing but (part of) the node is on the line so far.
    pub(super) fn is_first_of(&self, node: &SyntaxNode) -> bool {
        // The author may have spaced it otherwise.
        let dense = |text: &str| text.chars().filter(|each| !each.is_whitespace()).collect::<String>();
        let written = dense(&self.text);
        !written.is_empty() && dense(&node.text().to_string()).starts_with(&written)
    }

    fn cell(&self) -> Option<(Column, usize)> {
        let (column, at) = self.mark?;
        let width = self.text[..at].chars().count();
        (width <= column.max_width()).then_some((column, width))
    }
}

/// Aligns neighbouring lines and joins all of them.
pub(super) fn join(lines: &[Line]) -> String {
    let mut result = String::new();
    let mut start = 0;
    while start < lines.len() {
        let end = run_end(lines, start);
        let run = &lines[start..end];
        let width = run.iter().filter_map(Line::cell).map(|(_, width)| width).max().unwrap_or(0);
        for line in run {
            write(&mut result, line, width);
        }
        start = end;
    }
    result
}

/// Neighbours have the same indentation and the same reason to be padded.
fn run_end(lines: &[Line], start: usize) -> usize {
    let key = |line: &Line| line.mark.map(|(column, _)| (column, line.indent));
    let Some(first) = key(&lines[start]) else {
        return start + 1;
    };
    let length = lines[start..].iter().take_while(|line| key(line) == Some(first)).count();
    start + length
}

fn write(result: &mut String, line: &Line, width: usize) {
    if !line.text.is_empty() {
        result.push_str(&"  ".repeat(line.indent));
        match (line.cell(), line.mark) {
            (Some((_, own)), Some((_, at))) => {
                result.push_str(&line.text[..at]);
                result.push_str(&" ".repeat(width - own));
                result.push_str(line.text[at..].trim_end());
            }
            _ => result.push_str(line.text.trim_end()),
        }
    }
    result.push('\n');
}
