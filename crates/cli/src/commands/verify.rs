//! `sortkey verify`: whether a data directory is sound.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use sortkey_engine::Report;
use sortkey_storage_fjall::{FjallStore, Options};

use super::Run;
use crate::failure::Failure;
use crate::progress;

/// Check that the data in a directory is sound
///
/// Reads everything: checksums, items against their indexes and totals, streams against the items. Says what every
/// table contains, and which table and key something is wrong with. Stop the server first: one process at a time
/// can have the directory. Nothing that was answered is changed.
#[derive(Args, Debug)]
pub(super) struct Verify {
    /// The directory that `serve --data` was given
    #[arg(default_value = ".sortkey/default", value_name = "DIR")]
    directory: PathBuf,
}

impl Run for Verify {
    const NAME: &'static str = "verify";

    fn run(self) -> Result<(), Failure> {
        let shown = self.directory.display();
        if !FjallStore::exists(&self.directory) {
            let failure = Failure::new(format_args!("there is no database in {shown}"));
            return Err(failure.hint("name the directory that `sortkey serve --data` was given"));
        }
        let store = FjallStore::open(&self.directory, Options::default()).map_err(Failure::new)?;
        let bar = progress::entries("verifying");
        let report = sortkey_engine::verify_watched(&*store, &|seen| bar.set_position(seen));
        bar.finish_and_clear();
        print(&report).map_err(|error| Failure::new(format_args!("cannot write: {error}")))?;
        if report.is_sound() {
            return Ok(());
        }
        Err(Failure::new(format_args!("{shown} has {} problems", report.problem_count))
            .hint("restore a backup; what can still be read can be copied to a new directory first"))
    }
}

fn print(report: &Report) -> io::Result<()> {
    let mut terminal = io::stdout().lock();
    for table in &report.tables {
        writeln!(
            terminal,
            "{}: {} items, {} index entries, {} stream records, {} changes in its history",
            table.name, table.items, table.index_entries, table.stream_records, table.changes
        )?;
    }
    for problem in &report.problems {
        writeln!(terminal, "{problem}")?;
    }
    if report.is_sound() {
        writeln!(terminal, "sound")?;
    }
    terminal.flush()
}
