use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// The planes that have letters, and the one of marks. Nothing else has cases.
fn every() -> impl Iterator<Item = char> {
    (0..0x2_0000).chain(0xE_0000..0xE_0200).filter_map(char::from_u32)
}

fn write(mut value: u32, out: &mut Vec<u8>) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The characters of which something holds.
fn set(holds: impl Fn(char) -> bool) -> Vec<u8> {
    let (mut out, mut ranges) = (Vec::new(), Vec::<(u32, u32)>::new());
    for code in every().filter(|each| holds(*each)).map(u32::from) {
        match ranges.last_mut() {
            Some((_, end)) if *end == code => *end += 1,
            _ => ranges.push((code, code + 1)),
        }
    }
    let mut at = 0;
    for (first, end) in ranges {
        write(first - at, &mut out);
        write(end - first, &mut out);
        at = end;
    }
    out
}

/// The mapping of the characters beyond ASCII.
fn mapping(map: impl Fn(char) -> String) -> Vec<u8> {
    let changed: Vec<(u32, Vec<u32>)> = every()
        .filter(|each| !each.is_ascii())
        .map(|each| (each as u32, map(each).chars().map(u32::from).collect()))
        .filter(|(from, to)| *to != [*from])
        .collect();
    let away = |at: usize| match &changed.get(at) {
        Some((from, to)) if to.len() == 1 => Some(i64::from(to[0]) - i64::from(*from)),
        _ => None,
    };
    let (mut out, mut at, mut place) = (Vec::new(), 0, 0);
    while place < changed.len() {
        let (from, to) = &changed[place];
        write(from - at, &mut out);
        let Some(distance) = away(place) else {
            write(0, &mut out);
            write(to.len() as u32, &mut out);
            to.iter().for_each(|code| write(*code, &mut out));
            (at, place) = (from + 1, place + 1);
            continue;
        };
        let run = |step: u32| {
            let mut count = 1;
            while away(place + count) == Some(distance)
                && changed[place + count].0 == from + count as u32 * step
            {
                count += 1;
            }
            count as u32
        };
        let (count, step) =
            (1..=2).map(|step| (run(step), step)).max_by_key(|(count, step)| (*count, 2 - step)).unwrap();
        write(count * 2 + step - 1, &mut out);
        write(if distance < 0 { (-distance * 2 - 1) as u32 } else { distance as u32 * 2 }, &mut out);
        (at, place) = (from + (count - 1) * step + 1, place + count as usize);
    }
    out
}

/// Whether a sigma ends a word behind this text.
fn ends_word(text: String) -> bool {
    format!("{text}Σ").to_lowercase().ends_with('ς')
}

/// The tables are those of the compiler's Unicode. `SORTKEY_UPDATE=1` writes them again.
#[test]
fn tables_are_those_of_the_standard_library() {
    let is_cased = |each: char| ends_word(each.to_string());
    let wanted = [
        ("LOWER", "The lower case of characters.", mapping(|each| each.to_lowercase().to_string())),
        ("UPPER", "The upper case of characters.", mapping(|each| each.to_uppercase().to_string())),
        ("CASED", "Characters that have cases.", set(is_cased)),
        (
            "IGNORED",
            "Characters that a word may have between letters.",
            set(|each| ends_word(format!("a{each}")) && !is_cased(each)),
        ),
    ];
    let mut text =
        "//! Written by the tests of this module from the tables of the standard library.\n".to_owned();
    for (name, about, bytes) in &wanted {
        let _ = write!(text, "\n/// {about}\n#[rustfmt::skip]\npub(super) const {name}: &[u8] = &[");
        for (at, byte) in bytes.iter().enumerate() {
            text += if at % 32 == 0 { "\n    " } else { " " };
            let _ = write!(text, "{byte},");
        }
        text += "\n];\n";
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/case/tables.rs");
    if std::env::var_os("SORTKEY_UPDATE").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    assert!(std::fs::read_to_string(file).unwrap() == text, "run this test with SORTKEY_UPDATE=1");
}

#[test]
fn every_character_is_mapped_as_by_the_standard_library() {
    for each in every().map(String::from) {
        assert_eq!(lower(&each), each.to_lowercase());
        assert_eq!(upper(&each), each.to_uppercase());
    }
}

proptest! {
    #[test]
    fn words_are_mapped_as_by_the_standard_library(text in "[aΣςBé.'\u{345}\u{301} İßǅ1-]{0,12}", other in ".{0,12}") {
        for text in [text, other] {
            prop_assert_eq!(lower(&text), text.to_lowercase());
            prop_assert_eq!(upper(&text), text.to_uppercase());
        }
    }
}
