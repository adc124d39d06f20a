//! The characters that a regular expression admits: those of all its parts together.
//! Unsupported syntax admits any character.

use std::iter::Peekable;
use std::str::Chars;

use super::Alphabet;

/// The characters that may occur in a text that matches a pattern as a whole.
pub(super) fn alphabet(pattern: &str) -> Alphabet {
    parts(pattern).unwrap_or_else(Alphabet::any)
}

/// The common beginning of all texts that match a pattern.
pub(crate) fn beginning(pattern: &str) -> String {
    if pattern.contains('|') {
        return String::new();
    }
    let plain = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '#' | ':');
    let mut found: String = pattern.chars().take_while(plain).collect();
    // A repeated character may occur zero times.
    if matches!(pattern[found.len()..].chars().next(), Some('*' | '?' | '{')) {
        found.pop();
    }
    found
}

fn parts(pattern: &str) -> Option<Alphabet> {
    let mut found = Alphabet::none();
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        let part = match c {
            '.' => Alphabet::any(),
            '\\' => escaped(&mut rest)?,
            '[' => class(&mut rest)?,
            '(' => {
                group(&mut rest)?;
                continue;
            }
            '{' => {
                rest.by_ref().find(|c| *c == '}')?;
                continue;
            }
            ')' | '|' | '*' | '+' | '?' | '^' | '$' => continue,
            c => one(c),
        };
        found = found.or(&part);
    }
    Some(found)
}

fn one(c: char) -> Alphabet {
    Alphabet::ranges([(c, c)])
}

/// `(?:` and named groups do not change the meaning; flags might.
fn group(rest: &mut Peekable<Chars<'_>>) -> Option<()> {
    if rest.next_if_eq(&'?').is_none() {
        return Some(());
    }
    match rest.next()? {
        ':' => Some(()),
        'P' => {
            rest.next_if_eq(&'<')?;
            rest.by_ref().find(|c| *c == '>').map(drop)
        }
        '<' => rest.by_ref().find(|c| *c == '>').map(drop),
        _ => None,
    }
}

/// The characters of an escape sequence; none for character codes and rare escapes.
fn escaped(rest: &mut Peekable<Chars<'_>>) -> Option<Alphabet> {
    Some(match rest.next()? {
        'd' => Alphabet::digits(),
        'D' => Alphabet::digits().not(),
        'w' => Alphabet::word().without(['-']),
        'W' => Alphabet::word().without(['-']).not(),
        's' => Alphabet::of(" \t\n\r\u{b}\u{c}"),
        'S' => Alphabet::of(" \t\n\r\u{b}\u{c}").not(),
        'n' => one('\n'),
        't' => one('\t'),
        'r' => one('\r'),
        'b' | 'B' | 'A' | 'z' => Alphabet::none(),
        c if !c.is_alphanumeric() => one(c),
        _ => return None,
    })
}

/// `[a-z_]`, `[^#]`
fn class(rest: &mut Peekable<Chars<'_>>) -> Option<Alphabet> {
    let negated = rest.next_if_eq(&'^').is_some();
    let mut found = Alphabet::none();
    let mut is_first = true;
    loop {
        let c = rest.next()?;
        let part = match c {
            ']' if !is_first => break,
            // Classes in classes and operations on them.
            '[' | '&' | '~' => return None,
            '\\' => escaped(rest)?,
            low => {
                let mut ahead = rest.clone();
                match (ahead.next(), ahead.next()) {
                    (Some('-'), Some(']')) | (None, _) => one(low),
                    (Some('-'), Some('\\' | '[' | '-')) => return None,
                    (Some('-'), Some(high)) => {
                        rest.next();
                        rest.next();
                        Alphabet::ranges([(low, high)])
                    }
                    _ => one(low),
                }
            }
        };
        is_first = false;
        found = found.or(&part);
    }
    Some(if negated { found.not() } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_admit_what_their_parts_do() {
        for (pattern, has, lacks) in [
            ("[A-Z]{3}", "AZ", "a3-"),
            (r"\d+-\d+", "09-", "a_"),
            ("(foo|bar-)+", "fobar-", "z#"),
            (r"[a-z\-]+", "a-z", "_"),
            ("[a-]+", "a-", "b"),
            ("[]a]+", "]a", "b"),
            (r"a\.b", "ab.", "c"),
            ("[^#%]+", "a- ", "#%"),
            ("(?:x)(?P<n>y)(?<m>z)", "xyz", "nmP<"),
            // Unsupported syntax admits any character.
            ("(?i)abc", "abcABC#", ""),
            (r"\x23", "#", ""),
            ("[[:alpha:]]", "a#", ""),
            (r"[+--]", "+,-#", ""),
        ] {
            let alphabet = alphabet(pattern);
            assert!(has.chars().all(|c| alphabet.contains(c)), "{pattern}");
            assert!(!lacks.chars().any(|c| alphabet.contains(c)), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_begins_with_what_is_always_there() {
        for (pattern, begins) in
            [("PRE-[0-9]+", "PRE-"), ("ab*c", "a"), ("ab?", "a"), ("a|b", ""), ("a{0,2}", ""), ("abc", "abc")]
        {
            assert_eq!(beginning(pattern), begins, "{pattern}");
        }
    }
}
