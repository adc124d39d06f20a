//! Tests, recorded: run once to see their calls, then replayed to see what these send and answer.
//!
//! A call is recorded as a client would make it. Anything that a client cannot do is recorded as writes: statements of the test itself,
//! workers, calls without a whole caller, and effects whose outcome the protocol of hosts cannot express.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use serde_json::json;
use sortkey_api::{Backend, Pending, Request, Response};
use sortkey_core::internals::{Calls, Made, hex};
use sortkey_core::{
    DataKey, Deed, Effects, Entered, Failure, FailureKind, Ids, KeyError, Keyring, Outgoing, Performed,
    Performing, Runtime, Settings,
};
use sortkey_deploy::deploy;
use sortkey_embedded::{Embedded, KeyFile, block_on};
use sortkey_engine::Engine;

use super::effects::Stubs;
use super::{START_MS, Suite, statement, undeployed};
use crate::recording::{
    Called, Player, Recorded, Recording, Sent, Setup, Step, VERSION, dump, first_difference,
};

/// The keys of recordings: they protect nothing.
const CURSOR_KEY: [u8; 32] = [8; 32];
const MASTER_KEY: [u8; 32] = [9; 32];

impl Suite {
    /// Records tests, by their places, in the order of their text.
    pub async fn record(&self, tests: &[usize]) -> Result<Recording, String> {
        let setup = Setup {
            recording: VERSION,
            now: START_MS,
            parameters: self.parameters.clone(),
            cursor_key: hex(&CURSOR_KEY),
            master_key: hex(&MASTER_KEY),
            bcrypt_cost: 4,
            tables: self.table_requests().await?,
        };
        let mut recorded = Vec::new();
        for at in tests {
            recorded.push(self.record_one(*at, &setup).await?);
        }
        Ok(Recording { setup, tests: recorded })
    }

    /// The requests that create the tables.
    async fn table_requests(&self) -> Result<Vec<Sent>, String> {
        let engine = Engine::memory(sortkey_engine::Settings { seed: 1, ..Default::default() });
        engine.stop_clock_at(START_MS);
        let recorder = Recorder::new(Embedded::new(engine.clone()), Arc::new(Ids::seeded(1)));
        let naming = self.settings(&engine, "").map_err(|problem| problem.message)?.naming();
        let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
        let deployed = deploy(&self.design, &naming, &recorder, &pause, &mut |_| {}).await;
        deployed
            .map_err(|error| undeployed(error).into_iter().map(|each| each.message).collect::<String>())?;
        let sent = recorder.take().into_iter().filter_map(|noted| match noted {
            Noted::Step(Step::Send(sent)) => Some(sent),
            _ => None,
        });
        Ok(sent.collect())
    }

    async fn record_one(&self, at: usize, setup: &Setup) -> Result<Recorded, String> {
        let test = self.design.tests.get(at).ok_or("there is no such test")?;
        let no_fork = || "the database of the tests cannot be forked".to_owned();
        let engine = self.engine.fork().ok_or_else(no_fork)?;
        let settings = self.settings(&engine, &test.title).map_err(|problem| problem.message)?;
        let recorder = Arc::new(Recorder::new(Embedded::new(engine.clone()), Arc::clone(&settings.ids)));
        let stubs = Arc::new(Stubs::default());
        let settings = Settings {
            cursor_key: CURSOR_KEY,
            keyring: Arc::<Recorder>::clone(&recorder),
            effects: Arc::new(Observed { stubs: Arc::clone(&stubs), recorder: Arc::clone(&recorder) }),
            ..settings
        };
        let backend: Arc<dyn Backend> = Arc::<Recorder>::clone(&recorder);
        let runtime = Runtime::of_program(Arc::clone(&self.program), backend, settings)
            .map_err(|problems| problems.into_iter().map(|each| each.message).collect::<String>())?;
        let expired = || recorder.note(Step::Expire(true));
        let watch = statement::Watch { scheduler: None, calls: Some(&*recorder), expired: &expired };
        let done = statement::run(&runtime, &engine, &stubs, at, watch).await;
        done.map_err(|failure| format!("{:?} fails: {}", test.title, failure.title))?;
        let player = Player::new(&self.program, setup, self.engine.fork().ok_or_else(no_fork)?)?;
        let steps =
            complete(&player, recorder.take()).map_err(|error| format!("{:?}: {error}", test.title))?;
        let items = dump(&engine)?;
        if let Some((table, one, other)) = first_difference(&items, &dump(&player.engine)?) {
            let title = &test.title;
            return Err(format!("{title:?} stores in {table}: {one}\nand its calls by themselves: {other}"));
        }
        Ok(Recorded { title: test.title.clone(), steps, items })
    }
}

