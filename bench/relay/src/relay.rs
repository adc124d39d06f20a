//! The relay: the built binary in a process of its own, on disk, with accounts made through its API.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value as Json, json};

use crate::http::Wire;

/// The secret with which sources sign.
pub(crate) const SECRET: &str = "a secret of the source";

/// The paths of the binary, its data and the design.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) binary: PathBuf,
    pub(crate) design: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) port: u16,
    /// Further arguments of `sortkey up`.
    pub(crate) arguments: Vec<String>,
}

/// The server as a process.
pub(crate) struct Relay {
    process: Child,
    place: Place,
}

impl Relay {
    pub(crate) fn start(place: &Place) -> Relay {
        let mut process = Command::new(&place.binary)
            .args(["up", "--port", &place.port.to_string(), "--allow-private", "127.0.0.0/8", "--data"])
            .arg(&place.data)
            .arg(&place.design)
            .args(&place.arguments)
            .env("SORTKEY_LOG", "error")
            // Secrets are sealed with a keyring, which belongs to the data here.
            .env("XDG_CONFIG_HOME", place.data.with_extension("config"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut is_up = false;
        for line in lines.map_while(Result::ok) {
            if line.ends_with("Ctrl-C stops it.") {
                is_up = true;
                break;
            }
        }
        assert!(is_up, "the relay does not start: {:?}", process.wait());
        Relay { process, place: place.clone() }
    }

    /// Ends it as a power failure would, and starts it again.
    pub(crate) fn kill_and_restart(&mut self) {
        self.end();
        *self = Relay::start(&self.place.clone());
    }

    fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// The processor time that it has used, in seconds.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        (ticks(11) + ticks(12)) / 100.0
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.end();
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

/// A client of the API on behalf of one account.
pub(crate) struct Account {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) user_id: String,
}

impl Account {
    /// Signs up, with the largest plan.
    pub(crate) fn new(port: u16, name: &str) -> Account {
        let who =
            json!({ "email": format!("{name}@example.com"), "name": name, "password": "correct horse" });
        let login = call(port, "", "POST", "/auth/sign-up", &who);
        let account = Account { port, token: text(&login, "token"), user_id: text(&login, "userId") };
        // The operator changes the plan, as Stripe's webhook would.
        call(port, "", "POST", "/api/changePlan", &json!({ "userId": account.user_id, "plan": "team" }));
        account
    }

    pub(crate) fn post(&self, path: &str, body: &Json) -> Json {
        call(self.port, &self.token, "POST", path, body)
    }

    pub(crate) fn get(&self, path: &str) -> Json {
        call(self.port, &self.token, "GET", path, &Json::Null)
    }

    /// A source that signs as GitHub does.
    pub(crate) fn source(&self, name: &str) -> String {
        let input = json!({ "name": name, "provider": "github", "signingSecret": SECRET });
        text(&self.post("/api/sources/create", &input), "sourceId")
    }

    pub(crate) fn connection(&self, source: &str, url: &str, delays: Option<&[u32]>) -> String {
        let mut input = json!({
            "sourceId": source, "name": "to", "destinationUrl": url,
            "signingSecret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz",
        });
        if let Some(delays) = delays {
            input["retryConfig"] = json!({ "delays": delays });
        }
        text(&self.post("/api/connections/create", &json!({ "input": input })), "connectionId")
    }
}

/// A call that must succeed.
pub(crate) fn call(port: u16, token: &str, method: &str, path: &str, body: &Json) -> Json {
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let (status, answer) = attempt(port, token, method, path, &bytes).expect("an answer");
    assert!((200..300).contains(&status), "{method} {path}: {status} {}", String::from_utf8_lossy(&answer));
    serde_json::from_slice(&answer).unwrap_or(Json::Null)
}

/// A call on a connection of its own; none if nobody answers.
pub(crate) fn attempt(
    port: u16,
    token: &str,
    method: &str,
    path: &str,
    body: &[u8],
) -> Option<(u16, Vec<u8>)> {
    let token = match token {
        "" => String::new(),
        token => format!("authorization: Bearer {token}\r\n"),
    };
    let headers = format!("content-type: application/json\r\n{token}");
    Wire::connect(port)?.ask(method, path, &headers, body)
}

pub(crate) fn text(json: &Json, name: &str) -> String {
    json[name].as_str().unwrap_or_else(|| panic!("no {name}: {json}")).to_owned()
}

/// The id of the event, without reading the rest of the answer.
pub(crate) fn event_id(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    let from = text.find("\"evt_").map_or(0, |at| at + 1);
    text[from..].chars().take_while(|each| *each != '"').collect()
}

/// The headers of a signed webhook with an id of its own.
pub(crate) fn signed(body: &[u8], id: &str) -> String {
    let mut mac = Hmac::<sha2_for_hmac::Sha256>::new_from_slice(SECRET.as_bytes()).expect("any key");
    mac.update(body);
    let code = mac.finalize().into_bytes();
    let hex: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "content-type: application/json\r\nx-github-delivery: {id}\r\nx-github-event: push\r\nx-hub-signature-256: sha256={hex}\r\n"
    )
}

/// The path of the relay's design.
pub(crate) fn design() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/ferryhook/ferryhook.sk")
}
