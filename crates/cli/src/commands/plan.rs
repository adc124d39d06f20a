//! `sortkey plan`: how each pattern and operation reaches its items, and what that costs.

use std::path::{Path, PathBuf};

use clap::Args;
use sortkey_design::plan::{lock_file, plan_text};
use sortkey_design::{Design, FileLoader, compile};

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Show the access path of every pattern and the requests of every operation
///
/// The paths are frozen in a file beside the design, so that a review sees when one changes: `--lock` writes it
/// and `--check` compares.
#[derive(Args, Debug)]
pub(super) struct Plan {
    /// The design
    design: PathBuf,

    /// Write the lock file
    #[arg(long, conflicts_with = "check")]
    lock: bool,

    /// Fail if a path differs from the lock file
    #[arg(long)]
    check: bool,

    /// Print the whole compiled design as JSON
    #[arg(long, conflicts_with_all = ["lock", "check"])]
    json: bool,
}

impl Run for Plan {
    const NAME: &'static str = "plan";

    fn run(self) -> Result<(), Failure> {
        let text = designs::read(&self.design)?;
        let compilation = compile(&self.design.to_string_lossy(), &text, &FileLoader);
        if compilation.has_errors() {
            return Err(Failure::new("the design has errors").hint("sortkey check"));
        }
        let lock = self.design.with_extension("lock");
        if self.json {
            let json = serde_json::to_string_pretty(&compilation.design).map_err(Failure::new)?;
            designs::say(&(json + "\n"));
        } else if self.lock {
            designs::write(&lock, &lock_file(&compilation.design))?;
        } else if self.check {
            compare(&lock, &compilation.design)?;
        } else {
            designs::say(&plan_text(&compilation.design));
        }
        Ok(())
    }
}

/// Prints the lines that differ, as a diff would.
fn compare(lock: &Path, design: &Design) -> Result<(), Failure> {
    let (agreed, now) = (designs::read(lock)?, lock_file(design));
    let gone = agreed.lines().filter(|line| !now.lines().any(|other| other == *line));
    let come = now.lines().filter(|line| !agreed.lines().any(|other| other == *line));
    let gone: String = gone.map(|line| format!("- {line}\n")).collect();
    let come: String = come.map(|line| format!("+ {line}\n")).collect();
    if gone.is_empty() && come.is_empty() {
        return Ok(());
    }
    designs::say(&(gone + &come));
    let differs = format!("{} says otherwise", lock.display());
    Err(Failure::new(differs).hint("if the change is meant: sortkey plan --lock"))
}
