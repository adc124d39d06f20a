//! How long the compiler takes on a design of a thousand lines: one `check`, and one keystroke in an editor.
//!
//! The design is made of three of the systems, so that what is measured is what people write.

use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};
use sortkey_design::NoFiles;
use sortkey_lints::{Options, check};
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;

fn main() {
    let text = design();
    let count = text.lines().count();
    let found = check("bench.sk", &text, &NoFiles, &Options::default()).diagnostics.len();
    println!("A design of {count} lines, {found} diagnostics; median and slowest of {ROUNDS}.\n");
    println!("| what | median | slowest |\n|---|---|---|");
    row("`sortkey check`, the text in memory", (0..ROUNDS).map(|_| checked(&text)).collect());
    row("a keystroke: change sent, diagnostics received", keystrokes(&text));
}

fn row(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    println!("| {what} | {:.1} ms | {:.1} ms |", ms(times[times.len() / 2]), ms(times[times.len() - 1]));
}

fn checked(text: &str) -> Duration {
    let start = Instant::now();
    let compilation = check("bench.sk", text, &NoFiles, &Options::default());
    let time = start.elapsed();
    assert!(!compilation.design.entities.is_empty());
    time
}

/// Three systems in one file. A name that several declare gets a suffix; a clause that a file may have once appears once.
fn design() -> String {
    let mut text = include_str!("../../../systems/listbackup/listbackup.sk").to_owned();
    for (suffix, system) in [
        ("Two", include_str!("../../../systems/core-service/core-service.sk")),
        ("Three", include_str!("../../../systems/t3nets/t3nets.sk")),
    ] {
        let names: Vec<&str> = system.lines().filter_map(declared).collect();
        let once = ["design ", "caller ", "defaults ", "allow ", "claim "];
        for line in system.lines().filter(|line| !once.iter().any(|word| line.starts_with(word))) {
            text.push_str(&renamed(line, &names, suffix));
            text.push('\n');
        }
    }
    text
}

/// The name that a line declares.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("system ").unwrap_or(line).split([' ', '(', '=']);
    match words.next()? {
        "table" | "entity" | "enum" | "record" | "mixin" | "rule" | "pattern" | "operation" => words.next(),
        _ => None,
    }
}

/// A line with every declared name of its system marked.
fn renamed(line: &str, names: &[&str], suffix: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    for character in line.chars().chain(std::iter::once('\n')) {
        if character.is_alphanumeric() || character == '_' || character == '-' {
            word.push(character);
            continue;
        }
        text.push_str(&word);
        if names.contains(&word.as_str()) {
            text.push_str(suffix);
        }
        word.clear();
        text.push(character);
    }
    text.trim_end_matches('\n').to_owned()
}

/// An editor that types one character at the end, again and again.
fn keystrokes(text: &str) -> Vec<Duration> {
    let (theirs, ours) = Connection::memory();
    let server = std::thread::spawn(move || sortkey_lsp::run(&theirs).map_err(|error| error.to_string()));
    let notify = |method: &str, params: Value| {
        let sent = ours.sender.send(Message::Notification(Notification::new(method.to_owned(), params)));
        assert!(sent.is_ok());
    };
    let request = |id: i32, method: &str| {
        let sent = ours.sender.send(Message::Request(Request::new(
            id.into(),
            method.to_owned(),
            json!({ "capabilities": {} }),
        )));
        assert!(sent.is_ok() && ours.receiver.recv().is_ok());
    };
    request(1, "initialize");
    notify("initialized", json!({}));
    let uri = "file:///bench.sk";
    notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": uri, "languageId": "sk", "version": 0, "text": text } }),
    );
    assert!(ours.receiver.recv().is_ok());
    let mut times = Vec::new();
    for version in 1..=ROUNDS {
        let typed = format!("{text}// {}\n", "x".repeat(version));
        let start = Instant::now();
        notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": typed }] }),
        );
        assert!(ours.receiver.recv().is_ok());
        times.push(start.elapsed());
    }
    request(2, "shutdown");
    notify("exit", json!({}));
    let ended = server.join();
    assert!(matches!(ended, Ok(Ok(()))), "{ended:?}");
    times
}
