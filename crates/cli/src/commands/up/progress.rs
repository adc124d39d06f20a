//! The progress of a deployment: a line for every table, and one that grows during a backfill.

use std::io::{IsTerminal, Write};

use indicatif::ProgressBar;
use sortkey_change::text;
use sortkey_deploy::{Change, Deployment, Progress, Step};

use crate::designs;

/// The steps so far.
#[derive(Default)]
pub(super) struct Steps {
    waiting: bool,
    /// Shows how far a rewriting is.
    bar: Option<ProgressBar>,
}

impl Steps {
    /// Shows a step. Only a terminal sees a line change.
    pub(super) fn show(&mut self, progress: Progress<'_>) {
        let Progress { table, change, step } = progress;
        if let Change::Compared(differences) = change {
            designs::say(&format!(
                "compared with the design that was deployed before:\n{}",
                text(differences)
            ));
            return;
        }
        match step {
            Step::Begun if *change == Change::Superseded => designs::say(&format!("{change}\n")),
            Step::Waiting { items: Some(items), of: Some(all) } => {
                let bar =
                    self.bar.get_or_insert_with(|| crate::progress::items(&format!("{table}: {change}"), 0));
                bar.set_length(u64::try_from(all.max(items)).unwrap_or(0));
                bar.set_position(u64::try_from(items).unwrap_or(0));
            }
            Step::Done if self.bar.is_some() => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
            }
            Step::Waiting { items, .. } if std::io::stderr().is_terminal() => {
                let items = items.map_or(String::new(), |items| format!(", {items} items so far"));
                self.line(&format!("\r  {table}: {change}{items} ..."));
                self.waiting = true;
            }
            Step::Done if self.waiting => {
                self.line("\n");
                self.waiting = false;
            }
            Step::Begun | Step::Waiting { .. } | Step::Done => {}
        }
    }

    /// Sums up what was done.
    pub(super) fn end(&self, done: &Deployment) {
        let created = done.changes.iter().filter(|(_, change)| *change == Change::Create).count();
        let mut text = match (created, done.tables.len()) {
            (0, count) => format!("{} found\n", tables(count)),
            (created, count) if created == count => format!("{} created\n", tables(count)),
            (created, count) => format!("{} created, {} found\n", tables(created), tables(count - created)),
        };
        let fresh = |table: &str| {
            done.changes.iter().any(|(name, change)| name == table && *change == Change::Create)
        };
        for (table, change) in done.changes.iter().filter(|(table, _)| !fresh(table)) {
            text.push_str(&format!("  {table}: {change}\n"));
        }
        for remark in &done.remarks {
            text.push_str(&format!("  note: {remark}\n"));
        }
        designs::say(&text);
    }

    fn line(&self, text: &str) {
        let mut terminal = std::io::stderr().lock();
        // Nobody reads a closed terminal, and a deployment must not fail because of it.
        let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
    }
}

fn tables(count: usize) -> String {
    format!("{count} table{}", if count == 1 { "" } else { "s" })
}
