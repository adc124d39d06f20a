//! Text to tokens. A character that cannot begin a token, or a token without its end, makes the statement
//! unreadable; DynamoDB's error gives no further detail.

use crate::error::{PartiqlError, Place};

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) place: Place,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word(String),
    /// A name in double quotes, which is never a keyword.
    Quoted(String),
    /// A string in single quotes.
    Text(String),
    /// Digits with an optional point and exponent, as written.
    Number(String),
    /// An Ion literal in backticks.
    Ion(String),
    /// Operators and punctuation.
    Symbol(&'static str),
    /// Behind the last token.
    End,
}

/// The longest first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 26] = [
    "<<", ">>", "<=", ">=", "<>", "!=", "||", "=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]",
    "{", "}", ",", ".", ":", ";", "?",
];

const UNREADABLE: PartiqlError = PartiqlError::NotWellFormed("");

/// All tokens of a text; the last one is [`TokenKind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, PartiqlError> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1 };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let (line, column, before) = (lexer.line, lexer.column, lexer.rest);
        let kind = lexer.token()?;
        let length = before[..before.len() - lexer.rest.len()].chars().count();
        let is_end = kind == TokenKind::End;
        found.push(Token { kind, place: Place { line, column, length } });
        if is_end {
            return Ok(found);
        }
    }
}

struct Lexer<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
}

impl<'t> Lexer<'t> {
    /// Moves on by some bytes and gives them.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        for character in taken.chars() {
            match character {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                _ => self.column += 1,
            }
        }
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let bytes = self.rest.find(|character| !wanted(character)).unwrap_or(self.rest.len());
        self.take(bytes)
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), PartiqlError> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest.starts_with("--") {
                self.take_while(|character| character != '\n');
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").ok_or(UNREADABLE)?;
                self.take(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<TokenKind, PartiqlError> {
        let mut characters = self.rest.chars();
        let Some(first) = characters.next() else {
            return Ok(TokenKind::End);
        };
        let second = characters.next();
        match first {
            'a'..='z' | 'A'..='Z' | '_' | '$' => Ok(TokenKind::Word(self.take_while(is_word).to_owned())),
            '"' => self.enclosed('"').map(TokenKind::Quoted),
            '\'' => self.enclosed('\'').map(TokenKind::Text),
            '`' => self.enclosed('`').map(TokenKind::Ion),
            '0'..='9' => self.number(),
            '.' if second.is_some_and(|next| next.is_ascii_digit()) => self.number(),
            _ => {
                let symbol = SYMBOLS.into_iter().find(|symbol| self.rest.starts_with(symbol));
                let symbol = symbol.ok_or(UNREADABLE)?;
                self.take(symbol.len());
                Ok(TokenKind::Symbol(symbol))
            }
        }
    }

    /// Reads the text between two quotes; a doubled quote is an escaped one.
    fn enclosed(&mut self, quote: char) -> Result<String, PartiqlError> {
        self.take(1);
        let mut content = String::new();
        loop {
            content.push_str(self.take_while(|character| character != quote));
            if self.rest.is_empty() {
                return Err(UNREADABLE);
            }
            self.take(1);
            if !self.rest.starts_with(quote) {
                return Ok(content);
            }
            content.push(quote);
            self.take(1);
        }
    }

    fn number(&mut self) -> Result<TokenKind, PartiqlError> {
        let is_digit = |character: char| character.is_ascii_digit();
        let mut text = self.take_while(is_digit).to_owned();
        let mut fraction_digits = 0;
        if self.rest.starts_with('.') {
            self.take(1);
            let fraction = self.take_while(is_digit);
            fraction_digits = fraction.len();
            if !fraction.is_empty() {
                text = format!("{}.{fraction}", if text.is_empty() { "0" } else { &text });
            }
        }
        if self.rest.starts_with(['e', 'E']) {
            self.take(1);
            let sign = match self.rest.starts_with(['+', '-']) {
                true => self.take(1),
                false => "",
            };
            let digits = self.take_while(is_digit);
            let exponent: i32 = format!("{sign}{digits}").parse().map_err(|_| UNREADABLE)?;
            // The digits behind the point, less the exponent, are kept as an integer of 32 bits.
            let scale = i64::try_from(fraction_digits).map_err(|_| UNREADABLE)? - i64::from(exponent);
            i32::try_from(scale).map_err(|_| UNREADABLE)?;
            text = format!("{text}E{exponent}");
        }
        // A name cannot follow a number without a space between.
        if self.rest.starts_with(is_word) {
            return Err(UNREADABLE);
        }
        Ok(TokenKind::Number(text))
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$')
}
