//! `sortkey import`: a design from tables that exist.

use std::path::PathBuf;

use clap::Args;

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Make a design from existing tables
///
/// Takes the answer of DescribeTable (JSON), or a CloudFormation or SAM template (JSON or YAML). The design that is
/// printed compiles; what the source is silent about is marked TODO.
#[derive(Args, Debug)]
pub(super) struct Import {
    /// The description of the tables
    source: PathBuf,

    /// Where to write the design [default: the standard output]
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Run for Import {
    const NAME: &'static str = "import";

    fn run(self) -> Result<(), Failure> {
        let text = designs::read(&self.source)?;
        let name = self.source.file_stem().unwrap_or_default().to_string_lossy();
        let design = sortkey_import::import(&name, &text).map_err(|error| {
            Failure::new(format_args!("cannot import {}: {error}", self.source.display()))
        })?;
        match &self.output {
            Some(path) => designs::write(path, &design),
            None => {
                designs::say(&design);
                Ok(())
            }
        }
    }
}
