//! Calls as state machines: what goes out, what comes in, and that nothing goes out twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use sortkey_api::Request;
use sortkey_core::{Answer, Ask, Call, Failure, Ids, Keyring, Machine, Runtime, Settings, Step, Task, Told};
use sortkey_core::{hash_password, internals::hex};
use sortkey_deploy::{Naming, deploy};
use sortkey_design::{NoFiles, compile};
use sortkey_embedded::{Embedded, KeyFile, ephemeral};
use sortkey_engine::Engine;

const NOW_MS: i64 = 1_767_225_600_000;

const DESIGN: &str = r#"
table People "people" { key (personId) }
entity Person in People {
  personId ulid = new
  name     string(1..40)
  code?    string(1..40) @secret @encrypted
  word?    string(1..80) @secret
  unique name
}
system operation join(name, code, password: string(1..80)) {
  create Person { name, code: code, word: bcrypt(password) }
}
system operation both(first: string(1..40), second: string(1..40)) {
  transact {
    create Person { name: first }
    create Person { name: second }
  }
}
system pattern named = get Person by name
system pattern all = scan Person
"#;

/// A design on an engine in memory.
struct Host {
    runtime: Runtime,
    keyring: KeyFile,
    /// The requests, in words.
    asked: Vec<String>,
}

impl Host {
    fn new(seed: u64) -> Host {
        let compiled = compile("people.sk", DESIGN, &NoFiles);
        assert_eq!(compiled.diagnostics.iter().map(|it| &it.title).collect::<Vec<_>>(), [""; 0]);
        let backend = Embedded::new(Engine::memory(sortkey_engine::Settings::default()));
        let pause = |_| -> sortkey_api::Pending<'_, ()> { Box::pin(async { Ok(()) }) };
        let naming = Naming { prefix: None, parameters: BTreeMap::new() };
        pollster::block_on(deploy(&compiled.design, &naming, &backend, &pause, &mut |_| {}))
            .expect("deployed");
        let settings = Settings {
            ids: Arc::new(Ids::seeded(seed)),
            bcrypt_cost: 4,
            ..ephemeral().expect("a system with randomness")
        };
        let runtime = Runtime::new(compiled.design, Arc::new(backend), settings).expect("it runs");
        Host { runtime, keyring: KeyFile::from_key([7; 32]), asked: Vec::new() }
    }

    fn start(&self, name: &str, arguments: Json) -> Task {
        self.runtime.core().start(call(name, arguments), NOW_MS, false)
    }

    fn told(&mut self, ask: Ask) -> Told {
        let (what, told) = match ask {
            Ask::Send(request) => {
                let what = request.operation().name().to_owned();
                (what, Told::Response(pollster::block_on(self.runtime.backend().send(request))))
            }
            Ask::Pause(_) => ("Pause".to_owned(), Told::Paused),
            Ask::NewDataKey { alias } => {
                (format!("NewDataKey {alias}"), Told::DataKey(self.keyring.new_data_key(&alias)))
            }
            Ask::OpenDataKey { alias, wrapped } => {
                (format!("OpenDataKey {alias}"), Told::PlainKey(self.keyring.unwrap(&alias, &wrapped)))
            }
            Ask::Hash { password, cost, salt } => {
                ("Hash".to_owned(), Told::Hash(Some(hash_password(&password, cost, salt))))
            }
            Ask::Perform(effect) => {
                (effect.name, Told::Performed(Ok(sortkey_core::Performed::Result(Json::Null))))
            }
            Ask::Compute(it) => ("Compute".to_owned(), Told::Computed(sortkey_core::compute(&it))),
        };
        self.asked.push(what);
        told
    }

    fn finish(&mut self, mut task: Task) -> Result<Answer, Failure> {
        loop {
            if let Step::Ready((answer, _)) = task.step() {
                return answer;
            }
            for (id, ask) in task.take_asks() {
                let told = self.told(ask);
                task.answer(id, told);
            }
        }
    }
}

fn call(name: &str, arguments: Json) -> Call<'_> {
    let arguments: Map<String, Json> = arguments.as_object().cloned().unwrap_or_default();
    Call { name, arguments: arguments.try_into().expect("numbers that can be kept"), ..Call::default() }
}

