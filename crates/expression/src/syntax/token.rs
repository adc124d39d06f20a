//! Text to tokens. Reading never fails: a character that starts no token is a token of its own, which the
//! parsers then refuse with its place.

use std::ops::Range;

use crate::operator::Comparator;

/// The kind of a token; its text is found by its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name: a letter, then letters, digits and `_`.
    Identifier,
    /// `#` and at least one letter, digit or `_`.
    NamePlaceholder,
    /// `:` and at least one letter, digit or `_`.
    ValuePlaceholder,
    /// Digits without a leading zero.
    Integer,
    Comparator(Comparator),
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    Comma,
    Dot,
    Plus,
    Minus,
    /// A character that the language does not use.
    Unknown,
    /// Behind the last token.
    End,
}

/// A token and its span.
#[derive(Clone, Debug)]
pub(crate) struct Spanned {
    pub(crate) token: Token,
    pub(crate) span: Range<usize>,
}

/// All tokens of a text; the last one is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Vec<Spanned> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if matches!(first, ' ' | '\t' | '\r' | '\n') {
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let (token, length) = token_at_start(first, rest);
        found.push(Spanned { token, span: at..at + length });
        at += length;
    }
    found.push(Spanned { token: Token::End, span: text.len()..text.len() });
    found
}

/// The token that a text starts with, and its length in bytes.
fn token_at_start(first: char, rest: &str) -> (Token, usize) {
    let second = rest[first.len_utf8()..].chars().next();
    match (first, second) {
        ('a'..='z' | 'A'..='Z', _) => {
            let length = word_length(rest);
            (keyword(&rest[..length]).unwrap_or(Token::Identifier), length)
        }
        ('#', Some(next)) if is_word(next) => (Token::NamePlaceholder, 1 + word_length(&rest[1..])),
        (':', Some(next)) if is_word(next) => (Token::ValuePlaceholder, 1 + word_length(&rest[1..])),
        ('0', _) => (Token::Integer, 1),
        ('1'..='9', _) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (Token::Integer, digits)
        }
        ('<', Some('>')) => (Token::Comparator(Comparator::NotEqual), 2),
        ('<', Some('=')) => (Token::Comparator(Comparator::LessOrEqual), 2),
        ('>', Some('=')) => (Token::Comparator(Comparator::GreaterOrEqual), 2),
        ('<', _) => (Token::Comparator(Comparator::Less), 1),
        ('>', _) => (Token::Comparator(Comparator::Greater), 1),
        ('=', _) => (Token::Comparator(Comparator::Equal), 1),
        ('(', _) => (Token::OpenParenthesis, 1),
        (')', _) => (Token::CloseParenthesis, 1),
        ('[', _) => (Token::OpenBracket, 1),
        (']', _) => (Token::CloseBracket, 1),
        (',', _) => (Token::Comma, 1),
        ('.', _) => (Token::Dot, 1),
        ('+', _) => (Token::Plus, 1),
        ('-', _) => (Token::Minus, 1),
        _ => (Token::Unknown, first.len_utf8()),
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn word_length(text: &str) -> usize {
    text.chars().take_while(|character| is_word(*character)).count()
}

/// Keywords are the same in every kind of expression and in every case.
fn keyword(word: &str) -> Option<Token> {
    const KEYWORDS: [(&str, Token); 9] = [
        ("AND", Token::And),
        ("OR", Token::Or),
        ("NOT", Token::Not),
        ("BETWEEN", Token::Between),
        ("IN", Token::In),
        ("SET", Token::Set),
        ("REMOVE", Token::Remove),
        ("ADD", Token::Add),
        ("DELETE", Token::Delete),
    ];
    KEYWORDS.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word)).map(|(_, token)| *token)
}
