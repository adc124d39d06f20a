//! The tests of a design on a DynamoDB that is not forked: on tables of their own, of which nothing is left.

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_api::operations::ListTablesInput;
use sortkey_core::Requests as _;
use sortkey_design::{NoFiles, compile};
use sortkey_embedded::Embedded;
use sortkey_engine::{Engine, Settings};
use sortkey_testing::Suite;

const DESIGN: &str = r#"
design notes
defaults { protect deletion }
table Notes "notes" { key (noteId)  ttl goneAt }
entity Note in Notes {
  noteId uuid = new
  text   string(1..100)
  goneAt time(s) = now + 1h
}
system pattern getNote = get Note by noteId
system operation createNote = create Note

test "a note is there for an hour" {
  let n = createNote(text: "x")
  expect getNote(n.noteId) = n
  advance 2h
  expect getNote(n.noteId) absent
}
test "a note has a text" { expect createNote(text: "x").text = "y" }
"#;

#[test]
fn tests_run_elsewhere_and_leave_nothing_behind() {
    let compilation = compile("notes.sk", DESIGN, &NoFiles);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    let suite = pollster::block_on(Suite::new(compilation.design, BTreeMap::new()));
    let suite = suite.expect("a design that runs");
    let elsewhere = Arc::new(Embedded::new(Engine::memory(Settings::default())));
    let passed: Vec<bool> = (0..2)
        .map(|at| pollster::block_on(suite.run_on(at, elsewhere.clone(), "test-1-")).passed())
        .collect();
    assert_eq!(passed, [true, false]);
    let left = pollster::block_on(elsewhere.list_tables(ListTablesInput::default())).expect("a list");
    assert_eq!(left.table_names, Vec::<String>::new());
}
