//! `sortkey up`, `call` and `keys` as a user meets them.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const DESIGN: &str = r#"
design notes
caller { userId string(1..20) }
table Notes "notes" { key (userId | noteId) }
entity Note in Notes {
  userId string(1..20)
  noteId id("note_", nanoid 8) = new
  text   string(1..100)
  tenant userId
}
pattern listNotes = list Note by userId page 10
pattern getNote = get Note by userId, noteId
operation createNote = create Note
"#;

/// A design in a process of its own, killed when dropped.
struct Running {
    process: Child,
    endpoint: String,
    /// Everything up to the line with the folder of the data.
    said: String,
}

fn sortkey(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(arguments).current_dir(folder).env_remove("SORTKEY_ENDPOINT").env_remove("SORTKEY_CALLER");
    command
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    sortkey(arguments, folder).output().expect("the binary runs")
}

fn up(folder: &Path, arguments: &[&str]) -> Running {
    let mut command = sortkey(&["up", "notes.sk", "--port", "0"], folder);
    let mut process = command.args(arguments).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
    let (mut said, mut endpoint) = (String::new(), None);
    for line in lines {
        let line = line.expect("text");
        endpoint = endpoint.or(line.strip_prefix("sortkey is listening on ").map(str::to_owned));
        said.push_str(&line);
        said.push('\n');
        if line.ends_with("Ctrl-C stops it.") {
            break;
        }
    }
    Running { process, endpoint: endpoint.expect("an address"), said }
}

impl Running {
    fn call(&self, folder: &Path, arguments: &[&str]) -> (bool, String, String) {
        let arguments = [&["call", "--endpoint", &self.endpoint], arguments].concat();
        let output = run(&arguments, folder);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("notes.sk"), DESIGN).expect("written");
    folder
}

