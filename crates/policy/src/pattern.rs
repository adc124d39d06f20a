//! Texts with wildcards and variables: `arn:aws:dynamodb:*:*:table/${aws:username}-?`.
//!
//! A pattern is compiled once. The value of a variable is compared literally: a user who is called `*` matches nobody
//! else.

use crate::context::{Context, Values};

/// A compiled text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// Without wildcards and variables.
    Literal(String),
    /// `*`.
    Anything,
    /// In pieces.
    Pieces(Vec<Piece>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    /// `?`.
    One,
    /// `*`.
    Many,
    /// `${key}`, or `${key, 'default'}`.
    Variable {
        key: String,
        default: Option<String>,
    },
}

/// The elements that a compiled text may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Syntax {
    pub(crate) wildcards: bool,
    /// Policies of the version of 2008 have no variables.
    pub(crate) variables: bool,
}

impl Pattern {
    pub(crate) fn compile(text: &str, syntax: Syntax) -> Result<Pattern, String> {
        if text == "*" && syntax.wildcards {
            return Ok(Pattern::Anything);
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            if syntax.variables
                && let Some(inner) = rest.strip_prefix("${")
            {
                let end = inner.find('}').ok_or_else(|| format!("`{text}`: a variable has no end"))?;
                match &inner[..end] {
                    escaped @ ("*" | "?" | "$") => plain.push_str(escaped),
                    name => {
                        flush(&mut plain, &mut pieces);
                        pieces.push(
                            variable(name)
                                .ok_or_else(|| format!("`{text}`: `${{{name}}}` is not a variable"))?,
                        );
                    }
                }
                rest = &inner[end + 1..];
                continue;
            }
            match letter {
                '*' if syntax.wildcards => {
                    flush(&mut plain, &mut pieces);
                    if pieces.last() != Some(&Piece::Many) {
                        pieces.push(Piece::Many);
                    }
                }
                '?' if syntax.wildcards => {
                    flush(&mut plain, &mut pieces);
                    pieces.push(Piece::One);
                }
                letter => plain.push(letter),
            }
            rest = &rest[letter.len_utf8()..];
        }
        if pieces.is_empty() {
            return Ok(Pattern::Literal(plain));
        }
        flush(&mut plain, &mut pieces);
        Ok(Pattern::Pieces(pieces))
    }

    /// Whether a text matches. A variable without a value matches nothing.
    pub(crate) fn matches(&self, text: &str, ignore_case: bool, context: &dyn Context) -> bool {
        match self {
            Pattern::Anything => true,
            Pattern::Literal(literal) => is_equal(literal, text, ignore_case),
            // Most patterns differ in their first letters, which is seen without taking anything apart.
            Pattern::Pieces(pieces) if !may_begin(pieces, text, ignore_case) => false,
            Pattern::Pieces(pieces) if is_plain(pieces, text, ignore_case) => {
                glob_plain(pieces, text, ignore_case)
            }
            Pattern::Pieces(pieces) => {
                let Some(expanded) = expand(pieces, ignore_case, context) else { return false };
                match ignore_case {
                    true => glob(&expanded, &text.to_lowercase().chars().collect::<Vec<_>>()),
                    false => glob(&expanded, &text.chars().collect::<Vec<_>>()),
                }
            }
        }
    }

    /// The text, if it has neither wildcards nor variables.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Pattern::Literal(text) => Some(text),
            _ => None,
        }
    }
}

fn is_equal(one: &str, other: &str, ignore_case: bool) -> bool {
    match ignore_case {
        false => one == other,
        true if one.eq_ignore_ascii_case(other) => true,
        // Other letters may change their length with their case.
        true => !(one.is_ascii() && other.is_ascii()) && one.to_lowercase() == other.to_lowercase(),
    }
}

/// Whether pieces can be compared with a text directly: there are no variables, and ignoring case only concerns ASCII.
fn is_plain(pieces: &[Piece], text: &str, ignore_case: bool) -> bool {
    let is_plain = |piece: &Piece| match piece {
        Piece::Text(text) => !ignore_case || text.is_ascii(),
        Piece::One | Piece::Many => true,
        Piece::Variable { .. } => false,
    };
    pieces.iter().all(is_plain) && (!ignore_case || text.is_ascii())
}

/// Like [`glob`], piece by piece and without taking anything apart.
fn glob_plain(pieces: &[Piece], text: &str, ignore_case: bool) -> bool {
    let (mut at, mut rest) = (0, text);
    let mut retry: Option<(usize, &str)> = None;
    loop {
        let after_one = |text: &'_ str| text.chars().next().map(char::len_utf8);
        let taken = match pieces.get(at) {
            None if rest.is_empty() => return true,
            Some(Piece::Many) if at + 1 == pieces.len() => return true,
            Some(Piece::Many) => {
                retry = Some((at + 1, rest));
                Some(0)
            }
            Some(Piece::Text(text)) => match rest.get(..text.len()) {
                Some(beginning) if is_equal(text, beginning, ignore_case) => Some(text.len()),
                _ => None,
            },
            Some(Piece::One) => after_one(rest),
            None | Some(Piece::Variable { .. }) => None,
        };
        match (taken, retry) {
            (Some(bytes), _) => (at, rest) = (at + 1, &rest[bytes..]),
            (None, Some((after, from))) => {
                let Some(bytes) = after_one(from) else { return false };
                let from = &from[bytes..];
                retry = Some((after, from));
                (at, rest) = (after, from);
            }
            (None, None) => return false,
        }
    }
}

