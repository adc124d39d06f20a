//! Calls of Ferryhook through the byte protocol, on the engine in process: every message is compared with a transcript, which
//! `clients/wasm` replays on the WebAssembly build. One seed and one clock make the same bytes on both.
//!
//! `SORTKEY_UPDATE=1` writes the transcript anew.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_api::OperationId;
use sortkey_core::hash_password;
use sortkey_deploy::{Naming, deploy};
use sortkey_design::{FileLoader, compile, wire};
use sortkey_embedded::Embedded;
use sortkey_engine::Engine;
use sortkey_wasm::Host;

const NOW_MS: u64 = 1_767_225_600_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A host with Ferryhook open, and the tables of Ferryhook.
struct Ferryhook {
    host: Host,
    engine: Engine,
    /// The messages sent to the host and back, in order.
    messages: Vec<Json>,
    now_ms: u64,
}

impl Ferryhook {
    fn open() -> Ferryhook {
        let file = root().join("systems/ferryhook/ferryhook.sk");
        let text = std::fs::read_to_string(&file).expect("the design is there");
        let compiled = compile(&file.to_string_lossy(), &text, &FileLoader);
        let engine =
            Engine::memory(sortkey_engine::Settings { seed: 1, ..sortkey_engine::Settings::default() });
        engine.stop_clock_at(NOW_MS);
        let backend = Embedded::new(engine.clone());
        let pause = |_: Duration| -> sortkey_api::Pending<'_, ()> { Box::pin(async { Ok(()) }) };
        let (naming, mut watch) = (Naming::default(), |_: sortkey_deploy::Progress<'_>| {});
        let deployed = deploy(&compiled.design, &naming, &backend, &pause, &mut watch);
        pollster::block_on(deployed).expect("deployed");
        // The program is not in the transcript: `sortkey check --emit` writes it for the other build.
        let mut opening = json!({ "seed": "07".repeat(32), "cursorKey": "08".repeat(32), "bcryptCost": 4 });
        let messages = vec![json!({ "open": opening })];
        opening["program"] = json!(wire::write(&compiled.program));
        let mut host = Host::default();
        assert_eq!(host.open(opening.to_string().as_bytes()), Ok(0));
        Ferryhook { host, engine, messages, now_ms: NOW_MS }
    }

    /// Runs a call to its end, and returns what it came to.
    fn call(&mut self, name: &str, caller: Json, arguments: Json) -> Json {
        self.now_ms += 1_000;
        self.engine.stop_clock_at(self.now_ms);
        let start = json!({ "name": name, "caller": caller, "arguments": arguments, "now": self.now_ms });
        let start = start.to_string();
        let task = self.host.start(start.as_bytes()).expect("started");
        self.messages.push(json!({ "start": start, "task": task }));
        loop {
            let mut out = Vec::new();
            let is_over = self.host.step(task, &mut out).expect("there");
            let out = String::from_utf8(out).expect("text");
            self.messages.push(json!({ "step": out }));
            let message: Json = serde_json::from_str(&out).expect("JSON");
            if is_over {
                return message["done"].clone();
            }
            for ask in message["asks"].as_array().into_iter().flatten() {
                self.answer(task, ask, &out);
            }
        }
    }

    fn answer(&mut self, task: u32, ask: &Json, message: &str) {
        let id = u32::try_from(ask["id"].as_u64().expect("a number")).expect("small");
        let (status, body) = match ask["send"].as_str() {
            Some(name) => self.sent(name, message, id),
            None => (200, host_answers(ask)),
        };
        let hex: String = body.iter().map(|byte| format!("{byte:02x}")).collect();
        self.messages.push(json!({ "answer": id, "status": status, "body": hex }));
        assert!(self.host.answer(task, id, status, &body));
        assert!(!self.host.answer(task, id, status, &body), "an answer is taken once");
    }

    /// Sends the very bytes of a request.
    fn sent(&self, name: &str, message: &str, id: u32) -> (u16, Vec<u8>) {
        let begin = format!("{{\"id\":{id},\"send\":\"{name}\",\"body\":");
        let from = message.find(&begin).expect("asked") + begin.len();
        let mut bodies = serde_json::Deserializer::from_str(&message[from..]).into_iter::<Json>();
        bodies.next().expect("a body").expect("JSON");
        let body = &message.as_bytes()[from..from + bodies.byte_offset()];
        let operation = OperationId::from_name(name).expect("an operation");
        match pollster::block_on(self.engine.call(operation, body)).result {
            Ok(output) => (200, output),
            Err(error) => {
                let mut json = Vec::new();
                error.write_json(&mut json);
                (error.status(), json)
            }
        }
    }
}

/// This host's answer to anything but a request.
fn host_answers(ask: &Json) -> Vec<u8> {
    let bytes = |text: &Json| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.decode(text.as_str().expect("text")).expect("base64")
    };
    if ask.get("newDataKey").is_some() {
        return [[9; 32], [9; 32]].concat();
    }
    if let Some(open) = ask.get("openDataKey") {
        return bytes(&open["wrapped"]);
    }
    if let Some(hash) = ask.get("hash") {
        let salt = bytes(&hash["salt"]).try_into().expect("16 bytes");
        let cost = u32::try_from(hash["cost"].as_u64().expect("a number")).expect("small");
        return hash_password(&bytes(&hash["password"]), cost, salt).into_bytes();
    }
    Vec::new()
}

