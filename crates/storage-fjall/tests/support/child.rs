//! Another process that writes: the same test binary, started with the name of its role.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::database::Database;
use super::{number_from_environment, workload};

const DIRECTORY: &str = "SORTKEY_CHILD_DIRECTORY";
const SEED: &str = "SORTKEY_CHILD_SEED";
const STEPS: &str = "SORTKEY_CHILD_STEPS";
const BULK: &str = "SORTKEY_CHILD_BULK";

/// Runs the part of a child process in the test named `role`: nothing, unless it was started by [`spawn`].
pub(crate) fn play(prepare: impl FnOnce(&Database)) {
    act(prepare, drop);
}

/// Like [`play`]; when all writers have failed, `then` has the database.
pub(crate) fn play_then(then: impl FnOnce(Database)) {
    act(|_| {}, then);
}

fn act(prepare: impl FnOnce(&Database), then: impl FnOnce(Database)) {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let database = Database::open(Path::new(&directory)).unwrap_or_else(|error| {
        workload::say(&format!("closed {error}\n"));
        std::process::exit(3);
    });
    workload::prepare(&database);
    prepare(&database);
    workload::say("ready\n");
    let steps = std::env::var(STEPS).unwrap();
    let steps: Vec<u64> = steps.split(',').map(|step| step.parse().unwrap()).collect();
    let bulk = number_from_environment(BULK, 0);
    std::thread::scope(|scope| {
        if bulk > 0 {
            scope.spawn(|| workload::run_bulk(&database, bulk));
        }
        workload::run(&database, number_from_environment(SEED, 0), &steps);
    });
    then(database);
}

/// Lets a child write large items as well, from a number on.
pub(crate) fn with_bulk(command: &mut Command, first: u64) {
    command.env(BULK, first.to_string());
}

/// Starts this binary again, as `role`, with what `shape` adds to the command.
pub(crate) fn spawn(
    role: &str,
    directory: &Path,
    seed: u64,
    steps: &[u64],
    shape: impl FnOnce(&mut Command),
) -> (Child, BufReader<ChildStdout>) {
    let steps: Vec<String> = steps.iter().map(u64::to_string).collect();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", role, "--nocapture", "--test-threads=1", "--quiet"])
        .env(DIRECTORY, directory)
        .env(SEED, seed.to_string())
        .env(STEPS, steps.join(","))
        .env("RUST_BACKTRACE", "1")
        .stdout(Stdio::piped());
    shape(&mut command);
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    (child, lines)
}

/// The lines that a child printed, without those of the test harness and without one that was cut short.
pub(crate) fn lines(pipe: &mut BufReader<ChildStdout>) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        let mut line = String::new();
        pipe.read_line(&mut line).unwrap();
        line.ends_with('\n').then_some(line)
    })
}
