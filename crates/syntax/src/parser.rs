//! The machinery of the parser: a cursor over tokens, a tree under construction, errors on the side.
//!
//! Invariants: every token ends up in the tree; the tree's height is bounded; the cursor always moves on.

use crate::kind::{Kind, Language};
use crate::lexer::{Token, lex};
use rowan::{Checkpoint, GreenNode, GreenNodeBuilder, Language as _};
use sortkey_diagnostics::{Diagnostic, FileId, Severity, Span};

/// How deep blocks, types and expressions may nest. Everything that walks the tree may recurse because of this.
pub(crate) const MAX_DEPTH: u32 = 96;

/// Further errors in one file are not reported.
const MAX_ERRORS: usize = 200;

pub(crate) struct Parser<'t> {
    text: &'t str,
    file: FileId,
    tokens: Vec<Token>,
    /// The next token that is not trivia.
    at: usize,
    /// The next token that is not yet in the tree (trivia wait for the node they precede).
    written: usize,
    builder: GreenNodeBuilder<'static>,
    errors: Vec<Diagnostic>,
    pub(crate) depth: u32,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, file: FileId) -> Parser<'t> {
        let tokens = lex(text);
        let mut parser = Parser {
            text,
            file,
            tokens,
            at: 0,
            written: 0,
            builder: GreenNodeBuilder::new(),
            errors: Vec::new(),
            depth: 0,
        };
        parser.report_tokens();
        parser.skip_trivia();
        parser
    }

    pub(crate) fn finish(mut self) -> (GreenNode, Vec<Diagnostic>) {
        self.errors.sort_by_key(|error| error.primary.span.start);
        (self.builder.finish(), self.errors)
    }

    // ---- looking

    pub(crate) fn kind(&self) -> Kind {
        self.tokens.get(self.at).map_or(Kind::Eof, |token| token.kind)
    }

    pub(crate) fn at(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    /// Whether the next token is that word.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub(crate) fn at_any(&self, words: &[&str]) -> bool {
        self.word().is_some_and(|word| words.contains(&word))
    }

    /// The next token's text if it is a name without backticks.
    pub(crate) fn word(&self) -> Option<&'t str> {
        self.word_at(self.at)
    }

    /// The kind of the token `n` significant tokens ahead.
    pub(crate) fn nth(&self, n: usize) -> Kind {
        self.ahead(n).map_or(Kind::Eof, |at| self.tokens[at].kind)
    }

    /// The word `n` significant tokens ahead.
    pub(crate) fn nth_word(&self, n: usize) -> Option<&'t str> {
        self.word_at(self.ahead(n)?)
    }

    /// Whether the next token is at the very beginning of a line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.tokens
            .get(self.at)
            .is_some_and(|token| token.start == 0 || self.text[..token.start].ends_with('\n'))
    }

    fn word_at(&self, at: usize) -> Option<&'t str> {
        let token = self.tokens.get(at)?;
        let text = &self.text[token.start..token.end];
        (token.kind == Kind::Name && !text.starts_with('`')).then_some(text)
    }

    fn ahead(&self, n: usize) -> Option<usize> {
        let significant = (self.at..self.tokens.len()).filter(|at| !self.tokens[*at].kind.is_trivia());
        significant.into_iter().nth(n)
    }

    // ---- building

    /// Opens a node at the next significant token; trivia before it stay outside.
    pub(crate) fn start(&mut self, kind: Kind) {
        self.write_trivia();
        self.builder.start_node(Language::kind_to_raw(kind));
    }

    pub(crate) fn end(&mut self) {
        self.builder.finish_node();
    }

    pub(crate) fn checkpoint(&mut self) -> Checkpoint {
        self.write_trivia();
        self.builder.checkpoint()
    }

    /// Opens a node around everything since the checkpoint.
    pub(crate) fn start_at(&mut self, checkpoint: Checkpoint, kind: Kind) {
        self.builder.start_node_at(checkpoint, Language::kind_to_raw(kind));
    }

    /// Takes the next token, whatever it is.
    pub(crate) fn bump(&mut self) {
        self.write_trivia();
        if self.at < self.tokens.len() {
            self.at += 1;
            self.write();
            self.skip_trivia();
        }
    }

    pub(crate) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub(crate) fn expect(&mut self, kind: Kind) -> bool {
        // A name that is missing at the end of a line is not the `table` of the next declaration.
        let missing = kind == Kind::Name && self.at_item_after_missing_brace();
        (!missing && self.eat(kind)) || {
            self.error(format!("expected {}, found {}", kind.describe(), self.found()));
            false
        }
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> bool {
        self.eat_word(word) || {
            self.error(format!("expected `{word}`, found {}", self.found()));
            false
        }
    }

    /// Runs `parse` one level deeper, or skips a balanced group if that is too deep.
    pub(crate) fn nested<T: Default>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.error(format!("nested more than {MAX_DEPTH} levels deep"));
            self.skip_group();
            return T::default();
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// `{`, then `item` until the matching `}`. Tokens that begin no item become errors, one by one.
    pub(crate) fn block(&mut self, what: &str, mut item: impl FnMut(&mut Self)) {
        if !self.expect(Kind::LBrace) {
            return;
        }
        self.nested(|p| {
            while !p.at(Kind::RBrace) && !p.at(Kind::Eof) && !p.at_item_after_missing_brace() {
                let before = p.at;
                item(p);
                if p.at == before {
                    p.unexpected(what);
                }
            }
        });
        self.expect(Kind::RBrace);
    }

    // ---- complaining

    pub(crate) fn error(&mut self, title: String) {
        let span = self.here();
        self.error_at(span, title);
    }

    /// Reports the next token and puts it into an error node.
    pub(crate) fn unexpected(&mut self, what: &str) {
        self.error(format!("expected {what}, found {}", self.found()));
        self.start(Kind::Error);
        self.bump();
        self.end();
    }

    pub(crate) fn found(&self) -> String {
        match self.tokens.get(self.at) {
            None => Kind::Eof.describe().to_owned(),
            Some(token) => {
                format!("`{}`", self.text[token.start..token.end].chars().take(40).collect::<String>())
            }
        }
    }

    /// The place of the next token; the end of the last one when the text is over.
    fn here(&self) -> Span {
        let (start, end) = match self.tokens.get(self.at) {
            Some(token) => (token.start, token.end),
            None => {
                let end = self.text.trim_end().len();
                (end, end)
            }
        };
        self.span(start, end)
    }

    fn error_at(&mut self, span: Span, title: String) {
        // One place, one complaint: what follows an error at the same token is its echo.
        let echo = self.errors.iter().rev().take(4).any(|error| error.primary.span.start == span.start);
        if !echo && self.errors.len() < MAX_ERRORS {
            self.errors.push(Diagnostic::new("SK0001", "syntax", Severity::Error, span, title));
        }
    }

    fn report_tokens(&mut self) {
        for at in 0..self.tokens.len() {
            let token = self.tokens[at];
            let span = self.span(token.start, token.end);
            if token.unterminated {
                self.error_at(span, "this quote is never closed".to_owned());
            } else if token.kind == Kind::Unknown {
                self.error_at(span, format!("`{}` has no meaning here", &self.text[token.start..token.end]));
            }
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span::new(self.file, number(start), number(end))
    }

    // ---- plumbing

    /// Skips one token, or everything up to the bracket that matches it, without recursion.
    fn skip_group(&mut self) {
        self.start(Kind::Error);
        let mut open = 0_usize;
        loop {
            match self.kind() {
                Kind::Eof => break,
                Kind::LParen | Kind::LBrace | Kind::LBracket => open += 1,
                Kind::RParen | Kind::RBrace | Kind::RBracket if open == 0 => break,
                Kind::RParen | Kind::RBrace | Kind::RBracket => open -= 1,
                _ => {}
            }
            self.bump();
            if open == 0 {
                break;
            }
        }
        self.end();
    }

    fn skip_trivia(&mut self) {
        while self.tokens.get(self.at).is_some_and(|token| token.kind.is_trivia()) {
            self.at += 1;
        }
    }

    /// Writes waiting trivia. The file node must be open.
    fn write_trivia(&mut self) {
        self.write();
    }

    fn write(&mut self) {
        while self.written < self.at {
            let token = self.tokens[self.written];
            self.builder.token(Language::kind_to_raw(token.kind), &self.text[token.start..token.end]);
            self.written += 1;
        }
    }

    /// Opens the file node, before which no trivia may be written.
    pub(crate) fn start_file(&mut self) {
        self.builder.start_node(Language::kind_to_raw(Kind::File));
    }

    /// Writes what is left and closes the file node.
    pub(crate) fn end_file(&mut self) {
        self.at = self.tokens.len();
        self.write();
        self.end();
    }
}
