//! `sortkey plan`: how each pattern and operation reaches its items, and what that costs.

mod compare;
mod measure;
mod price;

use std::path::PathBuf;

use clap::Args;
use sortkey_design::{FileLoader, compile, wire};
use sortkey_plan::{PRICES, lock_file, plan_text};

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Show the access path of every pattern and the requests of every operation
///
/// The paths are frozen in a file beside the design, so that a review sees when one changes: `--lock` writes it
/// and `--check` compares. Units are for the declared or estimated sizes; `--price` makes a month of the declared load of
/// them, and `--measure` compares them with what the engine consumes.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey plan links.sk
  sortkey plan links.sk --lock     # then commit links.lock
  sortkey plan links.sk --check    # in continuous integration
  sortkey plan links.sk --price")]
pub(super) struct Plan {
    /// The design: a file, or a folder with one
    #[arg(default_value = ".")]
    design: PathBuf,

    /// Write the lock file
    #[arg(long, conflicts_with = "check")]
    lock: bool,

    /// Fail if a path differs from the lock file
    #[arg(long)]
    check: bool,

    /// Print the whole compiled program as JSON; docs/program.schema.json describes it
    #[arg(long, conflicts_with_all = ["lock", "check"])]
    json: bool,

    /// Show what a month costs, by `load` and `volume`
    #[arg(long, conflicts_with_all = ["lock", "check", "json"])]
    price: bool,

    /// The region whose prices count
    #[arg(long, value_name = "REGION", default_value = "us-east-1", requires = "price")]
    region: String,

    /// Prices from a file, in the form that `--prices-form` prints
    #[arg(long, value_name = "FILE", requires = "price")]
    prices: Option<PathBuf>,

    /// Print the table of prices that comes with this version
    #[arg(long, conflicts_with_all = ["lock", "check", "json", "price"])]
    prices_form: bool,

    /// Call everything over generated data in memory, and compare what was predicted with what was consumed
    #[arg(long, conflicts_with_all = ["lock", "check", "json", "price"])]
    measure: bool,

    /// Generate at most so many items of a kind
    #[arg(long, value_name = "N", default_value_t = 100, requires = "measure")]
    items: u64,
}

impl Run for Plan {
    const NAME: &'static str = "plan";

    fn run(self) -> Result<(), Failure> {
        if self.prices_form {
            designs::say(PRICES);
            return Ok(());
        }
        let design = designs::one(&self.design)?;
        let compilation = compile(&design.to_string_lossy(), &designs::read(&design)?, &FileLoader);
        if compilation.has_errors() {
            return Err(Failure::new("the design has errors").hint("sortkey check"));
        }
        let lock = design.with_extension("lock");
        if self.json {
            let json =
                serde_json::to_string_pretty(&wire::write(&compilation.program)).map_err(Failure::new)?;
            designs::say(&(json + "\n"));
        } else if self.lock {
            designs::write(&lock, &lock_file(&compilation.program))?;
        } else if self.check {
            compare::with_lock(&lock, &compilation.program)?;
        } else if self.price {
            price::show(&compilation.program, &self.region, self.prices.as_deref())?;
        } else if self.measure {
            measure::show((*compilation.design).clone(), self.items)?;
        } else {
            designs::say(&plan_text(&compilation.program));
        }
        Ok(())
    }
}
