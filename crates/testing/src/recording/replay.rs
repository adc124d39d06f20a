//! A recording, replayed in this process: calls as state machines over the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use sortkey_api::OperationId;
use sortkey_core::{Ask, Core, Keyring as _, Settings, hash_password};
use sortkey_design::Program;
use sortkey_embedded::{KeyFile, block_on};
use sortkey_engine::Engine;
use sortkey_wasm::StartedCall;

use super::{Called, Items, Recorded, Recording, Sent, Setup, Step};

/// The first place where a replay differs from its recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The sentence of the test.
    pub test: String,
    /// The differing part.
    pub what: String,
    /// The recorded value.
    pub recorded: String,
    /// The value of the replay.
    pub found: String,
}

/// Replays a recording on the engine in this process, and returns the first difference of every test that has one.
pub fn replay(program: &Arc<Program>, recording: &Recording) -> Result<Vec<Difference>, String> {
    let mut differences = Vec::new();
    let tables = created(&recording.setup)?;
    for test in &recording.tests {
        let engine = tables.fork().ok_or("the database cannot be forked")?;
        let player = Player::new(program, &recording.setup, engine)?;
        differences.extend(player.test(test)?);
    }
    Ok(differences)
}

/// A database with the tables of a recording.
fn created(setup: &Setup) -> Result<Engine, String> {
    let settings =
        sortkey_engine::Settings { seed: 1, expiry_interval: None, ..sortkey_engine::Settings::default() };
    let engine = Engine::memory(settings);
    engine.stop_clock_at(setup.now);
    for sent in &setup.tables {
        let (status, body) = answered(&engine, sent)?;
        if status != 200 {
            return Err(format!("{}: {}", sent.0, String::from_utf8_lossy(&body)));
        }
    }
    Ok(engine)
}

/// A program with the keys of a recording, which makes calls again.
pub struct Replayer {
    core: Core,
    keyring: KeyFile,
}

/// The answer of a database to a request: a status, and a body as AWS would send it.
pub type Answered = Result<(u16, Vec<u8>), String>;

/// A program on a database of its own, with the keys of a recording.
pub(crate) struct Player {
    replayer: Replayer,
    pub(crate) engine: Engine,
}

impl Replayer {
    /// A program with the keys of a recording.
    pub fn new(program: &Arc<Program>, setup: &Setup) -> Result<Replayer, String> {
        let key = |name: &str, text: &str| -> Result<[u8; 32], String> {
            sortkey_wasm::hex(text).ok_or_else(|| format!("`{name}`: expected 64 hexadecimal digits"))
        };
        let settings = Settings {
            parameters: setup.parameters.clone(),
            bcrypt_cost: setup.bcrypt_cost,
            // Every call brings the ids that it was recorded with.
            ..Settings::asking([0; 32], key("cursorKey", &setup.cursor_key)?)
        };
        let core = Core::new(Arc::clone(program), settings).map_err(|problems| {
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; ")
        })?;
        Ok(Replayer { core, keyring: KeyFile::from_key(key("masterKey", &setup.master_key)?) })
    }
}

impl Player {
    pub(crate) fn new(program: &Arc<Program>, setup: &Setup, engine: Engine) -> Result<Player, String> {
        Ok(Player { replayer: Replayer::new(program, setup)?, engine })
    }

    /// Replays a test to its end, or to the first difference.
    fn test(&self, test: &Recorded) -> Result<Option<Difference>, String> {
        let differs = |what: String, recorded: String, found: String| {
            Ok(Some(Difference { test: test.title.clone(), what, recorded, found }))
        };
        for step in &test.steps {
            match step {
                Step::Call(recorded) => {
                    let found = self.call(recorded)?;
                    let name = &recorded.start["name"];
                    for at in 0..recorded.sent.len().max(found.sent.len()) {
                        let (recorded, found) = (recorded.sent.get(at), found.sent.get(at));
                        if recorded != found {
                            let what = format!("request {} of {name}", at + 1);
                            return differs(what, text(recorded), text(found));
                        }
                    }
                    if recorded.done != found.done {
                        let what = format!("the answer of {name}");
                        return differs(what, recorded.done.to_string(), found.done.to_string());
                    }
                }
                other => self.apply(other)?,
            }
        }
        match first_difference(&test.items, &dump(&self.engine)?) {
            None => Ok(None),
            Some((table, recorded, found)) => differs(format!("the items of {table}"), recorded, found),
        }
    }

    /// Carries out a step that is not a call.
    pub(crate) fn apply(&self, step: &Step) -> Result<(), String> {
        match step {
            Step::Now(now_ms) => self.engine.stop_clock_at(*now_ms),
            Step::Expire(_) => drop(self.engine.expire_now().map_err(|error| error.message)?),
            // A write that was refused when it was recorded is refused again.
            Step::Send(sent) => drop(answered(&self.engine, sent)?),
            Step::Call(_) => {}
        }
        Ok(())
    }

