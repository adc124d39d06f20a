//! A database in memory, designs brought to it, and raw requests past them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use sortkey_api::operations::{DeleteItemInput, GetItemInput, PutItemInput};
use sortkey_api::{ApiError, ErrorKind, Request, Response};
use sortkey_core::{Answer, Backend, Call, Failure, Pending, Requests as _, Runtime, Settings};
use sortkey_deploy::{DeployError, Options, prepare};
use sortkey_design::{Loader, compile};
use sortkey_diagnostics::{Style, render};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_value::{AttributeValue, Item, Map as Attributes, Number};

/// Settings that every design needs, so that those of tests are short.
pub(crate) const DEFAULTS: &str =
    "defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }\n";

/// A database that outlives the designs that are brought to it.
pub(crate) struct Database {
    pub(crate) engine: Engine,
}

/// A design at work on a database.
pub(crate) struct App {
    pub(crate) runtime: Runtime,
    pub(crate) caller: Option<Json>,
}

impl Database {
    pub(crate) fn new() -> Database {
        let engine = Engine::memory(sortkey_engine::Settings::default());
        engine.stop_clock_at(1_767_225_600_000);
        Database { engine }
    }

    /// Brings a design to the database, as `up` does.
    pub(crate) fn up(&self, text: &str) -> App {
        match self.try_up(text) {
            Ok(app) => app,
            Err(refusals) => panic!("refused: {refusals:#?}"),
        }
    }

    /// Brings a design to the database, or returns one text for each difference that prevents it.
    pub(crate) fn try_up(&self, text: &str) -> Result<App, Vec<String>> {
        self.try_up_with(text, &[])
    }

    /// Like `try_up`, with `--adopt`.
    pub(crate) fn try_adopt(&self, text: &str) -> Result<App, Vec<String>> {
        self.deploy(text, &[], Options { adopt: true, ..Options::default() })
    }

    /// Like `try_up`, for a design that names other files.
    pub(crate) fn try_up_with(&self, text: &str, files: &[(&str, String)]) -> Result<App, Vec<String>> {
        self.deploy(text, files, Options::default())
    }

