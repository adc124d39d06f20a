//! A server in a process of its own, and the kernel's figures about it.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How `/proc` counts processor time. Linux has reported in hundredths of a second for decades, whatever its clock.
const TICKS_PER_SECOND: u64 = 100;

/// A running server, ended when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The address on which it listens.
    pub address: SocketAddr,
    /// When it was started.
    pub started: Instant,
}

impl Server {
    /// Starts a program and waits for the line with its address.
    pub fn start(program: &Path, arguments: &[&str]) -> io::Result<Server> {
        let started = Instant::now();
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let stdout = child.stdout.take().ok_or_else(|| io::Error::other("no output to read"))?;
        let mut lines = BufReader::new(stdout).lines();
        let address = lines.find_map(|line| listening(&line.ok()?));
        // The rest of the output is read as well: a server that cannot print would stop.
        std::thread::spawn(move || lines.for_each(drop));
        match address {
            Some(address) => Ok(Server { child, address, started }),
            None => Err(io::Error::other(format!("{} does not say where it listens", program.display()))),
        }
    }

    /// Asks it to end, and waits for that.
    pub fn stop(mut self) -> io::Result<()> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        self.child.wait().map(drop)
    }

    /// Processor time that the process has used, in user and kernel mode.
    pub fn cpu_time(&self) -> io::Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name, in parentheses, may contain anything: fields are counted after it.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let ticks: u64 =
            fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
    }

    /// Memory that the process occupies, in bytes.
    pub fn resident_bytes(&self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().map_err(io::Error::other)?;
        Ok(kilobytes * 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must not outlive the measurement.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address in a line such as `listening on http://127.0.0.1:8000`.
fn listening(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://")?;
    let end =
        rest.find(|letter: char| !letter.is_ascii_digit() && !".:".contains(letter)).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
