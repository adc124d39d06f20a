//! `sortkey drift`: what is deployed, compared with the design.

use clap::{Args, ValueEnum};
use sortkey_codegen::{Drift, drift, drift_json, drift_sarif, drift_text};
use sortkey_diagnostics::{counted, counted_with};

use super::Run;
use super::generate::live;
use crate::designs;
use crate::failure::Failure;
use crate::stages::{StageArguments, Staged};

/// Compare deployed tables with a design
///
/// Exits with 0 if there is no difference, with 1 if there is one, and with 2 if nothing could be compared.
/// Nothing is changed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey drift links.sk --endpoint https://dynamodb.eu-west-1.amazonaws.com --stage prod
  sortkey drift links.sk --endpoint http://127.0.0.1:8000 --format json")]
pub(super) struct DriftCommand {
    #[command(flatten)]
    stage: StageArguments,

    /// The DynamoDB that has the tables
    #[arg(long, value_name = "URL")]
    endpoint: String,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For machines
    Json,
    /// For tools that show findings beside code
    Sarif,
}

/// Nothing could be compared.
const NOT_COMPARED: u8 = 2;

impl Run for DriftCommand {
    const NAME: &'static str = "drift";

    fn run(self) -> Result<(), Failure> {
        let staged = self.stage.load(|_| {}).map_err(|failure| failure.code(NOT_COMPARED))?;
        let deployed =
            live(&self.endpoint, &staged.deployment).map_err(|failure| failure.code(NOT_COMPARED))?;
        let tables = staged.deployment.tables.iter();
        let found = drift(tables.map(|table| (table, deployed.table(&table.name))));
        self.print(&staged, &found);
        match found.differences.len() {
            0 => Ok(()),
            count => {
                let differences = counted(count, "difference");
                Err(Failure::new(format_args!("{differences} between the design and what is deployed")))
            }
        }
    }
}

impl DriftCommand {
    fn print(&self, staged: &Staged, found: &Drift) {
        let Staged { compilation, deployment } = staged;
        let text = match self.format {
            Format::Text if found.differences.is_empty() => format!(
                "{}no drift: {} as the design says\n",
                drift_text(found),
                counted_with(deployment.tables.len(), "table", ("is", "are"))
            ),
            Format::Text => drift_text(found),
            Format::Json => {
                format!("{:#}\n", drift_json(found, &deployment.design, &deployment.stage, &self.endpoint))
            }
            Format::Sarif => format!("{:#}\n", drift_sarif(found, &compilation.sources)),
        };
        designs::say(&text);
    }
}
