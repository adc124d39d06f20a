//! `sortkey fmt`: one layout for all designs.

use std::path::PathBuf;

use clap::Args;
use sortkey_diagnostics::{Sources, counted_with, render};
use sortkey_syntax::{format, parse};

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Lay designs out in the one canonical way
///
/// Comments and line breaks stay where they are; everything between is settled. A file with syntax errors is
/// left alone.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey fmt
  sortkey fmt --check links.sk    # in continuous integration")]
pub(super) struct Fmt {
    /// Files, or folders to look for `.sk` files in [default: .]
    paths: Vec<PathBuf>,

    /// Change nothing; fail if something would change
    #[arg(long)]
    check: bool,
}

impl Run for Fmt {
    const NAME: &'static str = "fmt";

    fn run(self) -> Result<(), Failure> {
        let (mut changed, mut broken) = (0, 0);
        for path in designs::files(&self.paths)? {
            let text = designs::read(&path)?;
            let mut sources = Sources::new();
            let parsed = parse(&text, sources.add(path.to_string_lossy(), text.as_str()));
            let Some(formatted) = format(&parsed) else {
                broken += 1;
                for diagnostic in parsed.diagnostics() {
                    designs::say(&(render(diagnostic, &sources, designs::style()) + "\n\n"));
                }
                continue;
            };
            if formatted != text {
                changed += 1;
                designs::say(&format!("{}\n", path.display()));
                if !self.check {
                    designs::write(&path, &formatted)?;
                }
            }
        }
        match (broken, changed) {
            (0, 0) => Ok(()),
            (0, _) if !self.check => Ok(()),
            (0, changed) => {
                Err(Failure::new(counted_with(changed, "file", ("is not formatted", "are not formatted")))
                    .hint("sortkey fmt"))
            }
            (broken, _) => {
                Err(Failure::new(counted_with(broken, "file", ("has syntax errors", "have syntax errors"))))
            }
        }
    }
}
