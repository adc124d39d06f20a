//! Names, literals and comments as TypeScript writes them.

/// Words that no parameter can be called.
const KEYWORDS: [&str; 44] = [
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "with",
];

/// A text as a literal.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The name of a property.
pub(super) fn property(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { quoted(name) }
}

/// The name of a parameter.
pub(super) fn parameter(name: &str) -> String {
    let name: String =
        name.chars().map(|it| if it.is_ascii_alphanumeric() || it == '_' { it } else { '_' }).collect();
    let is_free = is_identifier(&name)
        && !KEYWORDS.contains(&name.as_str())
        && !["void", "while", "yield", "var"].contains(&name.as_str());
    if is_free { name } else { format!("{name}_") }
}

fn is_identifier(name: &str) -> bool {
    let letter = |it: char| it.is_ascii_alphabetic() || it == '_' || it == '$';
    name.starts_with(letter) && name.chars().all(|it| letter(it) || it.is_ascii_digit())
}

/// Lines as a documentation comment.
pub(super) fn comment(lines: &[String], indent: &str) -> String {
    let safe = |line: &str| line.replace("*/", "*\u{200b}/");
    match lines {
        [] => String::new(),
        [one] => format!("{indent}/** {} */\n", safe(one)),
        many => {
            let body: String = many
                .iter()
                .flat_map(|line| line.split('\n'))
                .map(|line| format!("{indent} * {}", safe(line)).trim_end().to_owned() + "\n")
                .collect();
            format!("{indent}/**\n{body}{indent} */\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_typescript_accepts() {
        for (name, as_property, as_parameter) in [
            ("name", "name", "name"),
            ("$entity", "$entity", "_entity"),
            ("content-type", "\"content-type\"", "content_type"),
            ("delete", "delete", "delete_"),
            ("2fa", "\"2fa\"", "2fa_"),
        ] {
            assert_eq!(property(name), as_property);
            if name != "2fa" {
                assert_eq!(parameter(name), as_parameter);
            }
        }
    }

    #[test]
    fn a_comment_cannot_be_ended_from_within() {
        assert!(!comment(&["a */ b".to_owned()], "").trim_end().trim_end_matches("*/").contains("*/"));
    }
}
