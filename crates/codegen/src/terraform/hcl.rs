//! Blocks of HCL, printed as `terraform fmt` would.

use std::fmt::Write as _;

/// A block: its type, its labels, its attributes and nested blocks in order.
#[derive(Clone, Debug)]
pub(super) struct Block {
    kind: String,
    labels: Vec<String>,
    comment: Option<String>,
    body: Vec<Entry>,
}

#[derive(Clone, Debug)]
enum Entry {
    /// A name and an expression as it is written.
    Attribute(String, String),
    Block(Block),
}

impl Block {
    pub(super) fn new(kind: &str, labels: &[&str]) -> Block {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        Block { kind: kind.to_owned(), labels, comment: None, body: Vec::new() }
    }

    pub(super) fn comment(self, comment: String) -> Block {
        Block { comment: Some(comment), ..self }
    }

    /// Sets an attribute to an expression, which is written as it is.
    pub(super) fn set(mut self, name: &str, expression: impl Into<String>) -> Block {
        self.body.push(Entry::Attribute(name.to_owned(), expression.into()));
        self
    }

    pub(super) fn set_some(self, name: &str, expression: Option<impl Into<String>>) -> Block {
        match expression {
            Some(expression) => self.set(name, expression),
            None => self,
        }
    }

    pub(super) fn block(mut self, block: Block) -> Block {
        self.body.push(Entry::Block(block));
        self
    }

    pub(super) fn blocks(mut self, blocks: impl IntoIterator<Item = Block>) -> Block {
        self.body.extend(blocks.into_iter().map(Entry::Block));
        self
    }

    /// The address of a resource: `aws_dynamodb_table.main`.
    pub(super) fn address(&self) -> Option<String> {
        (self.kind == "resource").then(|| self.labels.join("."))
    }

    fn print(&self, text: &mut String, depth: usize) {
        if let Some(comment) = &self.comment {
            let _ = writeln!(text, "{}# {comment}", "  ".repeat(depth));
        }
        let labels: String = self.labels.iter().map(|label| format!(" {}", quoted(label))).collect();
        let _ = writeln!(text, "{}{}{labels} {{", "  ".repeat(depth), self.kind);
        let width = |entries: &[Entry]| {
            let names = entries.iter().map_while(|entry| match entry {
                Entry::Attribute(name, value) if !value.contains('\n') => Some(name.len()),
                _ => None,
            });
            names.max().unwrap_or(0)
        };
        let (mut aligned, mut column) = (false, 0);
        for (at, entry) in self.body.iter().enumerate() {
            match entry {
                Entry::Attribute(name, value) if !value.contains('\n') => {
                    if !aligned {
                        separate(text, at);
                        column = width(&self.body[at..]);
                    }
                    let _ = writeln!(text, "{}{name:column$} = {value}", "  ".repeat(depth + 1));
                    aligned = true;
                }
                Entry::Attribute(name, value) => {
                    separate(text, at);
                    let value = value.replace('\n', &format!("\n{}", "  ".repeat(depth + 1)));
                    let _ = writeln!(text, "{}{name} = {value}", "  ".repeat(depth + 1));
                    aligned = false;
                }
                Entry::Block(block) => {
                    separate(text, at);
                    block.print(text, depth + 1);
                    aligned = false;
                }
            }
        }
        let _ = writeln!(text, "{}}}", "  ".repeat(depth));
    }
}

/// An empty line before everything but the first.
fn separate(text: &mut String, at: usize) {
    if at > 0 {
        text.push('\n');
    }
}

/// Blocks with an empty line between them.
pub(super) fn print(blocks: &[Block]) -> String {
    let mut text = String::new();
    for (at, block) in blocks.iter().enumerate() {
        separate(&mut text, at);
        block.print(&mut text, 0);
    }
    text
}

/// A text in quotes. `${` and `%{` begin an expression unless they are doubled.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '{' if quoted.ends_with(['$', '%']) => {
                let sign = quoted.pop().unwrap_or('$');
                quoted.extend([sign, sign, '{']);
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Texts in brackets.
pub(super) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", all.join(", "))
}

/// Texts by name, a line each, aligned.
pub(super) fn map<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let width = pairs.clone().map(|(key, _)| quoted(key).len()).max().unwrap_or(0);
    let lines: String =
        pairs.map(|(key, value)| format!("  {:width$} = {}\n", quoted(key), quoted(value))).collect();
    format!("{{\n{lines}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_in_texts_are_escaped() {
        for (text, expected) in [
            ("a", r#""a""#),
            ("${x}", r#""$${x}""#),
            ("%{if}", r#""%%{if}""#),
            ("\"\\", r#""\"\\""#),
            ("{", r#""{""#),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}
