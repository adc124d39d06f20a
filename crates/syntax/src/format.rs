//! The formatter: one canonical layout, comments kept, idempotent.
//!
//! As in gofmt, where lines break is the author's choice; everything between the breaks is not. A block that
//! contains a line break has its braces on lines of their own; blank lines come one at a time; neighbouring
//! attributes, table clauses and short patterns are aligned.

mod align;
mod spacing;

use crate::kind::{Kind, SyntaxNode, SyntaxToken};
use crate::{Parse, SyntaxElement};
use align::{Column, Line};

/// The formatted text, or nothing if the file has syntax errors: laying out nonsense would be a guess.
pub fn format(parse: &Parse) -> Option<String> {
    if !parse.diagnostics().is_empty() {
        return None;
    }
    let mut printer = Printer::default();
    for element in parse.syntax().descendants_with_tokens() {
        if let SyntaxElement::Token(token) = element {
            printer.token(&token);
        }
    }
    Some(align::join(&printer.finish()))
}

/// An open brace.
struct Block {
    owner: SyntaxNode,
    multiline: bool,
}

#[derive(Default)]
struct Printer {
    lines: Vec<Line>,
    line: Line,
    blocks: Vec<Block>,
    /// Line breaks seen since the last printed token.
    breaks: usize,
    previous: Option<SyntaxToken>,
    /// The last printed thing was a comment: nothing may follow it on its line.
    after_comment: bool,
    comma_written: bool,
}

impl Printer {
    fn token(&mut self, token: &SyntaxToken) {
        match token.kind() {
            Kind::Whitespace => self.breaks += token.text().matches('\n').count(),
            Kind::Comment | Kind::DocComment => self.comment(token),
            _ => self.significant(token),
        }
    }

    fn comment(&mut self, token: &SyntaxToken) {
        let text = token.text().trim_end();
        if self.breaks == 0 && !self.line.is_empty() {
            self.line.push("  ");
        } else {
            let next = std::iter::successors(token.next_token(), SyntaxToken::next_token);
            let next = next.into_iter().find(|next| !next.kind().is_trivia());
            let closing = next.as_ref().is_some_and(|next| next.kind() == Kind::RBrace);
            let continued = !closing && next.is_some_and(|next| self.is_continuation(&next));
            self.break_line(continued);
        }
        self.line.push(text);
        self.after_comment = true;
        self.breaks = 0;
    }

    fn significant(&mut self, token: &SyntaxToken) {
        let closes = token.kind() == Kind::RBrace;
        let block = if closes { self.blocks.pop() } else { None };
        if self.must_break(token, block.as_ref()) {
            let continued = !closes && self.is_continuation(token);
            self.break_line(continued);
        } else if let Some(previous) = &self.previous
            && !self.line.is_empty()
        {
            let unit = self.begins_unit(token);
            let gap = if self.comma_written { " " } else { spacing::between(previous, token, unit) };
            self.line.push(gap);
        }
        self.mark_column(token);
        self.line.push(token.text());
        self.comma_written = false;
        if lacks_comma(token) {
            self.line.push(",");
            self.comma_written = true;
        }
        if token.kind() == Kind::LBrace
            && let Some(owner) = token.parent()
        {
            self.blocks.push(Block { multiline: is_multiline(token), owner });
        }
        self.previous = Some(token.clone());
        self.after_comment = false;
        self.breaks = 0;
    }

    fn must_break(&self, token: &SyntaxToken, closed: Option<&Block>) -> bool {
        let Some(previous) = &self.previous else {
            return !self.line.is_empty() || self.after_comment;
        };
        if self.after_comment {
            return true;
        }
        if let Some(block) = closed {
            return block.multiline;
        }
        let opened =
            previous.kind() == Kind::LBrace && self.blocks.last().is_some_and(|block| block.multiline);
        opened || self.breaks > 0 || (self.blocks.is_empty() && self.begins_unit(token))
    }

