//! The plan beside the one that was agreed.

use std::path::Path;

use sortkey_design::Program;
use sortkey_plan::lock_file;

use crate::designs;
use crate::failure::Failure;

/// Prints the lines that differ from the lock file, as a diff would.
pub(super) fn with_lock(lock: &Path, program: &Program) -> Result<(), Failure> {
    let (agreed, now) = (designs::read(lock)?, lock_file(program));
    let gone = agreed.lines().filter(|line| !now.lines().any(|other| other == *line));
    let come = now.lines().filter(|line| !agreed.lines().any(|other| other == *line));
    let gone: String = gone.map(|line| format!("- {line}\n")).collect();
    let come: String = come.map(|line| format!("+ {line}\n")).collect();
    if gone.is_empty() && come.is_empty() {
        return Ok(());
    }
    designs::say(&(gone + &come));
    let differs = format!("the paths differ from {}", lock.display());
    Err(Failure::new(differs).hint("if the change is meant: sortkey plan --lock"))
}