/// Carries out what a test did: what its calls send and answer. A call that comes to something else by itself is one that no
/// client can make, for want of a whole caller for example; its writes replace it.
fn complete(player: &Player, noted: Vec<Noted>) -> Result<Vec<Step>, String> {
    let mut steps = Vec::with_capacity(noted.len());
    for each in noted {
        match each {
            Noted::Step(step) => {
                player.apply(&step)?;
                steps.push(step);
            }
            Noted::Call { called, failed, writes } => {
                let called = player.call(&called)?;
                let failure = called.done["failure"]["kind"].as_str();
                if failure == failed.as_deref() {
                    let next = pages(player, &called)?;
                    steps.push(Step::Call(Box::new(called)));
                    steps.extend(next);
                } else if called.sent.iter().any(|Sent(name, _)| changes(name)) {
                    let name = &called.start["name"];
                    return Err(format!("{name} ends with {failed:?}, and by itself with {}", called.done));
                } else {
                    writes.iter().try_for_each(|step| player.apply(step))?;
                    steps.extend(writes);
                }
            }
        }
    }
    Ok(steps)
}

/// Calls for the pages behind the one that a call gave.
fn pages(player: &Player, first: &Called) -> Result<Vec<Step>, String> {
    let (mut steps, mut cursor) = (Vec::new(), first.done["cursor"].clone());
    while !cursor.is_null() {
        let mut start = first.start.clone();
        start["cursor"] = cursor;
        let called = player.call(&Called { start, ..Called::default() })?;
        cursor = called.done["cursor"].clone();
        steps.push(Step::Call(Box::new(called)));
    }
    Ok(steps)
}

/// The actions of a test.
enum Noted {
    Step(Step),
    Call {
        called: Called,
        /// The name of its failure.
        failed: Option<String>,
        /// Its writes.
        writes: Vec<Step>,
    },
}

/// The engine, with a list of what a test does to it.
struct Recorder {
    inner: Embedded,
    ids: Arc<Ids>,
    keys: KeyFile,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    noted: Vec<Noted>,
    now_ms: u64,
    open: Option<Open>,
}

/// A call under way.
struct Open {
    called: Called,
    /// Its writes, for a call that no client can make.
    writes: Vec<Step>,
    /// Whether a client can make it.
    is_of_clients: bool,
    entered: Entered,
}

impl Recorder {
    fn new(inner: Embedded, ids: Arc<Ids>) -> Recorder {
        let state = State { now_ms: START_MS, ..State::default() };
        Recorder { inner, ids, keys: KeyFile::from_key(MASTER_KEY), state: Mutex::new(state) }
    }

    fn take(&self) -> Vec<Noted> {
        std::mem::take(&mut self.state.lock().noted)
    }

    /// Adds a step: to the call under way, or to the test.
    fn note(&self, step: Step) {
        let mut state = self.state.lock();
        match &mut state.open {
            Some(open) => open.writes.push(step),
            None => self.add(&mut state, Noted::Step(step)),
        }
    }

    /// Adds to the test, after a step that sets the clock where that has moved.
    fn add(&self, state: &mut State, noted: Noted) {
        let now_ms = self.inner.engine().now_ms();
        if state.now_ms != now_ms {
            state.now_ms = now_ms;
            state.noted.push(Noted::Step(Step::Now(now_ms)));
        }
        state.noted.push(noted);
    }
}

