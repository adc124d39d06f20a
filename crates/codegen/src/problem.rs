//! Why nothing is generated: all reasons at once, each with the next step.

use std::fmt;

/// A reason, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The problem.
    pub what: String,
    /// The next step.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem without advice.
    pub fn new(what: impl Into<String>) -> Problem {
        Problem { what: what.into(), hint: None }
    }

    /// Adds the next step.
    pub fn hint(self, hint: impl Into<String>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "\n hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// The value if there are no problems.
pub(crate) fn unless<T>(problems: Vec<Problem>, value: T) -> Result<T, Vec<Problem>> {
    if problems.is_empty() { Ok(value) } else { Err(problems) }
}
