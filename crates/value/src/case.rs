//! Upper and lower case, for code whose size counts.
//!
//! The standard library's tables are 24 kilobytes, for text that is hardly ever there: most of what changes its case is ASCII.
//! WebAssembly has tables of a tenth of that, which are searched from their beginning. Results are the same.

#[cfg(any(target_arch = "wasm32", test))]
mod tables;

/// Text in lower case.
pub fn to_lowercase(text: &str) -> String {
    #[cfg(not(target_arch = "wasm32"))]
    return text.to_lowercase();
    #[cfg(target_arch = "wasm32")]
    lower(text)
}

/// Text in upper case.
pub fn to_uppercase(text: &str) -> String {
    #[cfg(not(target_arch = "wasm32"))]
    return text.to_uppercase();
    #[cfg(target_arch = "wasm32")]
    upper(text)
}

#[cfg(any(target_arch = "wasm32", test))]
fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            // A sigma at the end of a word has a form of its own.
            'Σ' => {
                let (before, behind) = (text[..at].chars().rev(), text[at + 'Σ'.len_utf8()..].chars());
                out.push(if is_behind_cased(before) && !is_behind_cased(behind) { 'ς' } else { 'σ' });
            }
            _ if character.is_ascii() => out.push(character.to_ascii_lowercase()),
            _ => push_mapped(tables::LOWER, character, &mut out),
        }
    }
    out
}

#[cfg(any(target_arch = "wasm32", test))]
fn upper(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character.is_ascii() {
            true => out.push(character.to_ascii_uppercase()),
            false => push_mapped(tables::UPPER, character, &mut out),
        }
    }
    out
}

/// Whether the first character that counts is one that has cases.
#[cfg(any(target_arch = "wasm32", test))]
fn is_behind_cased(mut characters: impl Iterator<Item = char>) -> bool {
    characters.find(|each| !holds(tables::IGNORED, *each)).is_some_and(|each| holds(tables::CASED, each))
}

/// Whether a set of characters has one: pairs of a gap and the length of the range behind it.
#[cfg(any(target_arch = "wasm32", test))]
fn holds(mut set: &[u8], character: char) -> bool {
    let (wanted, mut at) = (character as u32, 0);
    while !set.is_empty() {
        at += number(&mut set);
        if wanted < at {
            return false;
        }
        at += number(&mut set);
        if wanted < at {
            return true;
        }
    }
    false
}

/// Appends what a character becomes: itself, if the table does not have it.
///
/// An entry of a table is a gap; twice the number of characters, plus one if only every second one is meant; and how far away
/// they are mapped. Without characters, it is a single one, with the number of those that it becomes and these.
#[cfg(any(target_arch = "wasm32", test))]
fn push_mapped(mut table: &[u8], character: char, out: &mut String) {
    let (wanted, mut at) = (character as u32, 0);
    let mut push = |code: u32| out.push(char::from_u32(code).unwrap_or(character));
    while !table.is_empty() {
        at += number(&mut table);
        let count = number(&mut table);
        if count == 0 {
            let (is_it, length) = (wanted == at, number(&mut table));
            for _ in 0..length {
                let code = number(&mut table);
                if is_it {
                    push(code);
                }
            }
            at += 1;
            if is_it {
                return;
            }
            continue;
        }
        let (step, distance) = (1 + count % 2, number(&mut table));
        let end = at + (count / 2 - 1) * step + 1;
        if wanted < at {
            break;
        }
        if wanted < end {
            let is_meant = (wanted - at).is_multiple_of(step);
            let away = if distance % 2 == 0 { distance / 2 } else { (distance / 2 + 1).wrapping_neg() };
            push(if is_meant { wanted.wrapping_add(away) } else { wanted });
            return;
        }
        at = end;
    }
    push(wanted);
}

/// Reads a number of seven bits a byte, the lowest first.
#[cfg(any(target_arch = "wasm32", test))]
fn number(bytes: &mut &[u8]) -> u32 {
    let (mut value, mut shift) = (0, 0);
    while let Some((byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u32::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 == 0 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests;