fn transcript() -> Vec<Json> {
    let mut app = Ferryhook::open();
    let none = Json::Null;
    let ada = app.call(
        "createUser",
        none.clone(),
        json!({ "email": " Ada@X.com ", "name": "Ada", "password": "correct horse" }),
    );
    let user = ada["value"]["userId"].clone();
    assert!(user.is_string(), "{ada}");
    let taken =
        app.call("createUser", none.clone(), json!({ "email": "ada@x.com", "name": "B", "githubId": "2" }));
    assert_eq!(taken["failure"]["kind"], "EmailTaken", "{taken}");
    assert_eq!(
        app.call("userByEmail", none.clone(), json!({ "email": "ada@x.com" }))["value"]["userId"],
        user
    );
    let caller = json!({ "userId": user, "permission": "admin" });
    let source = app.call(
        "createSource",
        caller.clone(),
        json!({ "userId": user, "name": "Payments", "provider": "stripe", "signingSecret": "whsec_1", "signingAlgorithm": "hmac-sha256" }),
    );
    assert!(source["value"]["sourceId"].is_string(), "{source}");
    // Without a secret, events need no signature.
    let open = json!({ "userId": user, "name": "Orders", "provider": "custom" });
    let source = app.call("createSource", caller.clone(), open);
    let source = source["value"]["sourceId"].clone();
    assert!(source.is_string());
    let connection = json!({
        "sourceId": source, "name": "Out", "destinationUrl": "https://example.com/in", "signingSecret": "k",
    });
    let connection = app.call("createConnection", caller.clone(), json!({ "input": connection }));
    assert!(connection["value"]["connectionId"].is_string(), "{connection}");
    for at in 0..3 {
        let event = json!({
            "sourceId": source, "headers": { "content-type": "application/json" }, "body": "e30=",
            "sourceIp": "203.0.113.7", "method": "POST", "requestId": format!("r{at}"),
        });
        let event = app.call("ingest", none.clone(), event);
        assert!(event.get("failure").is_none(), "{event}");
    }
    let listed = app.call("listSources", caller.clone(), json!({ "userId": user }));
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2), "{listed}");
    let events = app.call("listEvents", caller.clone(), json!({ "sourceId": source }));
    assert_eq!(events["items"].as_array().map(Vec::len), Some(3), "{events}");
    let gone = app.call("deleteSource", caller.clone(), json!({ "userId": user, "sourceId": source }));
    assert!(gone.get("failure").is_none(), "{gone}");
    assert_eq!(app.call("listSources", caller, json!({ "userId": user }))["failure"], Json::Null);
    app.messages
}

#[test]
fn one_seed_and_one_clock_make_the_same_bytes() {
    let path = root().join("clients/wasm/transcript.jsonl");
    let found: String = transcript().iter().map(|message| format!("{message}\n")).collect();
    if std::env::var_os("SORTKEY_UPDATE").is_some() {
        std::fs::write(&path, &found).expect("written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    for (at, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "message {at}");
    }
    assert!(
        found == expected,
        "SORTKEY_UPDATE=1 cargo test -p sortkey-wasm --test transcript writes it anew"
    );
}

/// Nothing that a host sends ends the module.
#[test]
fn nonsense_is_refused() {
    let mut host = Host::default();
    for message in ["", "[]", "{}", "{\"program\":{}}", "nonsense"] {
        assert!(host.open(message.as_bytes()).is_err(), "{message}");
        assert!(host.start(message.as_bytes()).is_err(), "{message}");
    }
    let start = json!({ "program": 3, "name": "x", "now": 1 }).to_string();
    let failure = host.start(start.as_bytes()).expect_err("no program");
    assert_eq!(failure.message, "`program`: no program 3 is open");
    assert!(host.step(0, &mut Vec::new()).is_none());
    assert!(!host.answer(0, 0, 200, b"{}") && !host.cancel(0));
}
