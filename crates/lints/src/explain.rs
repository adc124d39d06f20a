//! The long text of a rule, taken from the documentation at the top of its file.

use crate::{Lint, lints};
use sortkey_design::{PROBLEMS, Problem, UNKNOWN_RULE};

/// A rule's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The rule's code, name and level.
    pub heading: String,
    /// The documentation, as Markdown.
    pub text: String,
    /// The example that raises it.
    pub bad: Option<String>,
    /// The example that does not.
    pub good: Option<String>,
}

/// Explains a rule, given its name or its code.
pub fn explain(rule: &str) -> Option<Explanation> {
    if let Some(lint) = lints().find(|lint| lint.name == rule || lint.code.eq_ignore_ascii_case(rule)) {
        return Some(of_lint(lint));
    }
    let problem =
        PROBLEMS.iter().find(|problem| problem.name == rule || problem.code.eq_ignore_ascii_case(rule))?;
    Some(Explanation {
        heading: format!("{} {} ({})", problem.code, problem.name, level(problem)),
        text: problem.text.to_owned(),
        bad: None,
        good: None,
    })
}

fn level(problem: &Problem) -> &'static str {
    if problem.code == UNKNOWN_RULE.code { "warning" } else { "error" }
}

fn of_lint(lint: &Lint) -> Explanation {
    let text = documentation(lint.source);
    Explanation {
        heading: format!("{} {} ({})", lint.code, lint.name, lint.level.as_str()),
        bad: example(&text, "## Example"),
        good: example(&text, "## Better"),
        text,
    }
}

/// The `//!` lines at the top of a file.
fn documentation(source: &str) -> String {
    let lines = source.lines().take_while(|line| line.starts_with("//!"));
    let text: Vec<&str> = lines.map(|line| line.strip_prefix("//!").unwrap_or(line)).collect();
    let text: Vec<&str> = text.into_iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    text.join("\n")
}

/// The code block of a section.
fn example(text: &str, heading: &str) -> Option<String> {
    let section = text.split_once(heading)?.1;
    let section = section.split("\n## ").next()?;
    let code = section.split_once("```sk\n")?.1;
    Some(code.split_once("```")?.0.to_owned())
}