    /// Carries out a call: what it sends now, and what it comes to.
    pub(crate) fn call(&self, recorded: &Called) -> Result<Called, String> {
        self.replayer.call(recorded, &|sent| answered(&self.engine, sent))
    }
}

impl Replayer {
    /// Carries out a call on a database: what it sends now, and what it comes to.
    pub fn call(&self, recorded: &Called, send: &dyn Fn(&Sent) -> Answered) -> Result<Called, String> {
        let mut found = Called { sent: Vec::new(), done: Json::Null, ..recorded.clone() };
        let mut effects = recorded.effects.iter();
        let mut task = match StartedCall::start(&self.core, recorded.start.to_string().as_bytes()) {
            Ok(task) => task,
            Err(failure) => {
                found.done = json!({ "failure": sortkey_wasm::failed(&failure) });
                return Ok(found);
            }
        };
        loop {
            let (asks, done) = task.step();
            if let Some(done) = done {
                found.done = serde_json::from_slice(&done).map_err(|error| error.to_string())?;
                return Ok(found);
            }
            for (id, ask) in asks {
                let (status, body) = match &ask {
                    Ask::Send(request) => {
                        let mut body = Vec::new();
                        request.encode(&mut body);
                        let body = String::from_utf8_lossy(&body).into_owned();
                        let sent = Sent(request.operation().name().to_owned(), body);
                        let answer = send(&sent)?;
                        found.sent.push(sent);
                        answer
                    }
                    Ask::Perform(effect) => match effects.next() {
                        Some((name, status, body)) if *name == effect.name => (*status, body.clone().into()),
                        _ => (501, b"no such effect was recorded".to_vec()),
                    },
                    other => self.other(other, recorded),
                };
                task.answer(id.0, status, &body);
            }
        }
    }

    /// The answer to anything but a request or an effect.
    fn other(&self, ask: &Ask, recorded: &Called) -> (u16, Vec<u8>) {
        match ask {
            Ask::NewDataKey { alias } => {
                let bytes = |text: &String| STANDARD.decode(text).ok();
                let key = recorded.keys.get(alias);
                let key = key.and_then(|(plain, wrapped)| Some([bytes(plain)?, bytes(wrapped)?].concat()));
                key.map_or((501, b"no such key was recorded".to_vec()), |key| (200, key))
            }
            Ask::OpenDataKey { alias, wrapped } => match self.keyring.unwrap(alias, wrapped) {
                Ok(plain) => (200, plain.to_vec()),
                Err(error) => (403, error.to_string().into_bytes()),
            },
            Ask::Hash { password, cost, salt } => (200, hash_password(password, *cost, *salt).into_bytes()),
            _ => (200, Vec::new()),
        }
    }
}

fn text(sent: Option<&Sent>) -> String {
    sent.map_or("nothing".to_owned(), |Sent(operation, body)| format!("{operation} {body}"))
}

fn answered(engine: &Engine, Sent(operation, body): &Sent) -> Answered {
    let operation =
        OperationId::from_name(operation).ok_or_else(|| format!("{operation} is not an operation"))?;
    Ok(match block_on(engine.call(operation, body.as_bytes())).result {
        Ok(output) => (200, output),
        Err(error) => {
            let mut json = Vec::new();
            error.write_json(&mut json);
            (error.status(), json)
        }
    })
}

/// The first item that one database has and another has not, by its table: as it is in the one, and in the other.
pub(crate) fn first_difference(one: &Items, other: &Items) -> Option<(String, String, String)> {
    let none = Vec::new();
    let of = |items: &Items, table: &str| items.get(table).unwrap_or(&none).clone();
    one.keys().chain(other.keys()).find_map(|table| {
        let (one, other) = (of(one, table), of(other, table));
        let at = (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at))?;
        let item = |items: &[String]| items.get(at).cloned().unwrap_or_else(|| "nothing".to_owned());
        Some((table.clone(), item(&one), item(&other)))
    })
}

/// Every item of every table, as sorted texts.
pub(crate) fn dump(engine: &Engine) -> Result<Items, String> {
    let ask = |operation: &str, body: Json| -> Result<Json, String> {
        let (_, answer) = answered(engine, &Sent(operation.to_owned(), body.to_string()))?;
        serde_json::from_slice(&answer).map_err(|error| error.to_string())
    };
    let mut tables = BTreeMap::new();
    for name in ask("ListTables", json!({}))?["TableNames"].as_array().into_iter().flatten() {
        let (mut items, mut from) = (Vec::new(), Json::Null);
        loop {
            let mut body = json!({ "TableName": name, "ConsistentRead": true });
            if !from.is_null() {
                body["ExclusiveStartKey"] = from;
            }
            let mut page = ask("Scan", body)?;
            items.extend(page["Items"].as_array().into_iter().flatten().map(Json::to_string));
            from = page["LastEvaluatedKey"].take();
            if from.is_null() {
                break;
            }
        }
        items.sort_unstable();
        tables.insert(name.as_str().unwrap_or_default().to_owned(), items);
    }
    Ok(tables)
}
