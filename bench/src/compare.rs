//! The three servers side by side: each request in several rounds, the servers taking turns within a round, so that
//! whatever else the machine does falls on all of them.

use std::io;
use std::time::Duration;

use crate::http::{self, Connection};
use crate::load::{self, Observation, Requests};
use crate::process::Server;
use crate::programs::Programs;
use crate::report::Table;
use crate::workload::{self, INDEXED, PLAIN, WORKLOADS, Workload};

/// How long and how often to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Open connections.
    pub connections: usize,
    /// Turns that each server has.
    pub rounds: usize,
    /// Length of a turn.
    pub turn: Duration,
}

/// The results of one server in all its turns.
#[derive(Debug, Default)]
pub struct Turns {
    observations: Vec<Observation>,
    cpu_us: Vec<f64>,
}

/// Loads the tables, measures every workload and prints the table.
pub fn run(programs: &Programs, plan: Plan) -> io::Result<()> {
    let sortkey = programs.sortkey()?;
    let peer = programs.dynoxide()?;
    for server in [&sortkey, &peer] {
        prepare(server, plan.connections, workload::CUSTOMERS)?;
    }
    let mut table = Table::new(&["request", "server", "req/s", "p50 us", "p99 us", "CPU us/req", "ratio"]);
    for workload in WORKLOADS {
        let requests = requests_of(workload, plan.connections, workload::CUSTOMERS);
        let answer = check(&sortkey, workload, &requests[0][0])?;
        check(&peer, workload, &requests[0][0])?;
        let bare = programs.bare(&answer)?;
        let servers = [&sortkey, &peer, &bare];
        let mut turns: [Turns; 3] = Default::default();
        for _ in 0..plan.rounds {
            for (server, turns) in servers.iter().zip(&mut turns) {
                turns.take(server, plan.turn, &requests)?;
            }
        }
        let [ours, theirs, ceiling] = turns;
        table.row(ours.cells(workload.title, "Sortkey", String::new()));
        let faster = ours.throughput() / theirs.throughput();
        let leaner = theirs.cpu_us() / ours.cpu_us();
        table.row(theirs.cells("", "Dynoxide", format!("Sortkey: {faster:.1} x; by CPU {leaner:.1} x")));
        let speed = 100.0 * ours.throughput() / ceiling.throughput();
        let thrift = 100.0 * ceiling.cpu_us() / ours.cpu_us();
        table.row(ceiling.cells("", "bare hyper", format!("Sortkey: {speed:.0} %; by CPU {thrift:.0} %")));
    }
    println!("\n## Over HTTP, {} connections, 100,000 items\n\n{table}", plan.connections);
    Ok(())
}

/// Creates both tables and fills them with the orders of so many customers.
pub fn prepare(server: &Server, connections: usize, customers: usize) -> io::Result<()> {
    let create = workload::create_tables().iter().map(|body| http::request("CreateTable", body)).collect();
    load::run_once(server.address, &load::deal(create, 1))?;
    for table in [PLAIN, INDEXED] {
        fill(server, &workload::fill(table, 0..customers), connections)?;
    }
    Ok(())
}

/// Sends batches of writes over all connections.
pub fn fill(server: &Server, bodies: &[String], connections: usize) -> io::Result<()> {
    let writes = bodies.iter().map(|body| http::request("BatchWriteItem", body)).collect();
    load::run_once(server.address, &load::deal(writes, connections)).map(drop)
}

/// The requests of every connection.
pub fn requests_of(workload: &Workload, connections: usize, customers: usize) -> Vec<Requests> {
    let of = |connection| {
        let bodies = workload.bodies(connection, connections, customers);
        bodies.iter().map(|body| http::request(workload.operation, body)).collect()
    };
    (0..connections).map(of).collect()
}

/// Asks once, makes sure that the answer is right, and returns its bytes.
pub fn check(server: &Server, workload: &Workload, request: &[u8]) -> io::Result<Vec<u8>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let mut connection = Connection::open(server.address).await?;
        let answer = connection.ask(request).await?;
        let body = String::from_utf8_lossy(answer.body);
        if answer.is_success() && body.contains(workload.expect) {
            Ok([answer.head.as_bytes(), answer.body].concat())
        } else {
            Err(io::Error::other(format!("{}: {}{body}", workload.title, answer.head)))
        }
    })
}

impl Turns {
    /// One turn: a moment to warm up, then the measurement.
    pub fn take(&mut self, server: &Server, turn: Duration, requests: &[Requests]) -> io::Result<()> {
        load::run_for(server.address, turn / 5, requests)?;
        self.observe(server, || load::run_for(server.address, turn, requests))
    }

    /// One turn with requests that cannot be repeated.
    pub fn take_once(&mut self, server: &Server, requests: &[Requests]) -> io::Result<()> {
        self.observe(server, || load::run_once(server.address, requests))
    }

    fn observe(&mut self, server: &Server, run: impl FnOnce() -> io::Result<Observation>) -> io::Result<()> {
        let before = server.cpu_time()?;
        let observation = run()?;
        let cpu = server.cpu_time()? - before;
        self.cpu_us.push(cpu.as_secs_f64() * 1e6 / observation.latencies_ns.len().max(1) as f64);
        self.observations.push(observation);
        Ok(())
    }

    /// Requests per second.
    pub fn throughput(&self) -> f64 {
        median(self.observations.iter().map(Observation::throughput))
    }

    /// Processor time of a request, in microseconds.
    pub fn cpu_us(&self) -> f64 {
        median(self.cpu_us.iter().copied())
    }

    /// A row of the table.
    pub fn cells(&self, title: &str, server: &str, ratio: String) -> Vec<String> {
        let percentile = |share| median(self.observations.iter().map(|one| one.percentile_us(share)));
        vec![
            title.to_owned(),
            server.to_owned(),
            format!("{:.0}", self.throughput()),
            format!("{:.0}", percentile(0.5)),
            format!("{:.0}", percentile(0.99)),
            format!("{:.1}", self.cpu_us()),
            ratio,
        ]
    }
}

/// The middle of some measurements, which one bad turn cannot move.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