/// Whether a text can match pieces, by what they begin with.
fn may_begin(pieces: &[Piece], text: &str, ignore_case: bool) -> bool {
    let Some(Piece::Text(prefix)) = pieces.first() else { return true };
    match text.get(..prefix.len()) {
        Some(beginning) => is_equal(prefix, beginning, ignore_case),
        // Letters that change their length with their case are left to the full comparison.
        None => ignore_case && !(prefix.is_ascii() && text.is_ascii()),
    }
}

fn flush(plain: &mut String, pieces: &mut Vec<Piece>) {
    if !plain.is_empty() {
        pieces.push(Piece::Text(std::mem::take(plain)));
    }
}

fn variable(name: &str) -> Option<Piece> {
    let (key, default) = match name.split_once(',') {
        None => (name.trim(), None),
        Some((key, default)) => {
            let default = default.trim().strip_prefix('\'')?.strip_suffix('\'')?;
            (key.trim(), Some(default.to_owned()))
        }
    };
    let is_key = key.contains(':') && !key.contains(char::is_whitespace);
    is_key.then(|| Piece::Variable { key: key.to_owned(), default })
}

/// The one value of a condition key; a key with several has none.
fn value(key: &str, default: Option<&str>, context: &dyn Context) -> Option<String> {
    match context.values(key) {
        Some(Values::List(values)) if values.len() == 1 => {
            values.into_iter().next().map(std::borrow::Cow::into_owned)
        }
        Some(Values::Absent) => default.map(str::to_owned),
        _ => None,
    }
}

/// One element of a pattern that is taken apart into characters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Letter {
    Exactly(char),
    One,
    Many,
}

fn expand(pieces: &[Piece], ignore_case: bool, context: &dyn Context) -> Option<Vec<Letter>> {
    let mut letters = Vec::with_capacity(64);
    for piece in pieces {
        match piece {
            Piece::One => letters.push(Letter::One),
            Piece::Many => letters.push(Letter::Many),
            Piece::Text(text) => add(text, ignore_case, &mut letters),
            Piece::Variable { key, default } => {
                add(&value(key, default.as_deref(), context)?, ignore_case, &mut letters);
            }
        }
    }
    Some(letters)
}

fn add(text: &str, ignore_case: bool, letters: &mut Vec<Letter>) {
    match ignore_case {
        true => letters.extend(text.to_lowercase().chars().map(Letter::Exactly)),
        false => letters.extend(text.chars().map(Letter::Exactly)),
    }
}

/// Compares with one step back to the last `*`, which is enough and takes at most the product of both lengths.
fn glob(pattern: &[Letter], text: &[char]) -> bool {
    let (mut at, mut of) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while of < text.len() {
        match pattern.get(at) {
            Some(Letter::Many) => {
                retry = Some((at + 1, of));
                at += 1;
            }
            Some(Letter::One) => (at, of) = (at + 1, of + 1),
            Some(Letter::Exactly(letter)) if *letter == text[of] => (at, of) = (at + 1, of + 1),
            _ => match retry {
                Some((after, begun)) => {
                    retry = Some((after, begun + 1));
                    (at, of) = (after, begun + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at.min(pattern.len())..].iter().all(|letter| *letter == Letter::Many)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Table;

    fn matches(pattern: &str, text: &str) -> bool {
        let context = Table::new(&[("aws:username", &["a*"]), ("aws:many", &["x", "y"])]);
        let syntax = Syntax { wildcards: true, variables: true };
        Pattern::compile(pattern, syntax).is_ok_and(|pattern| pattern.matches(text, false, &context))
    }

    #[test]
    fn wildcards_and_variables() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("abc", "abc", true),
            ("abc", "ABC", false),
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*b*c", "a-b-b-c-c", true),
            ("a*b*c", "a-c-b", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a?c", "aéc", true),
            ("**", "x", true),
            ("table/${aws:username}", "table/a*", true),
            ("table/${aws:username}", "table/abc", false),
            ("table/${aws:username}/*", "table/a*/x", true),
            ("table/${aws:missing}", "table/", false),
            ("table/${aws:missing, 'x'}", "table/x", true),
            ("table/${aws:many}", "table/x", false),
            ("${*}${?}${$}", "*?$", true),
            ("${*}", "anything", false),
            ("${username}", "a*", false),
            ("${aws:username", "a*", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    proptest::proptest! {
        /// The comparison of plain pieces is that of letters.
        #[test]
        fn plain_pieces_match_like_letters(
            pattern in "[aAbé*?]{0,8}",
            text in "[aAbBé]{0,10}",
            ignore_case: bool,
        ) {
            let context = Table::new(&[]);
            let syntax = Syntax { wildcards: true, variables: true };
            let pattern = Pattern::compile(&pattern, syntax).unwrap();
            let Pattern::Pieces(pieces) = &pattern else { return Ok(()) };
            let fold = |text: &str| if ignore_case { text.to_lowercase() } else { text.to_owned() };
            let letters = expand(pieces, ignore_case, &context).unwrap();
            let expected = glob(&letters, &fold(&text).chars().collect::<Vec<_>>());
            proptest::prop_assert_eq!(pattern.matches(&text, ignore_case, &context), expected);
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern = "*a".repeat(60);
        assert!(!matches(&pattern, &"a".repeat(50)));
        assert!(!matches(&format!("{pattern}b"), &"a".repeat(5_000)));
    }
}