impl Calls for Recorder {
    fn begun(&self, _: &str) {}

    fn records(&self) -> bool {
        true
    }

    fn made(&self, call: Made) {
        let (recorded, entered) = self.ids.enter();
        let now_ms = self.inner.engine().now_ms();
        let mut start = json!({
            "name": call.name, "arguments": call.arguments, "now": now_ms, "recorded": hex(&recorded),
        });
        if let Some(caller) = call.caller {
            start["caller"] = caller;
        }
        let called = Called { start, ..Called::default() };
        let open = Open { called, writes: Vec::new(), is_of_clients: !call.is_of_tests, entered };
        self.state.lock().open = Some(open);
    }

    fn ended(&self, failed: Option<&str>) {
        let mut state = self.state.lock();
        let Some(Open { called, writes, is_of_clients, entered }) = state.open.take() else { return };
        self.ids.leave(entered);
        match is_of_clients {
            true => self.add(&mut state, Noted::Call { called, failed: failed.map(str::to_owned), writes }),
            false => writes.into_iter().for_each(|step| self.add(&mut state, Noted::Step(step))),
        }
    }
}

impl Backend for Recorder {
    /// Every request is answered before the next one is looked at, so that the branches of a race run one after the other.
    fn send(&self, request: Request) -> Pending<'_, Response> {
        if changes(request.operation().name()) {
            let mut body = Vec::new();
            request.encode(&mut body);
            let body = String::from_utf8_lossy(&body).into_owned();
            self.note(Step::Send(Sent(request.operation().name().to_owned(), body)));
        }
        let answer = block_on(self.inner.send(request));
        Box::pin(async { answer })
    }
}

/// Whether an operation changes items or tables.
fn changes(operation: &str) -> bool {
    const READS: [&str; 7] = ["Get", "BatchGet", "TransactGet", "Query", "Scan", "Describe", "List"];
    !READS.iter().any(|prefix| operation.starts_with(prefix))
}

/// Data keys that are written down with the call that they are made for.
impl Keyring for Recorder {
    fn new_data_key(&self, alias: &str) -> Result<DataKey, KeyError> {
        let key = self.keys.new_data_key(alias)?;
        if let Some(open) = &mut self.state.lock().open {
            let both = (STANDARD.encode(key.plain), STANDARD.encode(&key.wrapped));
            open.called.keys.insert(alias.to_owned(), both);
        }
        Ok(key)
    }

    fn unwrap(&self, alias: &str, wrapped: &[u8]) -> Result<[u8; 32], KeyError> {
        self.keys.unwrap(alias, wrapped)
    }
}

/// A test's prepared results of effects, kept with the call that they belong to.
struct Observed {
    stubs: Arc<Stubs>,
    recorder: Arc<Recorder>,
}

impl Effects for Observed {
    fn perform(&self, effect: Outgoing) -> Performing<'_> {
        let (name, deed) = (effect.name.clone(), effect.deed.clone());
        let outcome = block_on(self.stubs.perform(effect));
        if let Some(open) = &mut self.recorder.state.lock().open {
            match told(&deed, &outcome) {
                Some((status, body)) => open.called.effects.push((name, status, body)),
                None => open.is_of_clients = false,
            }
        }
        Box::pin(async { outcome })
    }
}

/// The outcome of an effect as a host answers it; none if the protocol has no such answer. A test prepares the result of a
/// request or a mail, where a host has what was answered to it.
fn told(deed: &Deed, outcome: &Result<Performed, Failure>) -> Option<(u16, String)> {
    match (deed, outcome) {
        (Deed::Http { .. } | Deed::Mail { .. }, _) => None,
        (_, Ok(Performed::Result(json) | Performed::Claims(json))) => Some((200, json.to_string())),
        (Deed::Jwt { .. }, Err(failure)) if failure.kind == FailureKind::Unauthenticated => {
            Some((401, failure.message.clone()))
        }
        _ => None,
    }
}
