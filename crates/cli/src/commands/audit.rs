//! `sortkey audit`: what a server recorded, and whether it is still what was recorded.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use sortkey_access::{Anchor, Line, verify_audit};
use sortkey_diagnostics::counted;

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Check and show audit logs
///
/// A server that was started with `--audit FILE` records every decision about a request. Each line contains the hash of the
/// line before, so that lines which were edited, removed, inserted or moved are found, in FILE and in the files that were put
/// aside when it grew (FILE.000000000001 ...). FILE.head names the last line on the device; without it, lines that are missing
/// at the end cannot be found.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey audit verify audit.log
  sortkey audit verify audit.log --after 1200:9f2b1c4de05b6a0f6f9b8f5c3a1d2e4f60718293a4b5c6d7e8f9a0b1c2d3e4f5
  sortkey audit show audit.log --who arn:aws:iam::000000000000:user/ann --decision denied")]
pub(super) struct AuditCommand {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Check that nothing was changed; prints the last line as NUMBER:HASH, which is worth noting elsewhere
    Verify {
        #[command(flatten)]
        log: Log,
    },
    /// Print what was recorded, after checking it
    Show {
        #[command(flatten)]
        log: Log,

        /// Only lines of this identity
        #[arg(long, value_name = "ARN")]
        who: Option<String>,

        /// Only lines of this access key
        #[arg(long, value_name = "KEY")]
        key: Option<String>,

        /// Only lines of this operation
        #[arg(long)]
        operation: Option<String>,

        /// Only lines with this decision: allowed, denied, rejected or noted
        #[arg(long)]
        decision: Option<String>,

        /// Print lines as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args, Debug)]
struct Log {
    /// Audit logs, each without the files that were put aside, which are found by themselves
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The line that `verify` printed earlier: it must still be there, and only lines before it may have been taken away
    #[arg(long, value_name = "NUMBER:HASH", value_parser = anchor)]
    after: Option<Anchor>,
}

impl Run for AuditCommand {
    const NAME: &'static str = "audit";

    fn run(self) -> Result<(), Failure> {
        match self.act {
            Act::Verify { log } => log.check(&mut |_| {}, true),
            Act::Show { log, who, key, operation, decision, json } => {
                let is = |wanted: &Option<String>, found: Option<&str>| {
                    wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
                };
                log.check(
                    &mut |line| {
                        let wanted = is(&who, line.who.as_deref())
                            && is(&key, line.key.as_deref())
                            && is(&operation, Some(&line.operation))
                            && is(&decision, Some(&line.decision));
                        if wanted {
                            designs::say(&shown(line, json));
                        }
                    },
                    false,
                )
            }
        }
    }
}

impl Log {
    fn check(&self, each: &mut dyn FnMut(&Line), says: bool) -> Result<(), Failure> {
        let after = self.after.clone().unwrap_or_else(Anchor::beginning);
        for path in &self.files {
            let checked = verify_audit(path, &after, each).map_err(Failure::new)?;
            if says {
                let (lines, last) = (checked.lines, checked.last);
                designs::say(&format!(
                    "{}: {}, unchanged up to {last}\n",
                    path.display(),
                    counted(lines, "line")
                ));
            }
        }
        Ok(())
    }
}

fn shown(line: &Line, json: bool) -> String {
    if json {
        return serde_json::to_string(line).unwrap_or_default() + "\n";
    }
    let who = line.who.as_deref().or(line.key.as_deref()).unwrap_or("-");
    let from = line.from.as_deref().unwrap_or("-");
    let resources = line.resources.join(",");
    let (time, operation, decision, why) = (&line.time, &line.operation, &line.decision, &line.why);
    format!("{time} {from} {who} {operation} {resources} {decision}: {why}\n").replace("  ", " ")
}

fn anchor(text: &str) -> Result<Anchor, String> {
    Anchor::parse(text).ok_or_else(|| "write the NUMBER:HASH that `sortkey audit verify` printed".to_owned())
}
