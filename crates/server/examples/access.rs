//! The cost of verified signatures, policies, the audit log and TLS: the processor time of the server's thread per GetItem, as the
//! kernel accounts for it, user and system together. All modes are asked in turns, and medians are shown, so that whatever
//! else the machine does falls on all of them.
//!
//! ```sh
//! cargo run --release -p sortkey-server --example access [requests per turn] [turns] [mode...]
//! ```
//!
//! Requests are signed once and sent many times, as is allowed within a quarter of an hour. One mode alone, under callgrind,
//! shows where the instructions go.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a measurement that fails shall stop"
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{SystemTime, UNIX_EPOCH};

use ring::{digest, hmac};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use sortkey_access::{AuditLog, Authority, IdentityFile, Keyring, NewAccessKey, Timestamp, attach};
use sortkey_server::{AccessMode, Audit, Database, Guard, Iam, Server, Settings, Tls};

const MODES: [&str; 5] = ["open", "signed", "enforced", "audited", "tls"];
const CONNECTIONS: usize = 8;
const TABLE: &str = "arn:aws:dynamodb:us-east-1:000000000000:table";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, otherwise: usize| arguments.get(at).map_or(otherwise, |text| text.parse().unwrap());
    let (requests, turns) = (number(0, 20_000), number(1, 9));
    let chosen: Vec<&str> = MODES
        .into_iter()
        .filter(|mode| arguments.len() < 3 || arguments[2..].iter().any(|argument| argument == mode))
        .collect();
    let folder = std::env::temp_dir().join(format!("sortkey-access-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut modes: Vec<Running> = chosen.iter().map(|mode| Running::start(mode, &folder)).collect();
    for mode in &mut modes {
        mode.load(requests / 4);
    }
    let mut spent: Vec<Vec<f64>> = vec![Vec::new(); modes.len()];
    for _ in 0..turns {
        for (mode, spent) in modes.iter_mut().zip(&mut spent) {
            let before = mode.busy_ns();
            mode.load(requests);
            spent.push((mode.busy_ns() - before) as f64 / requests as f64 / 1000.0);
        }
    }
    let medians: Vec<f64> = spent.iter_mut().map(|spent| median(spent)).collect();
    for ((mode, median), spent) in chosen.iter().zip(&medians).zip(&spent) {
        let (least, most) = (spent[0], spent[spent.len() - 1]);
        let against = (median / medians[0] - 1.0) * 100.0;
        println!(
            "{mode:>9}: {median:6.2} us per GetItem ({least:.2} to {most:.2}), {against:+.1} % against {}",
            chosen[0]
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn median(spent: &mut [f64]) -> f64 {
    spent.sort_by(f64::total_cmp);
    spent[spent.len() / 2]
}

/// A server on a thread of its own, and connections to it.
struct Running {
    task: PathBuf,
    connections: Vec<Box<dyn Connection>>,
    request: Vec<u8>,
    answer_bytes: usize,
}

trait Connection: Read + Write {}

impl<S: Read + Write> Connection for S {}

impl Running {
    fn start(mode: &str, folder: &Path) -> Running {
        let home = folder.join(mode);
        std::fs::create_dir_all(&home).unwrap();
        let (key, authority) = identities(&home);
        let (pem, pem_key) = certificate();
        let has_credentials = mode != "open" && mode != "tls";
        let guard = Guard {
            mode: if has_credentials { AccessMode::Credentials } else { AccessMode::Local },
            authority: has_credentials.then(|| Arc::new(authority)),
            iam: if mode == "enforced" { Iam::Enforce } else { Iam::Off },
            ..Guard::default()
        };
        let log = || AuditLog::open(&home.join("audit.log"), u64::MAX).unwrap();
        let audit = (mode == "audited").then(|| Arc::new(Audit::new(log(), false)));
        let tls = (mode == "tls").then(|| Tls::from_pem(pem.as_bytes(), pem_key.as_bytes()).unwrap());
        let settings = Settings { guard, audit, tls, ..Settings::default() };
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || serve(settings, &sender));
        let (address, task) = receiver.recv().unwrap();
        let connect = || -> Box<dyn Connection> {
            let stream = TcpStream::connect(address).unwrap();
            stream.set_nodelay(true).unwrap();
            match mode {
                "tls" => Box::new(encrypted(stream, &pem)),
                _ => Box::new(stream),
            }
        };
        let mut running = Running {
            task,
            connections: (0..CONNECTIONS).map(|_| connect()).collect(),
            request: Vec::new(),
            answer_bytes: 0,
        };
        let schema = r#"{"TableName":"bench","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
            "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
        running.once(&signed(address, &key, "CreateTable", schema));
        let text = "x".repeat(200);
        let item = format!(
            r#"{{"TableName":"bench","Item":{{"pk":{{"S":"aaaaaaaaaaaaaaaaaaaa"}},"text":{{"S":"{text}"}}}}}}"#
        );
        running.once(&signed(address, &key, "PutItem", &item));
        let get = r#"{"TableName":"bench","Key":{"pk":{"S":"aaaaaaaaaaaaaaaaaaaa"}}}"#;
        running.request = signed(address, &key, "GetItem", get);
        running.answer_bytes = running.once(&running.request.clone());
        running
    }

    /// Sends a request and reads its answer; how long that is.
    fn once(&mut self, request: &[u8]) -> usize {
        let connection = &mut self.connections[0];
        connection.write_all(request).unwrap();
        connection.flush().unwrap();
        let mut answer = Vec::new();
        let mut buffer = [0; 16 << 10];
        loop {
            let read = connection.read(&mut buffer).unwrap();
            answer.extend_from_slice(&buffer[..read]);
            let text = String::from_utf8_lossy(&answer);
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            assert!(head.starts_with("HTTP/1.1 200"), "{text}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() >= length.parse::<usize>().unwrap() {
                return answer.len();
            }
        }
    }

    /// Sends the prepared request on all connections, over and over.
    fn load(&mut self, requests: usize) {
        let mut answer = vec![0; self.answer_bytes];
        for _ in 0..requests / CONNECTIONS {
            for connection in &mut self.connections {
                connection.write_all(&self.request).unwrap();
                connection.flush().unwrap();
            }
            for connection in &mut self.connections {
                connection.read_exact(&mut answer).unwrap();
                assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
            }
        }
    }

    /// How long the server's thread was on a processor.
    fn busy_ns(&self) -> u64 {
        let text = std::fs::read_to_string(self.task.join("schedstat")).unwrap();
        text.split(' ').next().unwrap().parse().unwrap()
    }
}

fn serve(settings: Settings, started: &mpsc::Sender<(SocketAddr, PathBuf)>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let database = Database::memory(sortkey_engine::Settings::default());
        let server =
            Server::bind("127.0.0.1:0".parse().unwrap(), database, settings, Vec::new()).await.unwrap();
        let task = std::fs::canonicalize("/proc/thread-self").unwrap();
        started.send((server.local_address().unwrap(), task)).unwrap();
        server.run(std::future::pending()).await;
    });
}

/// A user with 20 statements, of which the last one allows.
fn identities(home: &Path) -> (NewAccessKey, Authority) {
    let keyring = Keyring::generate().unwrap();
    let path = home.join("auth.json");
    let mut statements: Vec<String> = (0..19)
        .map(|at| {
            let effect = if at % 5 == 0 { "Deny" } else { "Allow" };
            format!(
                r#"{{"Effect":"{effect}","Action":["dynamodb:GetItem","dynamodb:Query","dynamodb:PutItem"],
                   "Resource":["{TABLE}/other-{at}","{TABLE}/other-{at}/index/*"],
                   "Condition":{{"ForAllValues:StringEquals":{{"dynamodb:LeadingKeys":["${{aws:username}}"]}}}}}}"#
            )
        })
        .collect();
    statements.push(format!(r#"{{"Effect":"Allow","Action":"dynamodb:*","Resource":"{TABLE}/bench"}}"#));
    let policy = format!(r#"{{"Version":"2012-10-17","Statement":[{}]}}"#, statements.join(","));
    let key = IdentityFile::change(&path, |file| {
        file.create_user("ann", false)?;
        attach(&mut file.user("ann")?.policies, "twenty", &policy)?;
        file.create_key("ann", &keyring)
    });
    (key.unwrap(), Authority::open(&path, keyring).unwrap())
}

fn certificate() -> (String, String) {
    let key = rcgen::KeyPair::generate().unwrap();
    let parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    (parameters.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

fn encrypted(stream: TcpStream, pem: &str) -> rustls::StreamOwned<rustls::ClientConnection, TcpStream> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    rustls::StreamOwned::new(rustls::ClientConnection::new(Arc::new(config), name).unwrap(), stream)
}

/// A request with the headers that boto3 sends, signed.
fn signed(address: SocketAddr, key: &NewAccessKey, operation: &str, body: &str) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let time = Timestamp { seconds: i64::try_from(now).unwrap() }.to_string();
    let (day, target) = (&time[..8], format!("DynamoDB_20120810.{operation}"));
    let host = address.to_string();
    let headers = [
        ("content-type", "application/x-amz-json-1.0"),
        ("host", &host),
        ("x-amz-date", &time),
        ("x-amz-target", &target),
    ];
    let canonical: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
    let names = headers.map(|(name, _)| name).join(";");
    let hash = |text: &str| hex(digest::digest(&digest::SHA256, text.as_bytes()).as_ref());
    let canonical = format!("POST\n/\n\n{canonical}\n{names}\n{}", hash(body));
    let scope = format!("{day}/us-east-1/dynamodb/aws4_request");
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hash(&canonical));
    let mut signing = format!("AWS4{}", key.secret).into_bytes();
    for part in [day, "us-east-1", "dynamodb", "aws4_request", &text] {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, &signing);
        signing = hmac::sign(&secret, part.as_bytes()).as_ref().to_vec();
    }
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "POST / HTTP/1.1\r\n{lines}User-Agent: Boto3/1.43 md/Botocore#1.43 ua/2.1 os/linux md/arch#x86_64 lang/python#3.11\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={}\r\n\
         amz-sdk-invocation-id: 5f1d9e1c-3b1b-4a9f-9d53-3f0e6a1c2b4d\r\namz-sdk-request: attempt=1\r\n\
         Content-Length: {}\r\n\r\n{body}",
        key.id,
        hex(&signing),
        body.len()
    )
    .into_bytes()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