    fn deploy(&self, text: &str, files: &[(&str, String)], options: Options) -> Result<App, Vec<String>> {
        let compilation = compile("design.sk", text, &Files(files));
        let errors: Vec<String> = compilation
            .diagnostics
            .iter()
            .map(|each| render(each, &compilation.sources, Style::Plain))
            .collect();
        assert!(!compilation.has_errors(), "{}", errors.join("\n"));
        let settings = Settings {
            clock: Arc::new(Embedded::new(self.engine.clone())),
            bcrypt_cost: 4,
            ..ephemeral().expect("a system with randomness")
        };
        let backend = Arc::new(Embedded::new(self.engine.clone()));
        let runtime = Runtime::new(compilation.design, backend, settings).expect("the design runs");
        let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
        let deployed = pollster::block_on(prepare(&runtime, options, &pause, &mut |_| {}));
        match deployed {
            Ok(_) => Ok(App { runtime, caller: None }),
            Err(DeployError::Refused(refusals)) => {
                Err(refusals.iter().map(|each| format!("{}. {}", each.title, each.notes.join(" "))).collect())
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    /// Writes an item as another program would. Text is `S`, numbers are `N`, lists are `L`, objects are `M`.
    pub(crate) fn put(&self, table: &str, item: Json) {
        let input =
            PutItemInput { table_name: table.into(), item: stored(item).into(), ..PutItemInput::default() };
        pollster::block_on(self.backend().put_item(input)).expect("written");
    }

    /// Takes attributes out of an item, as if it had been written before they were declared.
    pub(crate) fn strip(&self, table: &str, key: Json, names: &[&str]) {
        let mut item = self.get(table, key).expect("it is there");
        for name in names {
            item.as_object_mut().expect("an item").remove(*name).expect("it has the attribute");
        }
        self.put(table, item);
    }

    /// An item as it is stored.
    pub(crate) fn get(&self, table: &str, key: Json) -> Option<Json> {
        let input =
            GetItemInput { table_name: table.into(), key: stored(key).into(), ..GetItemInput::default() };
        pollster::block_on(self.backend().get_item(input)).expect("read").item.map(|item| shown(&item))
    }

    /// Deletes an item as another program would.
    pub(crate) fn delete(&self, table: &str, key: Json) {
        let input = DeleteItemInput {
            table_name: table.into(),
            key: stored(key).into(),
            ..DeleteItemInput::default()
        };
        pollster::block_on(self.backend().delete_item(input)).expect("deleted");
    }

    /// Moves an attribute of one item to another, or changes its bytes on the way, as another program could.
    pub(crate) fn tamper(
        &self,
        table: &str,
        (from, name): (Json, &str),
        (to, into): (Json, &str),
        change: fn(&mut AttributeValue),
    ) {
        let raw = |key: Json| {
            let input =
                GetItemInput { table_name: table.into(), key: stored(key).into(), ..GetItemInput::default() };
            let output = pollster::block_on(self.backend().get_item(input)).expect("read");
            output.item.expect("it is there").to_map()
        };
        let mut value = raw(from).remove(name).expect("it has the attribute");
        change(&mut value);
        let mut item = raw(to);
        item.insert(into.to_owned(), value);
        let item = Item::from(item).into();
        let input = PutItemInput { table_name: table.into(), item, ..PutItemInput::default() };
        pollster::block_on(self.backend().put_item(input)).expect("written");
    }

    /// Lets time pass.
    pub(crate) fn advance_ms(&self, ms: u64) {
        self.engine.stop_clock_at(self.engine.now_ms() + ms);
    }

    pub(crate) fn backend(&self) -> Embedded {
        Embedded::new(self.engine.clone())
    }
}

impl App {
    /// The design of this app, called by somebody else.
    pub(crate) fn caller(&self, caller: Json) -> App {
        App { runtime: self.runtime.clone(), caller: Some(caller) }
    }

    /// Calls a pattern or an operation: an item, the items of a page, or null.
    pub(crate) fn call(&self, name: &str, arguments: Json) -> Json {
        self.try_call(name, arguments.clone())
            .unwrap_or_else(|failure| panic!("{name} {arguments}: {failure}"))
    }

    /// The failure of a call.
    pub(crate) fn fails(&self, name: &str, arguments: Json) -> Failure {
        match self.try_call(name, arguments.clone()) {
            Err(failure) => failure,
            Ok(answer) => panic!("{name} {arguments} succeeded: {answer}"),
        }
    }

    /// The first page of a list, of a length that the caller chooses.
    pub(crate) fn page(&self, name: &str, arguments: Json, limit: u32) -> Result<Answer, Failure> {
        let arguments = object(&arguments).try_into()?;
        let call = Call { name, arguments, limit: Some(limit), ..Call::default() };
        pollster::block_on(self.runtime.call(call))
    }

    /// Calls a pattern or an operation.
    pub(crate) fn try_call(&self, name: &str, arguments: Json) -> Result<Json, Failure> {
        let caller = match &self.caller {
            Some(caller) => Some(self.runtime.caller(object(caller))?),
            None => None,
        };
        let call = Call {
            name,
            caller: caller.as_ref(),
            arguments: object(&arguments).try_into()?,
            ..Call::default()
        };
        let answer = pollster::block_on(self.runtime.call(call))?;
        Ok(match answer {
            Answer::Nothing => Json::Null,
            Answer::Value(value) => value,
            Answer::Page { items, .. } => json!(items),
        })
    }
}

/// Files by their names.
struct Files<'a>(&'a [(&'a str, String)]);

impl Loader for Files<'_> {
    fn load(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        let file = self.0.iter().find(|(name, _)| *name == path);
        file.map(|(name, text)| ((*name).to_owned(), text.clone())).ok_or_else(|| "no such file".to_owned())
    }
}

fn object(json: &Json) -> Map<String, Json> {
    json.as_object().cloned().unwrap_or_default()
}

fn stored(item: Json) -> Item {
    let map: Attributes = object(&item).into_iter().map(|(name, value)| (name, value_of(value))).collect();
    Item::from(map)
}

fn value_of(json: Json) -> AttributeValue {
    match json {
        Json::Null => AttributeValue::Null,
        Json::Bool(value) => AttributeValue::Bool(value),
        Json::Number(number) => AttributeValue::N(Number::parse(&number.to_string()).expect("a number")),
        Json::String(text) => AttributeValue::S(text),
        Json::Array(members) => AttributeValue::L(members.into_iter().map(value_of).collect()),
        Json::Object(fields) => {
            AttributeValue::M(fields.into_iter().map(|(name, value)| (name, value_of(value))).collect())
        }
    }
}

fn shown(item: &Item) -> Json {
    Json::Object(item.to_map().into_iter().map(|(name, value)| (name, json_of(value))).collect())
}

fn json_of(value: AttributeValue) -> Json {
    match value {
        AttributeValue::S(text) => json!(text),
        AttributeValue::N(number) => serde_json::from_str(&number.to_string()).expect("a number"),
        AttributeValue::Bool(value) => json!(value),
        AttributeValue::L(members) => members.into_iter().map(json_of).collect(),
        AttributeValue::M(fields) => {
            Json::Object(fields.into_iter().map(|(name, value)| (name, json_of(value))).collect())
        }
        AttributeValue::Ss(members) => json!(members.into_iter().collect::<Vec<String>>()),
        _ => Json::Null,
    }
}

/// A database that stops answering after some requests, as a process does that is killed.
pub(crate) struct Killed {
    pub(crate) inner: Embedded,
    pub(crate) left: AtomicI64,
}

impl Backend for Killed {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        match self.left.fetch_sub(1, Ordering::Relaxed) > 0 {
            true => self.inner.send(request),
            false => {
                let gone = ApiError::new(ErrorKind::ValidationException, "the process was killed");
                Box::pin(std::future::ready(Err(gone)))
            }
        }
    }
}
