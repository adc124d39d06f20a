//! Shared by the tests of the binary: a server as a process, and a client with just enough HTTP.
// Each test binary uses some of it.
#![allow(dead_code)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use sortkey_testkit::Client;

/// A server in a process of its own, killed when dropped.
pub(crate) struct Serving {
    pub(crate) process: Child,
    /// As in `127.0.0.1:8000`.
    pub(crate) address: String,
    /// The lines after the first.
    pub(crate) lines: Vec<String>,
}

/// Starts a server on a port that is free.
pub(crate) fn serve(arguments: &[&str]) -> Serving {
    serve_with(arguments, |_| {})
}

/// Like `serve`, with the settings that `shape` adds to the command.
pub(crate) fn serve_with(arguments: &[&str], shape: impl FnOnce(&mut Command)) -> Serving {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(["serve", "--port", "0"]).args(arguments);
    shape(&mut command);
    serve_command(command)
}

/// Starts a server by a command of its own.
pub(crate) fn serve_command(mut command: Command) -> Serving {
    command.stdout(Stdio::piped());
    let mut process = command.spawn().expect("the binary starts");
    let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let address = line().strip_prefix("sortkey is listening on http://").expect("the address").to_owned();
    let lines = vec![line(), line()];
    Serving { process, address, lines }
}

impl Serving {
    /// Asks it to stop, as the system would; how it ended.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        kill_process(Pid::from_child(&self.process), Signal::TERM).expect("signalled");
        self.process.wait().expect("an end")
    }

    /// Calls an operation; the status and the body.
    pub(crate) fn call(&self, operation: &str, headers: &str, body: &str) -> (u16, String) {
        let headers = format!(
            "X-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Type: application/x-amz-json-1.0\r\n\
             X-Amz-Date: 20261115T123600Z\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=abc\r\n{headers}"
        );
        self.request("POST", "/", &headers, body)
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let (address, length) = (&self.address, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\
             Content-Length: {length}\r\n\r\n{body}"
        );
        let answer = Client::ask(address, request.as_bytes());
        (answer.status, answer.text())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
