//! The design language: text to a lossless tree, typed views of it, and the formatter.
//!
//! Parsing never fails: any text gives a tree that contains every byte of it, and diagnostics beside it.
//! The grammar judges shape only; what a design means is the business of `sortkey-design`.

pub mod ast;
mod format;
mod grammar;
mod kind;
mod lexer;
mod parser;

pub use format::format;
pub use rowan::TextRange;

pub use kind::{Kind, Language, SyntaxElement, SyntaxNode, SyntaxToken};

use sortkey_diagnostics::{Diagnostic, FileId, Span};

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Parse {
    green: rowan::GreenNode,
    file: FileId,
    diagnostics: Vec<Diagnostic>,
}

/// Parses a file, whatever is in it.
pub fn parse(text: &str, file: FileId) -> Parse {
    let (green, diagnostics) = grammar::file(text, file);
    Parse { green, file, diagnostics }
}

impl Parse {
    /// The root of the tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The root as a typed file.
    pub fn file(&self) -> ast::File {
        ast::File::new(self.syntax())
    }

    /// Its file in the sources.
    pub fn id(&self) -> FileId {
        self.file
    }

    /// The syntax errors.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The span of a range of this file.
    pub fn span(&self, range: rowan::TextRange) -> Span {
        Span::new(self.file, range.start().into(), range.end().into())
    }
}
