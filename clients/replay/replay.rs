//! Rust among the three languages of `served.py`: replays a recording on forks of a server, each of which keeps its requests.
//!
//!     replay PROGRAM RECORDING ENDPOINT [TURN OF]
//!
//! With a turn, only every so many-th call is made here, and of the others the recorded writes are sent.
// The printed text is the answer.
#![allow(clippy::print_stdout)]

use std::cell::RefCell;
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use sortkey_testing::recording::{Answered, Recorded, Recording, Replayer, Sent, Step};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some([program, recording, endpoint]), rest) =
        (arguments.first_chunk(), &arguments[arguments.len().min(3)..])
    else {
        return Err("expected PROGRAM RECORDING ENDPOINT".into());
    };
    let mut turns = match rest {
        [turn, of] => Turns { turn: turn.parse()?, of: of.parse()?, calls: 0 },
        _ => Turns { turn: 0, of: 1, calls: 0 },
    };
    let language = if turns.of == 1 { "rust" } else { "rust-turn" };
    let program: Json = serde_json::from_str(&std::fs::read_to_string(program)?)?;
    let program = Arc::new(sortkey_design::wire::read(&program).map_err(|error| error.to_string())?);
    let recording = Recording::read(&std::fs::read_to_string(recording)?)?;
    let server = RefCell::new(Server::connect(endpoint)?);
    for (at, test) in recording.tests.iter().enumerate() {
        let fork = format!("{language}-{at}");
        let made = json!({ "name": fork, "from": "base", "record": true });
        server.borrow_mut().administer("/forks", &made, "")?;
        // The keys of a recording belong to all of its tests, ids to each call.
        let replayer = Replayer::new(&program, &recording.setup)?;
        server.borrow_mut().administer("/clock", &json!({ "stopMs": recording.setup.now }), &fork)?;
        replay(&replayer, test, &server, (&fork, &mut turns))?;
    }
    println!("rust: {} tests", recording.tests.len());
    Ok(())
}

/// Which calls are made here.
struct Turns {
    turn: usize,
    of: usize,
    calls: usize,
}

impl Turns {
    fn is_mine(&mut self) -> bool {
        self.calls += 1;
        (self.calls - 1) % self.of == self.turn
    }
}

fn replay(
    replayer: &Replayer,
    test: &Recorded,
    server: &RefCell<Server>,
    (fork, turns): (&str, &mut Turns),
) -> Result<(), Box<dyn Error>> {
    let send = |sent: &Sent| server.borrow_mut().send(sent, fork);
    for step in &test.steps {
        match step {
            Step::Now(now_ms) => {
                server.borrow_mut().administer("/clock", &json!({ "stopMs": now_ms }), fork)?
            }
            Step::Expire(_) => server.borrow_mut().administer("/expire", &json!({}), fork)?,
            Step::Send(sent) => drop(send(sent)?),
            Step::Call(recorded) if !turns.is_mine() => {
                let reads = ["Get", "BatchGet", "TransactGet", "Query", "Scan"];
                for sent in
                    recorded.sent.iter().filter(|sent| !reads.iter().any(|read| sent.0.starts_with(read)))
                {
                    send(sent)?;
                }
            }
            Step::Call(recorded) => {
                let found = replayer.call(recorded, &send)?;
                if (&found.sent, &found.done) != (&recorded.sent, &recorded.done) {
                    let name = &recorded.start["name"];
                    return Err(format!(
                        "{}: {name}\nfound:    {found:?}\nrecorded: {recorded:?}",
                        test.title
                    )
                    .into());
                }
            }
        }
    }
    Ok(())
}

/// A connection that is kept.
struct Server {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Server {
    fn connect(endpoint: &str) -> Result<Server, Box<dyn Error>> {
        let host = endpoint.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let stream = TcpStream::connect(&host)?;
        stream.set_nodelay(true)?;
        Ok(Server { stream: BufReader::new(stream), host })
    }

    fn send(&mut self, Sent(operation, body): &Sent, fork: &str) -> Answered {
        let headers = format!(
            "content-type: application/x-amz-json-1.0\r\nx-amz-target: DynamoDB_20120810.{operation}\r\n\
             x-sortkey-fork: {fork}\r\nauthorization: AWS4-HMAC-SHA256 \
             Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n\
             x-amz-date: 20260101T000000Z\r\n"
        );
        self.exchange("/", &headers, body).map_err(|error| error.to_string())
    }

    fn administer(&mut self, path: &str, body: &Json, fork: &str) -> Result<(), Box<dyn Error>> {
        let fork = if fork.is_empty() { String::new() } else { format!("x-sortkey-fork: {fork}\r\n") };
        let headers = format!("content-type: application/json\r\n{fork}");
        match self.exchange(&format!("/_sortkey{path}"), &headers, &body.to_string())? {
            (200, _) => Ok(()),
            (status, answer) => Err(format!("{path}: {status} {}", String::from_utf8_lossy(&answer)).into()),
        }
    }

    fn exchange(&mut self, path: &str, headers: &str, body: &str) -> Result<(u16, Vec<u8>), Box<dyn Error>> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\n{headers}content-length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
        let (mut line, mut status, mut length) = (String::new(), 0, 0);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the server closed the connection".into());
            }
            let lower = line.trim_end().to_ascii_lowercase();
            if let Some(rest) = lower.strip_prefix("http/1.1 ") {
                status = rest.get(..3).unwrap_or_default().parse()?;
            } else if let Some(bytes) = lower.strip_prefix("content-length:") {
                length = bytes.trim().parse()?;
            } else if lower.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok((status, answer))
    }
}
