//! Sortkey beside its peer and beside the ceiling, in one run. `bench/run.sh` builds and starts it.
//!
//! The program is also two of the three servers: it starts itself as Dynoxide and as a bare hyper server, each in a
//! process of its own, so that the kernel accounts for each apart.

mod bare;
mod compare;
mod embedded;
mod footprint;
mod http;
mod instructions;
mod load;
mod peer;
mod process;
mod programs;
mod random;
mod report;
mod scaling;
mod workload;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::compare::Plan;
use crate::programs::Programs;

const HELP: &str = "\
usage: sortkey-bench [--quick] --sortkey <binary>   compares everything and prints Markdown
       sortkey-bench instructions <operation> <n>   calls one operation n times, for callgrind
       sortkey-bench serve-dynoxide                 is Dynoxide, on a free port
       sortkey-bench serve-bare <file>              is a bare server that answers what is in the file";

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve-dynoxide"] => peer::serve(),
        ["serve-bare", file] => bare::serve(&std::fs::read(file)?),
        ["instructions", operation, calls] => {
            instructions::run(operation, calls.parse().map_err(io::Error::other)?)
        }
        ["--quick", "--sortkey", binary] => everything(binary, 1, Duration::from_millis(500)),
        ["--sortkey", binary] => everything(binary, 5, Duration::from_secs(2)),
        _ => {
            println!("{HELP}");
            Ok(())
        }
    }
}

fn everything(sortkey: &str, rounds: usize, turn: Duration) -> io::Result<()> {
    let programs = Programs { sortkey: PathBuf::from(sortkey), this: std::env::current_exe()? };
    footprint::run(&programs)?;
    compare::run(&programs, Plan { connections: 32, rounds, turn })?;
    embedded::run(rounds, turn)?;
    scaling::run(&programs, turn)
}
