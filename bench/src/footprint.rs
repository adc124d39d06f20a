//! The memory and start time of a server before the first request, and with 100,000 items of 1 KB.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::compare::{self, median};
use crate::http;
use crate::load;
use crate::process::Server;
use crate::programs::Programs;
use crate::report::Table;
use crate::workload::{self, PLAIN};

/// Starts that are timed.
const STARTS: usize = 10;

/// Measures both servers and prints the table.
pub fn run(programs: &Programs) -> io::Result<()> {
    let mut table =
        Table::new(&["", "start to first answer", "idle memory", "100,000 items of 1 KB", "binary"]);
    let ours = measure(|| programs.sortkey())?;
    table.row(ours.cells("Sortkey", megabytes(size_of(&programs.sortkey)?)));
    let theirs = measure(|| programs.dynoxide())?;
    table.row(theirs.cells("Dynoxide", "(in this program)".to_owned()));
    println!("\n## Footprint\n\n{table}");
    Ok(())
}

struct Footprint {
    first_answer: Duration,
    idle_bytes: u64,
    filled_bytes: u64,
}

fn measure(start: impl Fn() -> io::Result<Server>) -> io::Result<Footprint> {
    let mut starts_s = Vec::new();
    for _ in 0..STARTS {
        let server = start()?;
        ask(&server, "ListTables", "{}")?;
        starts_s.push(server.started.elapsed().as_secs_f64());
    }
    let server = start()?;
    ask(&server, "ListTables", "{}")?;
    // A second is enough for whatever a server does after it has started.
    std::thread::sleep(Duration::from_secs(1));
    let idle_bytes = server.resident_bytes()?;
    ask(&server, "CreateTable", &workload::create_table(PLAIN, false))?;
    compare::fill(&server, &workload::fill_kilobytes(), 8)?;
    Ok(Footprint {
        first_answer: Duration::from_secs_f64(median(starts_s.into_iter())),
        idle_bytes,
        filled_bytes: server.resident_bytes()?,
    })
}

impl Footprint {
    fn cells(&self, server: &str, binary: String) -> Vec<String> {
        vec![
            server.to_owned(),
            format!("{:.1} ms", self.first_answer.as_secs_f64() * 1e3),
            megabytes(self.idle_bytes),
            megabytes(self.filled_bytes),
            binary,
        ]
    }
}

fn ask(server: &Server, operation: &str, body: &str) -> io::Result<()> {
    load::run_once(server.address, &load::deal(vec![http::request(operation, body)], 1)).map(drop)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn size_of(program: &Path) -> io::Result<u64> {
    Ok(fs::metadata(program)?.len())
}
