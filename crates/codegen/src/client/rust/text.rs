//! Names, literals and comments as Rust writes them.

use crate::client::{pascal, snake};

/// Words that nothing can be called.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// A name of the design as a name of Rust.
pub(super) fn name(name: &str) -> String {
    escaped(snake(name))
}

/// A word of an enum as a variant. One in capitals is written as any other: `POST` is `Post`.
pub(super) fn variant(word: &str) -> String {
    let has_small = word.chars().any(char::is_lowercase);
    escaped(if has_small { pascal(word) } else { pascal(&word.to_lowercase()) })
}

fn escaped(name: String) -> String {
    let name: String =
        name.chars().map(|it| if it.is_ascii_alphanumeric() || it == '_' { it } else { '_' }).collect();
    if KEYWORDS.contains(&name.as_str()) { format!("{name}_") } else { name }
}

/// Names that must differ, in their order.
pub(super) fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut given: Vec<String> = Vec::new();
    for mut name in names {
        while given.contains(&name) {
            name.push('_');
        }
        given.push(name);
    }
    given
}

/// A text as a literal.
pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// A long text as a literal in which nothing is escaped.
pub(super) fn raw(text: &str) -> String {
    let mut hashes = "#".to_owned();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    // A carriage return of its own is not allowed in it.
    if text.contains('\r') { quoted(text) } else { format!("r{hashes}\"{text}\"{hashes}") }
}

/// Lines as a documentation comment.
pub(super) fn comment(lines: &[String], indent: &str) -> String {
    let lines = lines.iter().flat_map(|line| line.split('\n'));
    lines.map(|line| format!("{indent}/// {}", line.replace('\r', "")).trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_rust_accepts() {
        for (given, as_name, as_variant) in [
            ("userId", "user_id", "UserId"),
            ("type", "type_", "Type"),
            ("self", "self_", "Self_"),
            ("auth-service", "auth_service", "AuthService"),
            ("2fa", "x2fa", "X2fa"),
            ("POST", "post", "Post"),
        ] {
            assert_eq!((name(given), variant(given)), (as_name.to_owned(), as_variant.to_owned()));
        }
    }

    #[test]
    fn a_raw_text_cannot_be_ended_from_within() {
        assert_eq!(raw("a\"#b"), "r##\"a\"#b\"##");
        assert_eq!(distinct(["a".to_owned(), "a".to_owned()]), ["a", "a_"]);
    }
}
