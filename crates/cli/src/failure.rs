//! The error of a command: what happened, and what to do about it.

use std::fmt::{self, Display, Formatter};
use std::io::Write;
use std::process::ExitCode;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    hint: Option<String>,
    code: u8,
}

impl Display for Failure {
    /// The error and its advice, in one line.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "{}: {hint}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl Failure {
    /// Something happened.
    pub(crate) fn new(what: impl Display) -> Failure {
        Failure { what: what.to_string(), hint: None, code: 1 }
    }

    /// Adds advice to the error.
    pub(crate) fn hint(self, hint: impl Display) -> Failure {
        Failure { hint: Some(hint.to_string()), ..self }
    }

    /// Replaces the exit code of the failure.
    pub(crate) fn code(self, code: u8) -> Failure {
        Failure { code, ..self }
    }

    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }

    /// Prints the failure to the terminal.
    pub(crate) fn report(&self) {
        let mut terminal = std::io::stderr().lock();
        // Standard error is gone too, so there is nowhere left to report this.
        let _ = writeln!(terminal, "error: {}", self.what);
        if let Some(hint) = &self.hint {
            let _ = writeln!(terminal, " hint: {hint}");
        }
    }
}