    /// Starts a new line, keeping one blank line if there was one, but none next to a brace.
    fn break_line(&mut self, continued: bool) {
        let after_brace =
            self.previous.as_ref().is_some_and(|token| token.kind() == Kind::LBrace) && !self.after_comment;
        let blank = self.breaks > 1 && !after_brace && !(self.lines.is_empty() && self.line.is_empty());
        self.end_line();
        if blank {
            self.lines.push(Line::default());
        }
        let depth = self.blocks.iter().filter(|block| block.multiline).count() + usize::from(continued);
        self.line = Line::indented(depth);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.lines.push(line);
        }
    }

    fn finish(mut self) -> Vec<Line> {
        self.end_line();
        self.lines
    }

    /// Whether the token goes on with something that an earlier line began.
    fn is_continuation(&self, token: &SyntaxToken) -> bool {
        !self.begins_unit(token) && !matches!(token.kind(), Kind::RParen | Kind::RBracket | Kind::RBrace)
    }

    /// Whether the token is the first of a declaration, clause, statement or field of the innermost block.
    fn begins_unit(&self, token: &SyntaxToken) -> bool {
        let owner = self.blocks.last().map(|block| &block.owner);
        let start = token.text_range().start();
        token.parent_ancestors().take_while(|node| node.text_range().start() == start).any(|node| {
            match (node.parent(), owner) {
                (Some(parent), Some(owner)) => parent == *owner,
                (Some(parent), None) => parent.kind() == Kind::File,
                (None, _) => false,
            }
        })
    }

    /// Marks where this line may be padded so that its neighbours align.
    fn mark_column(&mut self, token: &SyntaxToken) {
        let Some(previous) = &self.previous else { return };
        let Some(parent) = token.parent() else { return };
        let column = match previous.parent() {
            Some(node) if node.kind() == Kind::Attribute && self.line.is_first_of(&node) => Column::Attribute,
            Some(node) if self.line.is_first_of(&node) && is_table_clause(node.kind()) => Column::TableClause,
            Some(node)
                if token.kind() == Kind::Eq
                    && node == parent
                    && matches!(node.kind(), Kind::Pattern | Kind::Operation) =>
            {
                Column::Equals
            }
            _ => return,
        };
        let first_gap = match column {
            Column::Attribute => {
                matches!(previous.kind(), Kind::Name | Kind::Question)
                    && !matches!(token.kind(), Kind::Question | Kind::Comma)
            }
            Column::TableClause => previous.kind() == Kind::Name,
            Column::Equals => true,
        };
        if first_gap {
            self.line.mark(column);
        }
    }
}

fn is_table_clause(kind: Kind) -> bool {
    matches!(kind, Kind::Key | Kind::Index | Kind::Ttl | Kind::Stream | Kind::Billing | Kind::Recovery)
}

/// A block is laid out over several lines if it was written over several lines.
fn is_multiline(brace: &SyntaxToken) -> bool {
    let Some(parent) = brace.parent() else {
        return false;
    };
    let inside =
        parent.children_with_tokens().skip_while(|element| element.as_token() != Some(brace)).skip(1);
    let mut inside = inside.take_while(|element| element.kind() != Kind::RBrace);
    inside.any(|element| match element {
        SyntaxElement::Token(token) => token.text().contains('\n') || token.kind() == Kind::Comment,
        SyntaxElement::Node(node) => node.text().contains_char('\n'),
    })
}

/// Fields, arguments, list elements and attributes of objects are separated by commas; where the author left one
/// out, it is written.
fn lacks_comma(token: &SyntaxToken) -> bool {
    let end = token.text_range().end();
    if token.kind() == Kind::Comma {
        return false;
    }
    let mut enclosing = token.parent_ancestors().take_while(|node| node.text_range().end() == end);
    enclosing.any(|node| {
        let separated = match node.parent().map(|parent| parent.kind()) {
            Some(Kind::Fields) => matches!(node.kind(), Kind::Field | Kind::Spread),
            Some(Kind::Args) => matches!(node.kind(), Kind::Arg | Kind::Spread),
            Some(Kind::TypeObject) => node.kind() == Kind::Attribute,
            Some(Kind::ChooseExpr) => node.kind() == Kind::ChooseArm,
            Some(Kind::ListExpr) => true,
            _ => false,
        };
        separated
            && node.next_sibling().is_some()
            && next_significant(token).is_some_and(|next| next.kind() != Kind::Comma)
    })
}

fn next_significant(token: &SyntaxToken) -> Option<SyntaxToken> {
    let mut next = token.next_token();
    while let Some(token) = next {
        if !token.kind().is_trivia() {
            return Some(token);
        }
        next = token.next_token();
    }
    None
}
