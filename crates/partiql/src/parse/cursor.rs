//! A place among tokens.

use crate::error::{PartiqlError, Place};
use crate::lexer::{Token, TokenKind};

pub(super) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    parameters: usize,
    depth: usize,
}

/// How deep expressions can be nested. Values reach 32 levels, and conditions are shallow.
const DEPTH: usize = 100;

impl<'t> Parser<'t> {
    /// The tokens must end with [`TokenKind::End`].
    pub(super) fn new(tokens: &'t [Token]) -> Parser<'t> {
        Parser { tokens, at: 0, parameters: 0, depth: 0 }
    }

    /// How many parameters have been read.
    pub(super) fn parameters(&self) -> usize {
        self.parameters
    }

    /// Counts a parameter and gives its position.
    pub(super) fn next_parameter(&mut self) -> usize {
        self.parameters += 1;
        self.parameters - 1
    }

    pub(super) fn peek(&self) -> &'t TokenKind {
        &self.tokens[self.at].kind
    }

    pub(super) fn peek_second(&self) -> &'t TokenKind {
        self.tokens.get(self.at + 1).map_or(&TokenKind::End, |token| &token.kind)
    }

    pub(super) fn place(&self) -> Place {
        self.tokens[self.at].place
    }

    /// Moves on. The end is never left.
    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub(super) fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), TokenKind::Symbol(here) if *here == symbol)
    }

    /// Whether the next token is this keyword, in any case.
    pub(super) fn at_keyword(&self, keyword: &str) -> bool {
        is_keyword(self.peek(), keyword)
    }

    /// Moves on if the next token is this symbol.
    pub(super) fn accept(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Moves on if the next token is this keyword.
    pub(super) fn accept_keyword(&mut self, keyword: &str) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, symbol: &str, otherwise: &'static str) -> Result<(), PartiqlError> {
        match self.accept(symbol) {
            true => Ok(()),
            false => Err(PartiqlError::NotWellFormed(otherwise)),
        }
    }

    pub(super) fn expect_keyword(
        &mut self,
        keyword: &str,
        otherwise: &'static str,
    ) -> Result<(), PartiqlError> {
        match self.accept_keyword(keyword) {
            true => Ok(()),
            false => Err(PartiqlError::NotWellFormed(otherwise)),
        }
    }

    /// Moves on if the next token is a name: one in quotes, or one that is not a keyword.
    pub(super) fn accept_name(&mut self) -> Option<String> {
        let name = match self.peek() {
            TokenKind::Quoted(name) => name,
            TokenKind::Word(name) if !is_reserved(name) => name,
            _ => return None,
        };
        self.advance();
        Some(name.clone())
    }

    /// Reads something nested, unless it is nested too deep.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, PartiqlError>,
    ) -> Result<T, PartiqlError> {
        if self.depth == DEPTH {
            return Err(PartiqlError::NotWellFormed(""));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

pub(super) fn is_keyword(token: &TokenKind, keyword: &str) -> bool {
    matches!(token, TokenKind::Word(word) if word.eq_ignore_ascii_case(keyword))
}

/// Whether a word must be quoted to be a name. These are the words that PartiQL's grammar is built from, not
/// all that SQL ever reserved.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED_WORDS.iter().any(|reserved| reserved.eq_ignore_ascii_case(word))
}

#[rustfmt::skip]
const RESERVED_WORDS: [&str; 63] = [
    "ALL", "AND", "ANY", "AS", "ASC", "AT", "BETWEEN", "BY", "CASE", "CAST", "CREATE", "CROSS", "DELETE",
    "DESC", "DISTINCT", "DROP", "ELSE", "END", "ESCAPE", "EXCEPT", "EXISTS", "FALSE", "FOR", "FROM", "FULL",
    "GROUP", "HAVING", "IN", "INNER", "INSERT", "INTERSECT", "INTO", "IS", "JOIN", "LEFT", "LIKE", "LIMIT",
    "MISSING", "NATURAL", "NOT", "NULL", "OFFSET", "ON", "OR", "ORDER", "OUTER", "PIVOT", "REMOVE",
    "RETURNING", "RIGHT", "SELECT", "SET", "SOME", "TABLE", "THEN", "TRUE", "UNION", "UNPIVOT", "UPDATE",
    "VALUES", "WHEN", "WHERE", "WITH",
];
