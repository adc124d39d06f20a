//! Sortkey beside its peer and beside the ceiling, in one run. `bench/run.sh` builds and starts it.
//!
//! The program is also two of the three servers: it starts itself as Dynoxide and as a bare hyper server, each in a
//! process of its own, so that the kernel accounts for each apart.

mod api;
mod bare;
mod compare;
mod directory;
mod durable;
mod embedded;
mod footprint;
mod growth;
mod http;
mod instructions;
mod load;
mod overhead;
mod peer;
mod process;
mod programs;
mod random;
mod recorder;
mod report;
mod scaling;
mod shop;
mod workload;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::compare::Plan;
use crate::overhead::Form;
use crate::programs::Programs;

const HELP: &str = "\
usage: sortkey-bench [--quick] --sortkey <binary>   compares everything and prints Markdown
       sortkey-bench durable [--quick] --sortkey <binary> <directory>
                                                    compares with everything on disk, below the directory
       sortkey-bench growth --sortkey <binary> <directory>
                                                    2,000,000 items: opening, reading, memory
       sortkey-bench runtime [--quick] --sortkey <binary> <directory>
                                                    what the runtime adds to the engine, and the API of a design
       sortkey-bench overhead [--quick] <directory> the first half of it, without HTTP
       sortkey-bench instructions <operation> <n>   calls one operation n times, for callgrind
       sortkey-bench instructions (runtime | engine) (text | stored) <call> <n>
                                                    the same for a call, and for the requests it becomes
       sortkey-bench serve-dynoxide [<file>]        is Dynoxide, on a free port, in memory or in a file
       sortkey-bench serve-bare <file>              is a bare server that answers what is in the file";

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve-dynoxide"] => peer::serve(None),
        ["serve-dynoxide", file] => peer::serve(Some(file)),
        ["durable", "--quick", "--sortkey", binary, directory] => on_disk(binary, directory, true),
        ["durable", "--sortkey", binary, directory] => on_disk(binary, directory, false),
        ["growth", "--sortkey", binary, directory] => {
            let programs = Programs { sortkey: PathBuf::from(binary), this: std::env::current_exe()? };
            growth::run(&programs, &PathBuf::from(directory), 1)
        }
        ["serve-bare", file] => bare::serve(&std::fs::read(file)?),
        ["runtime", "--quick", "--sortkey", binary, directory] => runtime(binary, directory, true),
        ["runtime", "--sortkey", binary, directory] => runtime(binary, directory, false),
        ["overhead", "--quick", directory] => {
            overhead::run(&PathBuf::from(directory), 3, Duration::from_millis(200))
        }
        ["overhead", directory] => overhead::run(&PathBuf::from(directory), 9, Duration::from_millis(500)),
        ["instructions", by @ ("runtime" | "engine"), form @ ("text" | "stored"), deed, calls] => {
            let form = if *form == "text" { Form::Text } else { Form::Stored };
            instructions::run_deed(deed, *by == "runtime", form, calls.parse().map_err(io::Error::other)?)
        }
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

fn on_disk(sortkey: &str, directory: &str, is_quick: bool) -> io::Result<()> {
    let programs = Programs { sortkey: PathBuf::from(sortkey), this: std::env::current_exe()? };
    let directory = PathBuf::from(directory);
    let (customers, rounds, turn_ms) = if is_quick { (200, 1, 1_000) } else { (1_000, 5, 2_000) };
    let plan = Plan { connections: 64, rounds, turn: Duration::from_millis(turn_ms) };
    durable::run(&programs, &directory, plan, customers)?;
    growth::run(&programs, &directory, if is_quick { 10 } else { 1 })
}

fn runtime(sortkey: &str, directory: &str, is_quick: bool) -> io::Result<()> {
    let programs = Programs { sortkey: PathBuf::from(sortkey), this: std::env::current_exe()? };
    let directory = PathBuf::from(directory);
    let (rounds, turn_ms) = if is_quick { (3, 200) } else { (9, 500) };
    overhead::run(&directory, rounds, Duration::from_millis(turn_ms))?;
    let (rounds, turn_ms) = if is_quick { (1, 500) } else { (5, 2_000) };
    let plan = Plan { connections: 32, rounds, turn: Duration::from_millis(turn_ms) };
    api::run(&programs, &directory, plan)
}

fn everything(sortkey: &str, rounds: usize, turn: Duration) -> io::Result<()> {
    let programs = Programs { sortkey: PathBuf::from(sortkey), this: std::env::current_exe()? };
    footprint::run(&programs)?;
    compare::run(&programs, Plan { connections: 32, rounds, turn })?;
    embedded::run(rounds, turn)?;
    scaling::run(&programs, turn)
}
