//! Generated files, compared with those that are there.

use std::fmt::Write as _;

use crate::header::MARK;

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name within the folder.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether it is a program.
    pub is_executable: bool,
}

impl File {
    pub(crate) fn new(name: impl Into<String>, text: String) -> File {
        File { name: name.into(), text, is_executable: false }
    }

    pub(crate) fn executable(name: &str, text: String) -> File {
        File { name: name.to_owned(), text, is_executable: true }
    }
}

/// Whether a text is a file that was generated, by any version.
pub fn is_generated(text: &str) -> bool {
    text.lines().take(4).any(|line| line.contains(MARK))
}

/// The lines in which two texts differ, with their numbers; empty if they are equal.
pub fn difference(name: &str, there: &str, wanted: &str) -> String {
    if there == wanted {
        return String::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (there.lines().collect(), wanted.lines().collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let mut text = format!("{name}:{}\n", before + 1);
    for (sign, lines) in [('-', &old[before..old.len() - after]), ('+', &new[before..new.len() - after])] {
        for line in lines.iter().take(MOST_LINES) {
            let _ = writeln!(text, "{sign} {line}");
        }
        if lines.len() > MOST_LINES {
            let _ = writeln!(text, "{sign} ... {} more lines", lines.len() - MOST_LINES);
        }
    }
    text
}

/// How many lines of a difference are shown on each side.
const MOST_LINES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_line_and_both_texts() {
        assert_eq!(difference("a", "one\ntwo\nthree\n", "one\n2\nthree\n"), "a:2\n- two\n+ 2\n");
        assert_eq!(difference("a", "one\n", "one\ntwo\n"), "a:2\n+ two\n");
        assert_eq!(difference("a", "x\nx\n", "x\nx\nx\n"), "a:3\n+ x\n");
        assert_eq!(difference("a", "one\n", "one\n"), "");
    }
}
