//! Text to tokens. Every byte lands in exactly one token, so the tokens put together are the text again.
//!
//! Words are all `Name`s: their meaning depends on their place, which only the parser can see.

use crate::kind::Kind;

/// A token and the number of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The text began with a quote that nothing closed.
    pub(crate) unterminated: bool,
}

/// Units of size that may follow a number after a space.
const SIZES: [&str; 4] = ["B", "KB", "MB", "GB"];

/// Operators, the longest first where one begins another.
const OPERATORS: [(&str, Kind); 28] = [
    ("...", Kind::DotDotDot),
    ("..", Kind::DotDot),
    ("->", Kind::Arrow),
    (":=", Kind::ColonEq),
    ("!=", Kind::NotEq),
    ("<=", Kind::LtEq),
    (">=", Kind::GtEq),
    ("+=", Kind::PlusEq),
    ("-=", Kind::MinusEq),
    ("(", Kind::LParen),
    (")", Kind::RParen),
    ("{", Kind::LBrace),
    ("}", Kind::RBrace),
    ("[", Kind::LBracket),
    ("]", Kind::RBracket),
    (",", Kind::Comma),
    (":", Kind::Colon),
    ("=", Kind::Eq),
    ("<", Kind::Lt),
    (">", Kind::Gt),
    ("+", Kind::Plus),
    ("-", Kind::Minus),
    ("*", Kind::Star),
    ("/", Kind::Slash),
    ("%", Kind::Percent),
    ("|", Kind::Bar),
    ("?", Kind::Question),
    ("@", Kind::At),
];

pub(crate) fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (kind, length, unterminated) = next(rest);
        tokens.push(Token { kind, start: at, end: at + length, unterminated });
        at += length;
    }
    tokens
}

fn next(rest: &str) -> (Kind, usize, bool) {
    let first = rest.chars().next().unwrap_or(' ');
    match first {
        c if c.is_whitespace() => (Kind::Whitespace, prefix(rest, char::is_whitespace), false),
        '/' if rest.starts_with("//") => {
            let doc = rest.starts_with("///") && !rest.starts_with("////");
            let length = rest.find('\n').unwrap_or(rest.len());
            (if doc { Kind::DocComment } else { Kind::Comment }, length, false)
        }
        '"' => quoted(rest, '"', Kind::Str),
        '`' => quoted(rest, '`', Kind::Name),
        c if c.is_ascii_digit() => (Kind::Number, number(rest), false),
        c if is_name_start(c) => (Kind::Name, name(rest), false),
        _ => match OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
            Some((text, kind)) => (*kind, text.len(), false),
            None if first == '.' => (Kind::Dot, 1, false),
            None => (Kind::Unknown, first.len_utf8(), false),
        },
    }
}

/// A quoted token ends at its quote or, so that one forgotten quote does not swallow the file, at the line's end.
/// A backslash escapes the quote and itself.
fn quoted(rest: &str, quote: char, kind: Kind) -> (Kind, usize, bool) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return (kind, at, true),
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            _ if c == quote => return (kind, at + quote.len_utf8(), false),
            _ => {}
        }
    }
    (kind, rest.len(), true)
}

/// Digits with `_`, a fraction, then a unit: letters at once (`15m`) or a size after blanks (`256 KB`).
fn number(rest: &str) -> usize {
    let digits = |text: &str| prefix(text, |c| c.is_ascii_digit() || c == '_');
    let mut length = digits(rest);
    if rest[length..].starts_with('.') && rest[length + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        length += 1 + digits(&rest[length + 1..]);
    }
    let unit = prefix(&rest[length..], char::is_alphanumeric);
    if unit > 0 {
        return length + unit;
    }
    let blanks = prefix(&rest[length..], |c| c == ' ');
    let word = &rest[length + blanks..][..name(&rest[length + blanks..])];
    if SIZES.contains(&word) { length + blanks + word.len() } else { length }
}

/// Letters, digits, `_`, and hyphens with a letter or digit behind them.
fn name(rest: &str) -> usize {
    let mut length = 0;
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let inner_hyphen = c == '-' && length > 0 && chars.peek().is_some_and(|next| is_name_part(*next));
        if !(is_name_part(c) || inner_hyphen) {
            break;
        }
        length += c.len_utf8();
    }
    length
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn prefix(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accept(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let tokens: Vec<_> = lex(text)
            .into_iter()
            .filter(|token| token.kind != Kind::Whitespace)
            .map(|token| (token.kind, &text[token.start..token.end]))
            .collect();
        assert_eq!(tokens, expected);
    }

    #[test]
    fn names_hold_inner_hyphens_and_backticks() {
        check("email-index", &[(Kind::Name, "email-index")]);
        check("a->b", &[(Kind::Name, "a"), (Kind::Arrow, "->"), (Kind::Name, "b")]);
        check("a - b", &[(Kind::Name, "a"), (Kind::Minus, "-"), (Kind::Name, "b")]);
        check("`timestamp#eventId`", &[(Kind::Name, "`timestamp#eventId`")]);
    }

    #[test]
    fn numbers_carry_units() {
        check("1_000 15m 0.5", &[(Kind::Number, "1_000"), (Kind::Number, "15m"), (Kind::Number, "0.5")]);
        check("256 KB each", &[(Kind::Number, "256 KB"), (Kind::Name, "each")]);
        check("1 Byte", &[(Kind::Number, "1"), (Kind::Name, "Byte")]);
        check("0..9", &[(Kind::Number, "0"), (Kind::DotDot, ".."), (Kind::Number, "9")]);
        check("200/s", &[(Kind::Number, "200"), (Kind::Slash, "/"), (Kind::Name, "s")]);
    }

    #[test]
    fn a_forgotten_quote_ends_with_its_line() {
        check("\"a\nb", &[(Kind::Str, "\"a"), (Kind::Name, "b")]);
        check(r#""a\"b" c"#, &[(Kind::Str, r#""a\"b""#), (Kind::Name, "c")]);
    }

    #[test]
    fn comments_and_documentation_differ() {
        check(
            "/// d\n// c\n//// c",
            &[(Kind::DocComment, "/// d"), (Kind::Comment, "// c"), (Kind::Comment, "//// c")],
        );
    }
}