const ADA: [&str; 2] = ["--caller", r#"{"userId":"ada"}"#];

#[test]
fn a_design_runs_and_what_was_answered_is_there_the_next_time() {
    let folder = folder();
    let path = folder.path();
    let server = up(path, &[]);
    assert!(server.said.contains("1 table created"), "{}", server.said);
    assert!(server.said.contains("Everything is kept in .sortkey/notes"), "{}", server.said);
    let (done, note, why) = server.call(path, &[&["createNote", "text=two words"], &ADA[..]].concat());
    assert!(done, "{why}");
    assert!(note.contains("\"text\": \"two words\"") && note.contains("\"userId\": \"ada\""), "{note}");
    drop(server);

    let server = up(path, &[]);
    assert!(server.said.contains("1 table found"), "{}", server.said);
    let (done, notes, why) = server.call(path, &[&["listNotes"], &ADA[..]].concat());
    assert!(done && notes.contains("two words"), "{notes}{why}");
    for (arguments, expected) in [
        (&["createNot"][..], "did you mean `createNote`?"),
        (&["createNote", "txt=x"], "did you mean `text`?"),
        (&["createNote", "text"], "NAME=VALUE"),
        (&["createNote", "text="], "Invalid: `text` has 0 characters"),
    ] {
        let (done, _, why) = server.call(path, &[arguments, &ADA].concat());
        assert!(!done && why.contains(expected), "{arguments:?}: {why}");
    }
    let (done, _, why) = server.call(path, &["createNote", "text=x"]);
    // The message named the header of HTTP, which nobody sees here.
    assert!(!done && why.contains("say it with --caller '{\"userId\":\"ada\"}'"), "{why}");
    assert!(!why.contains("Sortkey-Caller"), "{why}");
    let (done, listed, why) = server.call(path, &[]);
    assert!(done && listed.contains("createNote [userId] text"), "{listed}{why}");
}

#[test]
fn generated_data_obeys_the_design() {
    let folder = folder();
    let server = up(folder.path(), &["--in-memory", "--seed-data=12"]);
    assert!(server.said.contains("Generated: 12 Note"), "{}", server.said);
    assert!(server.said.contains("Somebody who has items: SORTKEY_CALLER='{\"userId\":"), "{}", server.said);
}

#[test]
fn with_keys_only_their_holders_call() {
    let folder = folder();
    let path = folder.path();
    let made =
        run(&["keys", "create", "ada", "--caller", r#"{"userId":"ada"}"#, "--file", "keys.json"], path);
    let key = String::from_utf8(made.stdout).expect("text").trim().to_owned();
    assert!(key.starts_with("sortkey_"), "{key}");
    let listed = run(&["keys", "list", "--file", "keys.json"], path);
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "ada: {\"userId\":\"ada\"}\n");

    let server = up(path, &["--in-memory", "--api-keys", "keys.json", "--audit", "audit.log"]);
    let (done, note, why) = server.call(path, &["createNote", "text=x", "--key", &key]);
    assert!(done && note.contains("\"userId\": \"ada\""), "{note}{why}");
    let (done, _, why) = server.call(path, &[&["createNote", "text=x"], &ADA[..]].concat());
    assert!(!done && why.contains("Unauthenticated"), "{why}");
    let (done, _, why) = server.call(path, &["createNote", "userId=bob", "text=x", "--key", &key]);
    assert!(!done && why.contains("Forbidden"), "{why}");

    // A refusal of the design is not recorded as allowed.
    let shown = String::from_utf8(run(&["audit", "show", "--json", "audit.log"], path).stdout).expect("text");
    let decisions: Vec<String> = shown
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter(|line| line["operation"] == "POST /api/createNote")
        .map(|line| line["decision"].as_str().expect("text").to_owned())
        .collect();
    assert_eq!(decisions, ["passed", "passed", "rejected", "passed", "denied"]);
}

#[test]
fn what_cannot_run_does_not_start() {
    let folder = folder();
    let path = folder.path();
    let broken = DESIGN.replace("in Notes", "in Nots");
    std::fs::write(path.join("broken.sk"), broken).expect("written");
    for (arguments, said, why) in [
        (&["up", "broken.sk"][..], "Nots", "does not run"),
        (&["up", "missing.sk"], "", "cannot read missing.sk"),
        (&["up", "."], "", "several designs here"),
        (&["up", "notes.sk", "--set", "stage=dev"], "no parameter `stage`", "nothing was changed"),
        (&["up", "notes.sk", "--host", "0.0.0.0", "--port", "0"], "", "say who may call"),
        (&["up", "notes.sk", "--endpoint", "localhost:1"], "", "is not an endpoint"),
        (&["call", "x", "--endpoint", "https://127.0.0.1:1"], "", "cannot reach https://127.0.0.1:1"),
        (&["call", "x", "--endpoint", "https://127.0.0.1:1/path"], "", "is not an endpoint"),
        (&["keys", "revoke", "nobody", "--file", "none.json"], "", "no key named `nobody`"),
    ] {
        let output = run(arguments, path);
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(!output.status.success(), "{arguments:?}");
        assert!(out.contains(said) && error.contains(why), "{arguments:?}\n{out}\n{error}");
    }
}

#[test]
fn a_table_that_differs_is_explained_and_left_alone() {
    let folder = folder();
    let path = folder.path();
    drop(up(path, &[]));
    let changed =
        DESIGN.replace("key (userId | noteId)", "key (noteId)").replace("by userId, noteId", "by noteId");
    let changed = changed.replace("pattern listNotes = list Note by userId page 10\n", "");
    std::fs::write(path.join("notes.sk"), changed).expect("written");
    let output = run(&["up", "notes.sk", "--port", "0"], path);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    assert!(said.contains("the key of table \"notes\" cannot change"), "{said}");
    assert!(said.contains("The table that is there: (userId S | noteId S)."), "{said}");
}

#[test]
fn what_becomes_unique_is_so_for_items_that_are_there() {
    let folder = folder();
    let path = folder.path();
    let server = up(path, &[]);
    for text in ["text=one", "text=two"] {
        assert!(server.call(path, &[&["createNote", text], &ADA[..]].concat()).0);
    }
    drop(server);
    let unique = DESIGN.replace("  tenant userId", "  tenant userId\n  unique userId, text");
    std::fs::write(path.join("notes.sk"), &unique).expect("written");
    let server = up(path, &[]);
    assert!(server.said.contains("notes: every item has its guard of Note(userId, text)"), "{}", server.said);
    let (done, _, why) = server.call(path, &[&["createNote", "text=one"], &ADA[..]].concat());
    assert!(!done && why.contains("there is already a Note with this userId and text"), "{why}");
    drop(server);
    let server = up(path, &[]);
    assert!(!server.said.contains("guard"), "{}", server.said);
    drop(server);

    let alone = DESIGN.replace("  tenant userId", "  tenant userId\n  unique userId");
    std::fs::write(path.join("notes.sk"), alone).expect("written");
    let output = run(&["up", "notes.sk", "--port", "0"], path);
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!output.status.success() && why.contains("no item was changed"), "{why}");
    assert!(said.contains("two items of Note have the same userId"), "{said}");
    assert_eq!(said.matches("userId \"ada\"").count(), 2, "{said}");
    assert_eq!(said.matches("noteId \"note_").count(), 2, "{said}");
}

#[test]
fn a_design_runs_on_another_dynamodb() {
    let folder = folder();
    let path = folder.path();
    let mut other = sortkey(&["serve", "--in-memory", "--port", "0"], path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(other.stdout.take().expect("piped")).lines();
    let line = lines.next().expect("a line").expect("text");
    let endpoint = line.strip_prefix("sortkey is listening on ").expect("an address").to_owned();
    let server = up(path, &["--endpoint", &endpoint, "--prefix", "t-"]);
    assert!(server.said.contains("1 table created"), "{}", server.said);
    let (done, _, why) = server.call(path, &[&["createNote", "text=far away"], &ADA[..]].concat());
    let (listed, notes, _) = server.call(path, &[&["listNotes"], &ADA[..]].concat());
    drop(server);
    let unique = DESIGN.replace("  tenant userId", "  tenant userId\n  unique text");
    std::fs::write(path.join("notes.sk"), unique).expect("written");
    let arguments = ["--endpoint", &endpoint, "--prefix", "t-", "--recheck-unique"];
    let server = up(path, &arguments);
    assert!(server.said.contains("t-notes: every item has its guard of Note(text)"), "{}", server.said);
    let (twice, _, refusal) = server.call(path, &[&["createNote", "text=far away"], &ADA[..]].concat());
    assert!(!twice && refusal.contains("AlreadyExists"), "{refusal}");
    let _ = other.kill();
    let _ = other.wait();
    assert!(done && listed && notes.contains("far away"), "{notes}{why}");
}

#[test]
fn a_port_that_is_taken_is_noticed_before_tables_are_made() {
    let folder = folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let refused = run(&["up", "notes.sk", "--port", &port], folder.path());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(!refused.status.success());
    assert_eq!(text(&refused.stdout), "");
    assert!(text(&refused.stderr).contains("cannot listen on 127.0.0.1:"), "{}", text(&refused.stderr));
    assert!(!folder.path().join(".sortkey").exists());
}
