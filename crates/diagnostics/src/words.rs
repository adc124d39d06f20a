//! Articles and plurals, for messages that name or count what a design calls its things.

use std::fmt::Display;

/// A word with its article: `an Order`, `a uuid`.
pub fn a(what: &str) -> String {
    with_article(what, what)
}

/// A word in backquotes with its article: ``an `Order` ``.
pub fn a_quoted(what: &str) -> String {
    with_article(what, &format!("`{what}`"))
}

/// A count with its noun: `1 file`, `2 files`, `2 entities`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    match count == N::from(1) {
        true => format!("1 {noun}"),
        false => format!("{count} {}", plural(noun)),
    }
}

/// A count with its noun and verb: `1 file has`, `2 files have`.
pub fn counted_with<N: Display + PartialEq + From<u8>>(
    count: N,
    noun: &str,
    (one, many): (&str, &str),
) -> String {
    let verb = if count == N::from(1) { one } else { many };
    format!("{} {verb}", counted(count, noun))
}

fn with_article(spoken: &str, written: &str) -> String {
    let letters = spoken.to_ascii_lowercase();
    // "a user", "a uuid", "a usage", "a one-time code": spoken with a consonant, unlike "an update" and "an unread note".
    let consonant =
        ["uni", "us", "uu", "ur", "ut", "eu", "one"].iter().any(|start| letters.starts_with(start))
            && !["unin", "unim", "unid", "usher", "urn", "urg", "utt"]
                .iter()
                .any(|start| letters.starts_with(start));
    let vowel = letters.starts_with(['a', 'e', 'i', 'o', 'u']) && !consonant;
    format!("{} {written}", if vowel { "an" } else { "a" })
}

fn plural(noun: &str) -> String {
    let consonant_y = noun.ends_with('y') && !["ay", "ey", "oy", "uy"].iter().any(|end| noun.ends_with(end));
    if consonant_y {
        return format!("{}ies", &noun[..noun.len() - 1]);
    }
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    format!("{noun}{}", if hisses { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound() {
        for word in ["Agent", "Order", "item", "Invoice", "event", "int", "Update", "unread note", "urn"] {
            assert_eq!(a(word), format!("an {word}"));
        }
        for word in
            ["User", "uuid", "url", "Ticket", "string", "bool", "Unit", "Usage", "EuroRate", "one-time code"]
        {
            assert_eq!(a(word), format!("a {word}"));
        }
        assert_eq!(a_quoted("Agent"), "an `Agent`");
    }

    #[test]
    fn nouns_are_counted() {
        let words = [
            (1_u64, "file", "1 file"),
            (0, "file", "0 files"),
            (2, "index", "2 indexes"),
            (3, "entity", "3 entities"),
        ];
        for (count, noun, expected) in words {
            assert_eq!(counted(count, noun), expected);
        }
        assert_eq!(counted(2_usize, "key"), "2 keys");
        assert_eq!(counted_with(1_u64, "file", ("is", "are")), "1 file is");
        assert_eq!(counted_with(2_u64, "file", ("is", "are")), "2 files are");
    }
}
