//! Formats of text: e-mail addresses, URLs, slugs, cron expressions, identifiers. The checker applies them to literals
//! in a design, the runtime to incoming values.
//!
//! The checks are those that a data layer can guarantee: shape, never existence.

use sortkey_value::case;
use unicode_normalization::UnicodeNormalization as _;

use crate::model::{IdBody, StringFormat};
use crate::program::Normalize;

mod cron;

pub use cron::is_cron;

/// Text after `@normalize`. Text that is as it should be is left alone.
pub fn normalize(steps: &[Normalize], mut text: String) -> String {
    for step in steps {
        match step {
            Normalize::Trim if text.trim().len() < text.len() => text = text.trim().to_owned(),
            Normalize::Trim => {}
            Normalize::Lower if text.is_ascii() => text.make_ascii_lowercase(),
            Normalize::Lower => text = case::to_lowercase(&text),
            Normalize::Upper if text.is_ascii() => text.make_ascii_uppercase(),
            Normalize::Upper => text = case::to_uppercase(&text),
        }
    }
    text
}

/// Whether text of a format is stored with composed characters (NFC). An e-mail address is, so that the two encodings
/// of `é` are one address, not two accounts. Text of ASCII alone has no other form.
pub fn is_composed(format: &StringFormat, text: &str) -> bool {
    matches!(format, StringFormat::Email) && !text.is_ascii()
}

/// Text with composed characters (NFC).
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Why a text does not have the format; none if it has.
pub fn complaint(format: &StringFormat, text: &str) -> Option<String> {
    match format {
        StringFormat::Matching(pattern) => (!is_match(pattern, text)).then(|| mismatch(pattern)),
        format => misshapen(format, text),
    }
}

/// Why a text does not have the format; none if it has, or if a pattern decides.
pub fn misshapen(format: &StringFormat, text: &str) -> Option<String> {
    let (good, why) = match format {
        StringFormat::Plain => return None,
        StringFormat::Slug => (is_slug(text), "is not a slug: letters, digits, `-`, `_` and `.` are allowed"),
        StringFormat::Email => (is_email(text), "is not an e-mail address"),
        StringFormat::Url => (is_url(text), "is not an http or https URL"),
        StringFormat::Cron => (is_cron(text), "is not a cron expression: minute, hour, day, month, weekday"),
        StringFormat::Matching(_) => return None,
    };
    (!good).then(|| why.to_owned())
}

/// Whether a whole text matches a pattern, as in a schema.
pub fn is_match(pattern: &str, text: &str) -> bool {
    regex_lite::Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|expression| expression.is_match(text))
}

/// The complaint about text that does not match a pattern.
pub fn mismatch(pattern: &str) -> String {
    format!("does not match {pattern}")
}

/// Whether a text is a day of the calendar, `YYYY-MM-DD`.
pub fn is_day(text: &str) -> bool {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let number = |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    shape && (1..=days).contains(&day)
}

/// Whether a text could have been generated for an id.
pub fn is_id(prefix: &str, body: IdBody, text: &str) -> bool {
    let Some(rest) = text.strip_prefix(prefix) else { return false };
    match body {
        IdBody::Uuid => is_uuid(rest),
        IdBody::Ulid => {
            rest.len() == 26
                && rest.bytes().all(|byte| {
                    byte.is_ascii_digit()
                        || (byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'L' | b'O' | b'U'))
                })
        }
        IdBody::Nanoid(length) => is_token(rest, length),
    }
}

/// Whether a text consists of so many characters of a token.
pub fn is_token(text: &str, length: u64) -> bool {
    text.len() as u64 == length
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    groups.len() == 5
        && groups.iter().zip(lengths).all(|(group, length)| {
            group.len() == length && group.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
}

fn is_slug(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let plain = |part: &str| match part.is_ascii() {
        true => !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic()),
        false => !part.contains(|c: char| c.is_whitespace() || c.is_control()),
    };
    let is_part = |label: &str| match label.is_ascii() {
        true => label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
        false => label.chars().all(|c| c.is_alphanumeric() || c == '-'),
    };
    let labels = || domain.split('.');
    text.len() <= 254
        && plain(local)
        && !local.contains('@')
        && labels().count() >= 2
        && labels().all(|label| !label.is_empty() && is_part(label) && !label.starts_with('-'))
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        !host.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_has_one_form() {
        let (composed_e, decomposed_e) = ("jos\u{e9}@example.com", "jose\u{301}@example.com");
        assert_ne!(composed_e, decomposed_e);
        for text in [composed_e, decomposed_e] {
            assert!(is_composed(&StringFormat::Email, text));
            assert_eq!(composed(text), composed_e);
        }
        assert!(!is_composed(&StringFormat::Plain, decomposed_e));
        assert!(!is_composed(&StringFormat::Email, "jose@example.com"));
    }

    fn check(format: &StringFormat, good: &[&str], bad: &[&str]) {
        for text in good {
            assert_eq!(complaint(format, text), None, "{text}");
        }
        for text in bad {
            assert!(complaint(format, text).is_some(), "{text}");
        }
    }

    #[test]
    fn formats_accept_and_refuse() {
        check(
            &StringFormat::Email,
            &["a@x.com", "a.b+c@mail.example.org"],
            &["a", "a@", "a@x", "a b@x.com", "a@.com"],
        );
        check(
            &StringFormat::Url,
            &["https://x.com/a?b", "http://localhost:8000"],
            &["x.com", "https://", "ftp://x"],
        );
        check(&StringFormat::Slug, &["order.created", "a-b_c"], &["", "a b", "a/b"]);
        check(&StringFormat::Matching("[A-Z]{3}".to_owned()), &["EUR"], &["EURO", "eur"]);
    }

    #[test]
    fn ids_have_their_shape() {
        assert!(is_id("", IdBody::Uuid, "00000000-0000-4000-8000-000000000001"));
        assert!(!is_id("", IdBody::Uuid, "00000000-0000-4000-8000-00000000000g"));
        assert!(is_id("usr_", IdBody::Nanoid(4), "usr_aB-9"));
        assert!(!is_id("usr_", IdBody::Nanoid(4), "src_aB-9"));
        assert!(is_id("", IdBody::Ulid, "01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    }
}
