//! Sortkey and its peer with everything on disk, each answer only after an fsync.

use std::io;
use std::path::Path;

use crate::compare::{self, Plan, Turns};
use crate::directory::Scratch;
use crate::programs::Programs;
use crate::report::Table;
use crate::workload::{ORDERS, WORKLOADS};

/// Loads the tables on both, measures every workload and prints the table.
pub fn run(programs: &Programs, directory: &Path, plan: Plan, customers: usize) -> io::Result<()> {
    let scratch = Scratch::below(directory, "durable")?;
    let sortkey = programs.sortkey_in(&scratch.path("sortkey"), &[])?;
    let peer = programs.dynoxide_in(&scratch.path("dynoxide.db"))?;
    for server in [&sortkey, &peer] {
        compare::prepare(server, plan.connections, customers)?;
    }
    let mut table = Table::new(&["request", "server", "req/s", "p50 us", "p99 us", "CPU us/req", "ratio"]);
    for workload in WORKLOADS {
        let requests = compare::requests_of(workload, plan.connections, customers);
        let servers = [&sortkey, &peer];
        let mut turns: [Turns; 2] = Default::default();
        for server in servers {
            compare::check(server, workload, &requests[0][0])?;
        }
        for _ in 0..plan.rounds {
            for (server, turns) in servers.iter().zip(&mut turns) {
                turns.take(server, plan.turn, &requests)?;
            }
        }
        let [ours, theirs] = turns;
        table.row(ours.cells(workload.title, "Sortkey", String::new()));
        let faster = ours.throughput() / theirs.throughput();
        table.row(theirs.cells("", "Dynoxide", format!("Sortkey: {faster:.1} x")));
    }
    let items = customers * ORDERS;
    println!("\n## On disk, over HTTP, {} connections, {items} items\n\n{table}", plan.connections);
    Ok(())
}
