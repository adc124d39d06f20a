//! Two clients with different versions of a design on one database, as it is while one program is replaced by the other: each says
//! what it cannot read, and spoils nothing.

use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::{Client, CommonError, Given, OpenError, Options, Table};
use crate::Database;

const ONE: &str = "design notes version 1
table Notes \"notes\" { key (userId | noteId) }
caller { userId slug }
entity Note in Notes {
  userId slug = caller.userId  noteId slug
  words string(1..200)
  kind plain | list = plain
  size? int
  tenant userId
}
operation write = create Note
operation reword = update Note [words]
pattern note = get Note by userId, noteId
";

/// A word and an attribute more, and an attribute of another type.
fn two() -> String {
    ONE.replace("version 1", "version 2")
        .replace("plain | list", "plain | list | drawing")
        .replace("size? int", "size? slug")
        .replace("words string(1..200)", "words string(1..200)  colour? slug")
}

fn emitted(text: &str) -> (String, String) {
    let compiled = sortkey_design::compile("notes.sk", text, &sortkey_design::NoFiles);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let program = serde_json::to_string(&sortkey_design::wire::write(&compiled.program)).expect("JSON");
    let fingerprint = format!("{:x}", Sha256::digest(program.as_bytes()));
    (program, fingerprint)
}

/// The older and the newer client of one database.
fn clients() -> (Client, Client) {
    let database = Database::memory();
    let create = json!({
        "TableName": "notes",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{ "AttributeName": "userId", "KeyType": "HASH" }, { "AttributeName": "noteId", "KeyType": "RANGE" }],
        "AttributeDefinitions": [
            { "AttributeName": "userId", "AttributeType": "S" },
            { "AttributeName": "noteId", "AttributeType": "S" },
        ],
    });
    let create: &'static str = create.to_string().leak();
    database.create_tables(&[Table { name: "notes", create, time_to_live: None }]).expect("a table");
    let open = |text: &str, seed: u8| {
        let (program, fingerprint) = emitted(text);
        let options = Options::database(&database).seed([seed; 32]);
        let client = Client::open(&program, &fingerprint, options).expect("opened");
        client.acting_as(&json!({ "userId": "ada" }))
    };
    (open(ONE, 1), open(&two(), 2))
}

fn write(client: &Client, more: Json) -> Result<Json, CommonError> {
    let mut note = json!({ "noteId": "a", "words": "milk" });
    note.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    client.call("write", Given::of(&note)).wait()
}

fn read(client: &Client) -> Result<Json, CommonError> {
    client.call("note", Given::new().set("userId", "ada").set("noteId", "a")).wait()
}

#[test]
fn an_item_that_only_the_newer_one_understands_is_unreadable_and_stays() {
    let (older, newer) = clients();
    let large = write(&newer, json!({ "size": "large" })).expect("written");
    match read(&older) {
        Err(CommonError::Unreadable(refused)) => {
            let says = "`size` is stored as S, and is int in the design";
            assert!(refused.to_string().contains(says), "{refused}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(read(&newer), Ok(large));
}

#[test]
fn a_word_that_only_the_newer_one_has_is_shown_as_it_is() {
    let (older, newer) = clients();
    write(&newer, json!({ "kind": "drawing" })).expect("written");
    assert_eq!(read(&older).expect("read")["kind"], "drawing");
}

#[test]
fn a_change_of_the_older_one_keeps_what_it_does_not_know() {
    let (older, newer) = clients();
    write(&newer, json!({ "colour": "red" })).expect("written");
    let given = Given::new().set("noteId", "a").set("words", "honey");
    let changed: Json = older.call::<_, CommonError>("reword", given).wait().expect("changed");
    assert_eq!((&changed["words"], changed.get("colour")), (&json!("honey"), None));
    assert_eq!(read(&newer).expect("read")["colour"], "red");
}

#[test]
fn the_newer_one_reads_what_the_older_one_wrote() {
    let (older, newer) = clients();
    let written = write(&older, json!({})).expect("written");
    assert_eq!(read(&newer), Ok(written));
}

#[test]
fn a_client_of_the_other_version_is_refused() {
    let ((_, older), (newer, _)) = (emitted(ONE), emitted(&two()));
    let opened = Client::open(&newer, &older, Options::database(&Database::memory()));
    assert!(matches!(opened, Err(OpenError::WrongDesign { .. })));
}
