//! A Query costs what it returns, not what the table holds: 100 items out of 100, of 100,000 and of 1,000,000.

use std::io;
use std::time::Duration;

use crate::compare;
use crate::http;
use crate::load;
use crate::programs::Programs;
use crate::report::Table;
use crate::workload::{self, ORDERS, PLAIN};

/// Measures one Query on three tables and prints the table.
pub fn run(programs: &Programs, turn: Duration) -> io::Result<()> {
    let mut table = Table::new(&["items in the table", "Query of 100, req/s", "CPU us/req"]);
    for customers in [1, 1_000, 10_000] {
        let server = programs.sortkey()?;
        let create = http::request("CreateTable", &workload::create_table(PLAIN, false));
        load::run_once(server.address, &load::deal(vec![create], 1))?;
        // Filled in portions, since a million prepared requests would take more memory than the table.
        for first in (0..customers).step_by(500) {
            let portion = workload::fill(PLAIN, first..(first + 500).min(customers));
            compare::fill(&server, &portion, 8)?;
        }
        let queries: Vec<_> = (0..64)
            .map(|number| {
                http::request("Query", &workload::query_of(PLAIN, number * 7919 % customers).to_string())
            })
            .collect();
        let requests = vec![queries.into(); 8];
        load::run_for(server.address, turn / 5, &requests)?;
        let before = server.cpu_time()?;
        let observed = load::run_for(server.address, turn, &requests)?;
        let cpu = server.cpu_time()? - before;
        table.row(vec![
            (customers * ORDERS).to_string(),
            format!("{:.0}", observed.throughput()),
            format!("{:.1}", cpu.as_secs_f64() * 1e6 / observed.latencies_ns.len() as f64),
        ]);
    }
    println!("\n## Query and the size of the table\n\n{table}");
    Ok(())
}
