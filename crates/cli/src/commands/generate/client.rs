//! Typed clients: the files of one language, from a design alone.

use std::path::PathBuf;

use clap::Args;
use sortkey_codegen::client::{Surface, surface};
use sortkey_codegen::{File, Problem};

use super::output::Output;
use crate::designs;
use crate::failure::Failure;
use crate::stages::{compiled, failed};

#[derive(Args, Debug)]
pub(super) struct ClientTarget {
    /// The design: a file, or a folder with one
    #[arg(default_value = ".")]
    path: PathBuf,

    #[command(flatten)]
    output: Output,
}

impl ClientTarget {
    /// Writes what a printer makes of the design.
    pub(super) fn run(self, print: fn(&Surface) -> Result<Vec<File>, Vec<Problem>>) -> Result<(), Failure> {
        let file = designs::one(&self.path)?;
        let compilation = compiled(&file)?;
        let name = file.file_stem().map_or("design".into(), |stem| stem.to_string_lossy());
        let files = print(&surface(&compilation.program, &name)).map_err(|problems| failed(&problems))?;
        self.output.put(&files)
    }
}
