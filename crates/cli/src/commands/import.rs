//! `sortkey import`: a design from tables that exist.

use std::path::{Path, PathBuf};

use clap::Args;
use sortkey_remote::{Remote, Settings};

use super::Run;
use crate::designs;
use crate::failure::Failure;
use crate::tls::Trust;

/// Make a design from existing tables
///
/// Takes the answer of DescribeTable (JSON), or a CloudFormation or SAM template (JSON or YAML), or asks a running
/// DynamoDB. The design that is printed compiles; what the source is silent about is marked TODO.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey import orders.json --output orders.sk    # from aws dynamodb describe-table --table-name orders
  sortkey import --endpoint http://127.0.0.1:8000 --table orders
  sortkey import --endpoint https://dynamodb.eu-west-1.amazonaws.com --output all.sk")]
pub(super) struct Import {
    /// The description of the tables
    #[arg(required_unless_present = "endpoint")]
    source: Option<PathBuf>,

    /// Ask a running DynamoDB instead, such as http://127.0.0.1:8000; AWS is asked with the credentials that its tools use
    #[arg(long, value_name = "URL", conflicts_with = "source")]
    endpoint: Option<String>,

    /// Only this table of the endpoint; may be given several times
    #[arg(long, value_name = "NAME", requires = "endpoint")]
    table: Vec<String>,

    #[command(flatten)]
    trust: Trust,

    /// The file to write the design to [default: the standard output]
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Run for Import {
    const NAME: &'static str = "import";

    fn run(self) -> Result<(), Failure> {
        let design = match (&self.endpoint, &self.source) {
            (Some(endpoint), _) => self.ask_endpoint(endpoint)?,
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

impl Import {
    fn ask_endpoint(&self, endpoint: &str) -> Result<String, Failure> {
        let settings = Settings { ca: self.trust.pem()?, ..Settings::new(endpoint).map_err(Failure::new)? };
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
        let imported = runtime.block_on(async {
            sortkey_import::import_tables("imported", &Remote::new(settings).await, &self.table).await
        });
        imported.map_err(|error| Failure::new(format_args!("cannot import from {endpoint}: {error}")))
    }
}

fn from_file(source: &Path) -> Result<String, Failure> {
    let text = designs::read(source)?;
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    sortkey_import::import(&name, &text)
        .map_err(|error| Failure::new(format_args!("cannot import {}: {error}", source.display())))
}