/// A run that needs a key or a hash begins again; what it asked before is not asked again.
#[test]
fn keys_and_hashes_are_asked_for_once_and_requests_sent_once() {
    let mut host = Host::new(1);
    let join = host.start("join", json!({ "name": "Ada", "code": "1815", "password": "secret" }));
    host.finish(join).expect("joined");
    let (needs, sent): (Vec<_>, Vec<_>) =
        host.asked.drain(..).partition(|what| what.starts_with("NewDataKey") || what == "Hash");
    assert_eq!(needs.len(), 2, "{needs:?}");
    assert_eq!(sent, ["TransactWriteItems"]);
    // A second call has the data key at hand.
    let join = host.start("join", json!({ "name": "Grace", "code": "1906", "password": "secret" }));
    host.finish(join).expect("joined");
    assert_eq!(host.asked, ["Hash", "TransactWriteItems"]);
}

#[test]
fn ulids_of_tasks_ascend_in_the_order_of_their_calls() {
    let mut host = Host::new(1);
    let mut last = String::new();
    for at in 0..20 {
        let both = host.start("both", json!({ "first": format!("a{at}"), "second": format!("b{at}") }));
        host.finish(both).expect("made");
        for name in [format!("a{at}"), format!("b{at}")] {
            let named = host.start("named", json!({ "name": name }));
            let Ok(Answer::Value(person)) = host.finish(named) else { panic!("{name}") };
            let id = person["personId"].as_str().expect("text").to_owned();
            assert!(id > last, "{id} after {last}");
            last = id;
        }
    }
}

/// The requests of some calls, as they are sent.
fn requests(seed: u64) -> Vec<String> {
    let mut host = Host::new(seed);
    let mut sent = Vec::new();
    for at in 0..3 {
        let mut task = host.start("both", json!({ "first": format!("a{at}"), "second": format!("b{at}") }));
        while let Step::Waiting = task.step() {
            for (id, ask) in task.take_asks() {
                if let Ask::Send(request) = &ask {
                    let mut json = Vec::new();
                    Request::encode(request, &mut json);
                    sent.push(hex(&json));
                }
                let told = host.told(ask);
                task.answer(id, told);
            }
        }
    }
    sent
}

#[test]
fn a_seed_and_a_moment_decide_every_byte() {
    assert_eq!(requests(7), requests(7));
    assert_ne!(requests(7), requests(8));
}

/// A late or foreign answer is nobody's, and a task that was given up is gone.
#[test]
fn a_machine_keeps_calls_apart() {
    let mut host = Host::new(1);
    let mut machine = Machine::default();
    let program = machine.add(host.runtime.core().clone());
    assert!(machine.program(program + 1).is_none());
    let core = machine.program(program).expect("added").clone();
    let started = |name: &str| core.start(call(name, json!({})), NOW_MS, false);
    let first = machine.start(started("all"));
    let second = machine.start(started("nothing"));
    let (step, asks) = machine.step(first).expect("there");
    assert!(matches!(step, Step::Waiting));
    let (step, _) = machine.step(second).expect("there");
    assert!(matches!(step, Step::Ready((Err(failure), _)) if failure.message.contains("nothing")));
    assert!(!machine.answer(second, asks[0].0, Told::Paused));
    let (id, ask) = asks.into_iter().next().expect("a request");
    let told = host.told(ask);
    assert!(machine.answer(first, id, told));
    let Some((Step::Ready((answer, consumed)), _)) = machine.step(first) else { panic!("still waiting") };
    assert_eq!((answer, consumed.requests), (Ok(Answer::Page { items: Vec::new(), cursor: None }), 1));
    let third = machine.start(started("all"));
    assert!(machine.cancel(third) && !machine.cancel(third) && machine.step(third).is_none());
}

/// An answer of another kind is a failure, not a panic.
#[test]
fn a_wrong_answer_is_refused() {
    let host = Host::new(1);
    let mut task = host.start("all", json!({}));
    assert!(matches!(task.step(), Step::Waiting));
    for (id, _) in task.take_asks() {
        task.answer(id, Told::Paused);
    }
    let Step::Ready((answer, _)) = task.step() else { panic!("still waiting") };
    assert!(answer.is_err());
}
