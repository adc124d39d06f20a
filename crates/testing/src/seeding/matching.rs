//! Text that a pattern of `matching("...")` admits, for patterns as designs have them: literals, classes, groups,
//! alternatives and counts.

use sortkey_design::model::StringFormat;

use super::values::Dice;
use sortkey_core::{Ids, KeyError};
use sortkey_design::formats::complaint;

/// More of one thing than this is never made, however many a pattern would admit.
const MOST: u64 = 8;
/// How deep groups nest.
const DEEPEST: usize = 8;

/// A text for a pattern; whether it fits must be asked of the pattern itself.
pub(super) fn text(pattern: &str, dice: &mut Dice<'_>) -> Result<String, KeyError> {
    let mut letters = pattern.trim_start_matches('^').trim_end_matches('$').chars().collect::<Vec<_>>();
    letters.reverse();
    alternatives(&mut letters, dice, 0)
}

/// A text that a pattern admits, always the same one; none if it takes more than we understand.
pub fn example(pattern: &str) -> Option<String> {
    let ids = Ids::seeded(7);
    let text = text(pattern, &mut Dice::new(&ids)).ok()?;
    complaint(&StringFormat::Matching(pattern.to_owned()), &text).is_none().then_some(text)
}

/// `a|b|c` up to a closing bracket or the end: one of them. The letters are taken from the end of the list.
fn alternatives(rest: &mut Vec<char>, dice: &mut Dice<'_>, depth: usize) -> Result<String, KeyError> {
    let mut choices = vec![String::new()];
    while let Some(letter) = rest.pop() {
        let piece = match letter {
            ')' => break,
            '|' => {
                choices.push(String::new());
                continue;
            }
            '(' if depth == DEEPEST => break,
            '(' => {
                if rest.ends_with(&[':', '?']) {
                    rest.truncate(rest.len() - 2);
                }
                let start = rest.clone();
                let first = alternatives(rest, dice, depth + 1)?;
                let mut text = String::new();
                for at in 0..count(rest, dice)? {
                    text += &match at {
                        0 => first.clone(),
                        _ => alternatives(&mut start.clone(), dice, depth + 1)?,
                    };
                }
                text
            }
            _ => {
                let class = class(letter, rest);
                let mut text = String::new();
                for _ in 0..count(rest, dice)? {
                    let at = usize::try_from(dice.below(class.len() as u64)?).unwrap_or(0);
                    text.extend(class.get(at));
                }
                text
            }
        };
        if let Some(last) = choices.last_mut() {
            *last += &piece;
        }
    }
    let at = usize::try_from(dice.below(choices.len() as u64)?).unwrap_or(0);
    Ok(choices.swap_remove(at))
}

/// The letters that one letter of the pattern matches.
fn class(letter: char, rest: &mut Vec<char>) -> Vec<char> {
    match letter {
        '.' => vec!['x'],
        '\\' => match rest.pop() {
            Some('d') => ('0'..='9').collect(),
            Some('w') => ('a'..='z').collect(),
            Some('s') => vec![' '],
            Some(escaped) => vec![escaped],
            None => Vec::new(),
        },
        '[' => {
            let mut class = Vec::new();
            while let Some(letter) = rest.pop().filter(|letter| *letter != ']') {
                let letter = if letter == '\\' { rest.pop().unwrap_or(letter) } else { letter };
                match (rest.last(), rest.len().checked_sub(2).and_then(|at| rest.get(at))) {
                    (Some('-'), Some(end)) if *end != ']' => {
                        class.extend(letter..=*end);
                        rest.truncate(rest.len() - 2);
                    }
                    _ => class.push(letter),
                }
            }
            class
        }
        letter => vec![letter],
    }
}

/// How often the piece before comes: `?`, `*`, `+`, `{3}`, `{1,}`, `{1,60}`, or once.
fn count(rest: &mut Vec<char>, dice: &mut Dice<'_>) -> Result<u64, KeyError> {
    let (least, most) = match rest.last() {
        Some('?') => (0, 1),
        Some('*') => (0, MOST),
        Some('+') => (1, MOST),
        Some('{') => {
            let mut inner = String::new();
            rest.pop();
            while let Some(letter) = rest.pop().filter(|letter| *letter != '}') {
                inner.push(letter);
            }
            let number = |text: &str| text.trim().parse::<u64>().ok();
            return match inner.split_once(',') {
                None => Ok(number(&inner).unwrap_or(1).min(1_000)),
                Some((least, most)) => {
                    let least = number(least).unwrap_or(0).min(1_000);
                    let most = number(most).unwrap_or(least + MOST).clamp(least, least + MOST);
                    Ok(least + dice.below(most - least + 1)?)
                }
            };
        }
        _ => return Ok(1),
    };
    rest.pop();
    Ok(least + dice.below(most - least + 1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_core::Ids;

    #[test]
    fn what_is_made_fits() {
        let ids = Ids::seeded(3);
        let mut dice = Dice::new(&ids);
        for pattern in [
            "conv-[A-Za-z0-9-]{1,60}",
            "#[0-9a-f]{3}([0-9a-f]{3})?",
            "[A-Z]{3}",
            "(GET|POST|PUT)",
            "^v\\d+\\.\\d+$",
            "a(?:b|cd)*e",
            "[^a]x",
            "(",
            "[",
            "{",
        ] {
            let fits = regex_lite::Regex::new(&format!("^(?:{pattern})$"));
            for _ in 0..20 {
                let text = text(pattern, &mut dice).expect("seeded");
                let excluded = pattern.starts_with("[^");
                assert!(
                    excluded || fits.as_ref().is_ok_and(|fits| fits.is_match(&text)) || fits.is_err(),
                    "{pattern}: {text}"
                );
            }
        }
    }
}
