//! `sortkey diff`: what changed between two versions of a design, and what that takes.

mod deployed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use sortkey_change::{Class, diff, json, text};
use sortkey_design::{FileLoader, Program, compile};

use self::deployed::Deployed;
use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Compare two versions of a design: what changed, and what it takes to apply it
///
/// Every difference has a class: 0 nothing to do, 1 old items are read as they are, 2 DynamoDB changes the table, 3 items are
/// rewritten in place, 4 items get another key, 5 items move to another table, 6 something stored is dropped. Differences that
/// callers notice are marked. Only the two designs are read; `sortkey up` makes the same comparison with the design that was
/// deployed last and looks at the items. It applies classes 0 to 3, unless an item does not fit (a narrower type, a new check);
/// classes 4 and 5 take a migration, and of class 6 nothing is dropped.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey diff before.sk after.sk
  git show main:shop.sk > /tmp/main.sk && sortkey diff /tmp/main.sk shop.sk
  sortkey diff before.sk after.sk --at-most 2    # in continuous integration
  sortkey diff --deployed shop.sk --endpoint http://127.0.0.1:8000")]
pub(super) struct Diff {
    /// The old version and the new one: files, or folders with one design each; only the new one with --deployed
    #[arg(value_names = ["OLD", "NEW"], num_args = 1..=2, required = true)]
    versions: Vec<PathBuf>,

    #[command(flatten)]
    deployed: Deployed,

    /// Fail if a difference has a higher class
    #[arg(long, value_name = "CLASS", value_parser = clap::value_parser!(u8).range(0..=6))]
    at_most: Option<u8>,

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
}

impl Run for Diff {
    const NAME: &'static str = "diff";

    fn run(self) -> Result<(), Failure> {
        let differences = match (self.versions.as_slice(), self.deployed.deployed) {
            ([new], true) => self.deployed.differences(new)?,
            ([old, new], false) => diff(&*program(old)?, &*program(new)?),
            (_, true) => return Err(Failure::new("--deployed takes one design: the new one")),
            (_, false) => {
                return Err(Failure::new("two versions are compared: name the old one and the new one")
                    .hint("or compare with what is deployed: sortkey diff --deployed NEW"));
            }
        };
        designs::say(&match self.format {
            Format::Text => text(&differences),
            Format::Json => json(&differences).map_err(Failure::new)?,
        });
        let bound = self.at_most.and_then(Class::of_number);
        let above = bound.map_or(0, |bound| differences.iter().filter(|each| each.class > bound).count());
        match (above, self.at_most) {
            (0, _) | (_, None) => Ok(()),
            (1, Some(bound)) => Err(Failure::new(format_args!("1 difference is above class {bound}"))),
            (many, Some(bound)) => {
                Err(Failure::new(format_args!("{many} differences are above class {bound}")))
            }
        }
    }
}

fn program(path: &Path) -> Result<Arc<Program>, Failure> {
    let file = designs::one(path)?;
    let compilation = compile(&file.to_string_lossy(), &designs::read(&file)?, &FileLoader);
    if compilation.has_errors() {
        return Err(Failure::new(format_args!("{} has errors", file.display()))
            .hint(format_args!("sortkey check {}", file.display())));
    }
    Ok(compilation.program)
}
