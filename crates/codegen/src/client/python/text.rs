//! Names, literals and docstrings as Python writes them.

use crate::client::snake;

/// Words that nothing can be called, and names that a class needs for itself.
const KEYWORDS: [&str; 39] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "self", "try", "type", "while",
    "with", "yield",
];

/// A name of the design as a name of Python.
pub(super) fn name(name: &str) -> String {
    escaped(&snake(name))
}

/// A name that is no word of the language.
pub(super) fn escaped(name: &str) -> String {
    let name: String =
        name.chars().map(|it| if it.is_ascii_alphanumeric() || it == '_' { it } else { '_' }).collect();
    if KEYWORDS.contains(&name.as_str()) { format!("{name}_") } else { name }
}

/// A text as a literal. Strings of JSON are strings of Python.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Lines as a docstring.
pub(super) fn docstring(lines: &[String], indent: &str) -> String {
    let safe = |line: &str| line.replace('\\', "\\\\").replace("\"\"\"", "'''");
    let lines: Vec<String> = lines.iter().flat_map(|line| line.split('\n')).map(safe).collect();
    match lines.as_slice() {
        [] => String::new(),
        [one] => format!("{indent}\"\"\"{}\"\"\"\n", closed(one)),
        [first, rest @ ..] => {
            let rest: String =
                rest.iter().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect();
            format!("{indent}\"\"\"{first}\n{rest}{indent}\"\"\"\n")
        }
    }
}

/// A last line that does not end with a quotation mark.
fn closed(line: &str) -> String {
    if line.ends_with('"') { format!("{line} ") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_python_accepts() {
        for (given, expected) in
            [("userId", "user_id"), ("class", "class_"), ("auth-service", "auth_service"), ("from", "from_")]
        {
            assert_eq!(name(given), expected);
        }
    }

    #[test]
    fn a_docstring_cannot_be_ended_from_within() {
        let text = docstring(&["a \"\"\" b \\".to_owned()], "");
        assert_eq!(text, "\"\"\"a ''' b \\\\\"\"\"\n");
        assert_eq!(docstring(&["say \"no\"".to_owned()], ""), "\"\"\"say \"no\" \"\"\"\n");
    }
}
