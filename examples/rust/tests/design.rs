//! A design in a Rust program, wherever its items are: in memory, in a directory, at an endpoint.

use std::sync::mpsc;

use serde_json::json;
use sortkey::{Database, Design, FailureKind, Runtime};

const NOTES: &str = include_str!("../src/notes.sk");

/// Ada writes a note, and finds all of hers.
async fn use_it(notes: &Runtime, words: &str) -> Vec<String> {
    let ada = notes.caller(json!({ "userId": "ada" })).expect("a caller");
    notes.call("write", Some(&ada), json!({ "words": words })).await.expect("written");
    let found = notes.call("notes", Some(&ada), json!({ "userId": "ada" })).await.expect("read");
    found.items().iter().map(|note| note["words"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn in_memory() {
    let notes = Design::from_text(NOTES).expect("it compiles").on(&Database::memory()).expect("it runs");
    assert_eq!(use_it(&notes, "milk").await, ["milk"]);
    let nobody = notes.call("notes", None, json!({ "userId": "ada" })).await.expect_err("nobody calls");
    assert_eq!(nobody.kind, FailureKind::Unauthenticated);
}

#[tokio::test]
async fn in_a_directory() {
    let directory = tempfile::tempdir().expect("a directory");
    let design = Design::from_text(NOTES).expect("it compiles").keys_in(directory.path().join("key"));
    for expected in [&["milk"][..], &["milk", "milk"]] {
        let database = Database::open(directory.path().join("data")).expect("it opens");
        assert_eq!(use_it(&design.on(&database).expect("it runs"), "milk").await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn at_an_endpoint() {
    let (say, said) = mpsc::channel();
    tokio::spawn(async move {
        let engine = sortkey_engine::Engine::memory(sortkey_engine::Settings::default());
        let database = sortkey_server::Database::durable(engine);
        let settings = sortkey_server::Settings::default();
        let server =
            sortkey_server::Server::bind(([127, 0, 0, 1], 0).into(), database, settings, Vec::new()).await;
        let server = server.expect("a free port");
        say.send(format!("http://{}", server.local_address().expect("an address"))).expect("somebody waits");
        server.run(std::future::pending()).await;
    });
    let endpoint = said.recv().expect("the server starts");
    let notes = Design::from_text(NOTES).expect("it compiles").at(&endpoint).await.expect("it runs");
    assert_eq!(use_it(&notes, "milk").await, ["milk"]);
}

/// The error of a design with a mistake shows the place, as `sortkey check` does.
#[test]
fn a_mistake_is_shown() {
    let Err(error) = Design::from_text("table T { key (id) } entity E in T { id slog }") else {
        panic!("it compiled")
    };
    assert!(error.to_string().contains("slog"), "{error}");
}
