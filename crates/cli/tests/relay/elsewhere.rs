//! Workers in processes of their own on a DynamoDB elsewhere: three of them share the work, and one is stopped and continued.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};

use crate::receiver::{self, Log};
use crate::relay::{attempt, call};

const JOBS: &str = r#"
design jobs
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table T "jobs" {
  key   (PK | SK)
  index Due (lane | nextAt) project keys sparse
}
entity Job in T {
  PK = "JOB#{jobId}"  SK = "JOB"
  jobId  uuid = new
  url    url(..200)
  state  waiting | done = waiting
  runs   int(0..) = 0 @counter
  nextAt time(ms) = now when state = waiting
  lane   int(0..3) := hash(jobId) % 4 when state = waiting
}
entity Total in T {
  PK = "TOTAL#{of}"  SK = "TOTAL"
  of string(..10)
  n  int(0..) = 0 @counter
}
effect post(url: url, headers: map(string(..200)), body: bytes) -> { status int(0..599) } = http POST url timeout 1500ms
system operation place(url) { create Job { url } }
system pattern job = get Job by jobId strong
system pattern total = get Total by of strong
worker send due Job as j by nextAt when state = waiting concurrency 8 lease 2s attempts 50 {
  let r = do post(url: j.url, headers: { webhook-id: j.jobId }, body: "x")
  transact {
    update Job(...j) { state: done, nextAt: absent, runs += 1 }
    upsert Total(of: "all") { n += 1 }
  }
}
"#;

/// A process that is killed when dropped.
pub(crate) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// Starts a command of the binary and waits for the line that it prints when it is ready.
    pub(crate) fn start(folder: &Path, arguments: &[&str], says: &str, errors: Stdio) -> (Process, String) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_sortkey"))
            .args(arguments)
            .current_dir(folder)
            .env("SORTKEY_LOG", "warn")
            .env("XDG_CONFIG_HOME", folder)
            .env("AWS_ACCESS_KEY_ID", "any")
            .env("AWS_SECRET_ACCESS_KEY", "any")
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("the binary starts");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let line = lines.map_while(Result::ok).find(|line| line.contains(says));
        let line = line.unwrap_or_else(|| panic!("{arguments:?} does not start"));
        (Process(process), line)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("signalled");
    }
}

pub(crate) fn port_of(line: &str) -> u16 {
    let digits = line.rsplit(':').next().unwrap_or_default().trim_end_matches('/');
    digits.parse().unwrap_or_else(|_| panic!("no port: {line}"))
}

#[test]
fn three_processes_share_the_work_and_one_that_was_stopped_writes_nothing() {
    const COUNT: usize = 90;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("jobs.sk"), JOBS).expect("written");
    let log: Arc<Log> = Arc::default();
    let url = format!("http://127.0.0.1:{}/late/jobs", receiver::start(&log));
    let (_database, line) = Process::start(
        folder,
        &["serve", "--port", "0", "--data", "database"],
        "sortkey is listening on ",
        Stdio::null(),
    );
    let endpoint = format!("http://127.0.0.1:{}", port_of(&line));
    let (_api, line) = Process::start(
        folder,
        &["up", "jobs.sk", "--port", "0", "--endpoint", &endpoint, "--no-workers"],
        "sortkey is listening on ",
        Stdio::null(),
    );
    let port = port_of(&line);
    let place = || call(port, "", "POST", "/api/place", &json!({ "url": url }));
    let jobs: Vec<Json> = (0..COUNT).map(|_| place()["jobId"].clone()).collect();

    let work = ["work", "jobs.sk", "--endpoint", &endpoint, "--allow-private", "127.0.0.0/8"];
    let errors = folder.join("stopped.log");
    let stderr = Stdio::from(std::fs::File::create(&errors).expect("a file"));
    let (stopped, _) = Process::start(folder, &work, "worker at", stderr);
    // It has begun something before it is stopped.
    until("the first runs", || log.len() >= 4);
    stopped.signal(Signal::STOP);
    let counting: Vec<&str> = work.into_iter().chain(["--metrics", "127.0.0.1:0"]).collect();
    let others: Vec<(Process, String)> =
        (0..2).map(|_| Process::start(folder, &counting, "metrics at", Stdio::null())).collect();
    // There is none before the first job is done.
    let total = || {
        let (_, answer) = attempt(port, "", "GET", "/api/total?of=all", b"").expect("an answer");
        serde_json::from_slice::<Json>(&answer).expect("JSON")["n"].as_u64().unwrap_or(0)
    };
    until("all jobs", || total() == COUNT as u64);
    stopped.signal(Signal::CONT);
    let said = || std::fs::read_to_string(&errors).unwrap_or_default();
    until("the stopped process is refused", || said().contains("the lease of this run is over"));
    std::thread::sleep(Duration::from_secs(1));

    assert_eq!(total(), COUNT as u64, "each job is done once in the database");
    for id in &jobs {
        let id = id.as_str().unwrap_or_default();
        let job = call(port, "", "GET", &format!("/api/job?jobId={id}"), &Json::Null);
        assert_eq!((&job["state"], &job["runs"]), (&json!("done"), &json!(1)), "{id}");
        assert!((1..=2).contains(&log.of(id).len()), "{id}: what was under way is done again, once");
    }
    let runs: u64 = others.iter().map(|(_, line)| runs_of(line)).sum();
    assert!((COUNT as u64 / 2..=COUNT as u64).contains(&runs), "{runs} runs of the other processes");
    let (status, _) = Process::start(
        folder,
        &["work", "jobs.sk", "--endpoint", &endpoint, "status"],
        "send: 0 due, 0 put aside",
        Stdio::null(),
    );
    drop(status);
}

/// The runs that a process of workers has done, as its metrics count them.
fn runs_of(line: &str) -> u64 {
    let port = port_of(line.trim_end_matches("/metrics"));
    let (status, page) = attempt(port, "", "GET", "/metrics", b"").expect("an answer");
    let name = "sortkey_worker_runs_total{worker=\"send\",outcome=\"done\"} ";
    let page = String::from_utf8(page).expect("text");
    let count = page.lines().find_map(|line| line.strip_prefix(name)?.parse().ok());
    assert_eq!(status, 200, "{page}");
    count.unwrap_or_else(|| panic!("no runs: {page}"))
}

pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(90);
    while !holds() {
        assert!(Instant::now() < end, "{what} does not hold after 90 seconds");
        std::thread::sleep(Duration::from_millis(20));
    }
}
