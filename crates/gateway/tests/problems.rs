//! Every kind of problem, as clients see it: a request and its answer, in `problems.txt`. `SORTKEY_BLESS=1` rewrites the file; look at
//! the difference before you commit it.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value as Json, json};
use sortkey_api::operations::PutItemInput;
use sortkey_api::{ApiError, Backend, ErrorKind, Pending, Request, Requests as _, Response};
use sortkey_core::Runtime;
use sortkey_deploy::{Naming, deploy};
use sortkey_design::{FileLoader, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_gateway::{Admission, Gateway};
use sortkey_value::{AttributeValue, Item, Map};

use crate::support::Api;

const DESIGN: &str = r#"
design problems
caller { userId slug(1..20), role reader | writer }
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Orders "orders" { key (userId | orderId) }

entity Order in Orders {
  userId  slug(1..20)
  orderId slug(1..20)
  phase   open | paid | sent = open
  amount  int(0..100) = 1
  words?  string(0..500_000)
  version int @version
  tenant userId
  states phase { open -> paid  paid -> sent }
}

rule mayWrite() = caller.role = writer

pattern order          = get Order by userId, orderId
operation place        = create Order requires mayWrite()
operation describe     = update Order [words]
operation dispatch(orderId) { update Order(caller.userId, orderId) { phase: sent } }
operation add(orderId)      { update Order(caller.userId, orderId) if amount <= 0 { amount += 30 } }
operation reserve(orderId)  { update Order(caller.userId, orderId) if amount > 90 else TooFew { amount: 0 } }
"#;

/// An engine whose answers can be replaced by an error.
struct Breaking {
    engine: Embedded,
    error: Mutex<Option<ApiError>>,
}

impl Backend for Breaking {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        match self.error.lock().clone() {
            Some(error) => Box::pin(std::future::ready(Err(error))),
            None => self.engine.send(request),
        }
    }

    fn repeats(&self) -> bool {
        true
    }
}

const WRITER: (&str, &str) = ("sortkey-caller", r#"{"userId":"ada","role":"writer"}"#);
const READER: (&str, &str) = ("sortkey-caller", r#"{"userId":"ada","role":"reader"}"#);
const JSON: (&str, &str) = ("content-type", "application/json");

/// A request: method, path, headers, body; and the error that the database answers it with.
type Asked<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], String, Option<ErrorKind>);

#[test]
fn every_kind_of_problem_is_as_recorded() {
    let (api, backend) = deployed();
    let order = |id: &str| json!({ "orderId": id }).to_string();
    let placed = api.post("/api/place", &[WRITER], &json!({ "orderId": "one" }));
    assert_eq!(placed.status, 200, "{}", placed.text());
    write_unreadable(&backend.engine);
    let long = json!({ "orderId": "one", "words": "x".repeat(450_000) }).to_string();
    let asked: Vec<Asked<'_>> = vec![
        ("GET", "/api/ordr?orderId=one", &[WRITER], String::new(), None),
        ("GET", "/api/place", &[WRITER], String::new(), None),
        ("POST", "/api/place", &[WRITER, JSON], "{".into(), None),
        ("POST", "/api/place", &[WRITER, ("content-type", "text/csv")], "a,b".into(), None),
        (
            "POST",
            "/api/place",
            &[WRITER, JSON],
            json!({ "orderId": "Ö", "amount": 101, "extra": 1 }).to_string(),
            None,
        ),
        ("POST", "/api/place", &[JSON], order("two"), None),
        ("POST", "/api/place", &[("sortkey-caller", "ada"), JSON], order("two"), None),
        ("POST", "/api/place", &[READER, JSON], order("two"), None),
        ("POST", "/api/place", &[WRITER, JSON], order("one"), None),
        ("GET", "/api/order?orderId=none", &[WRITER], String::new(), None),
        ("POST", "/api/describe", &[WRITER, JSON, ("if-match", "\"7\"")], order("one"), None),
        ("POST", "/api/describe", &[WRITER, JSON, ("if-match", "seven")], order("one"), None),
        ("POST", "/api/dispatch", &[WRITER, JSON], order("one"), None),
        ("POST", "/api/add", &[WRITER, JSON], order("one"), None),
        ("POST", "/api/reserve", &[WRITER, JSON], order("one"), None),
        ("POST", "/api/describe", &[WRITER, JSON], long, None),
        ("GET", "/api/order?orderId=odd", &[WRITER], String::new(), None),
        ("GET", "/api/order?orderId=one", &[WRITER], String::new(), Some(ErrorKind::ThrottlingException)),
        (
            "GET",
            "/api/order?orderId=one",
            &[WRITER],
            String::new(),
            Some(ErrorKind::ServiceUnavailableException),
        ),
        (
            "GET",
            "/api/order?orderId=one",
            &[WRITER],
            String::new(),
            Some(ErrorKind::ResourceNotFoundException),
        ),
        (
            "POST",
            "/api/reserve",
            &[WRITER, JSON],
            order("one"),
            Some(ErrorKind::TransactionConflictException),
        ),
    ];
    let mut found = String::new();
    for (method, path, headers, body, error) in asked {
        *backend.error.lock() = error.map(|kind| ApiError::new(kind, "(the database's own words)"));
        let got = api.send(method, path, headers, &body);
        found += &shown((method, path, headers, body, error), got.status, &got.json());
    }
    let file = sortkey_testkit::root().join("crates/gateway/tests/problems.txt");
    if std::env::var_os("SORTKEY_BLESS").is_some() {
        std::fs::write(&file, &found).expect("written");
    }
    let recorded = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == recorded,
        "SORTKEY_BLESS=1 rewrites problems.txt, which has other answers than these:\n{found}"
    );
}

fn shown((method, path, headers, body, error): Asked<'_>, status: u16, answer: &Json) -> String {
    let mut text = format!("{method} {path}\n");
    headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\n"));
    if let Some(kind) = error {
        text += &format!("(the database answers {kind:?})\n");
    }
    match body.len() {
        0 => {}
        1..200 => text += &format!("{body}\n"),
        bytes => text += &format!("({bytes} bytes)\n"),
    }
    format!("{text}\n{status} {answer:#}\n\n----\n\n")
}

fn deployed() -> (Api, Arc<Breaking>) {
    let compilation = compile("design.sk", DESIGN, &FileLoader);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(!compilation.has_errors(), "{errors:?}");
    let engine = Embedded::new(Engine::memory(sortkey_engine::Settings::default()));
    let backend = Arc::new(Breaking { engine, error: Mutex::default() });
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
    let naming = Naming { prefix: None, parameters: Default::default() };
    pollster::block_on(deploy(&compilation.design, &naming, &*backend, &pause, &mut |_| {}))
        .expect("deployed");
    let settings = ephemeral().expect("randomness");
    let runtime = Runtime::new(compilation.design, backend.clone(), settings).expect("a design that runs");
    (Api::of_gateway(Gateway::new(runtime, Admission::Open)), backend)
}

/// An item that another program stored: its amount is text.
fn write_unreadable(engine: &Embedded) {
    let text = |text: &str| AttributeValue::S(text.into());
    let attributes = [("userId", "ada"), ("orderId", "odd"), ("amount", "many")];
    let item: Map = attributes.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect();
    let item = Item::from(item).into();
    let input = PutItemInput { table_name: "orders".into(), item, ..PutItemInput::default() };
    pollster::block_on(engine.put_item(input)).expect("written");
}
