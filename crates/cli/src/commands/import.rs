//! `sortkey import`: a design from tables that exist.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Make a design from existing tables
///
/// Takes the answer of DescribeTable (JSON), or a CloudFormation or SAM template (JSON or YAML), or asks a running
/// server. The design that is printed compiles; what the source is silent about is marked TODO.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey import orders.json --output orders.sk    # from aws dynamodb describe-table --table-name orders
  sortkey import --endpoint http://127.0.0.1:8000 --table orders")]
pub(super) struct Import {
    /// The description of the tables
    #[arg(required_unless_present = "endpoint")]
    source: Option<PathBuf>,

    /// Ask a running DynamoDB instead, such as http://127.0.0.1:8000
    #[arg(long, value_name = "URL", conflicts_with = "source")]
    endpoint: Option<String>,

    /// Only this table of the endpoint; may be given several times
    #[arg(long, value_name = "NAME", requires = "endpoint")]
    table: Vec<String>,

    /// The file to write the design to [default: the standard output]
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Run for Import {
    const NAME: &'static str = "import";

    fn run(self) -> Result<(), Failure> {
        let design = match (&self.endpoint, &self.source) {
            (Some(endpoint), _) => sortkey_import::import_endpoint("imported", endpoint, &self.table)
                .map_err(|error| Failure::new(format_args!("cannot import: {error}")))?,
            (None, Some(source)) => from_file(source)?,
            (None, None) => return Err(Failure::new("there is nothing to import from")),
        };
        match &self.output {
            Some(path) => designs::write(path, &design),
            None => {
                designs::say(&design);
                Ok(())
            }
        }
    }
}

fn from_file(source: &Path) -> Result<String, Failure> {
    let text = designs::read(source)?;
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    sortkey_import::import(&name, &text)
        .map_err(|error| Failure::new(format_args!("cannot import {}: {error}", source.display())))
}
