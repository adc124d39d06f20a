//! F-01: the checker and the runtime each computed the parameters of a call, and disagreed about their order and about
//! what may be left out, so that a call which passed the check read another item or was refused.

use std::collections::BTreeMap;

use sortkey_design::program::Callee;
use sortkey_design::{Compilation, NoFiles, compile};
use sortkey_testing::Suite;

const DEFAULTS: &str =
    "defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }\n";

fn compiled(text: &str) -> Compilation {
    let compilation = compile("t.sk", &format!("{DEFAULTS}{text}"), &NoFiles);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    compilation
}

/// Runs the tests of a design, all of which pass.
fn passes(text: &str) {
    let compilation = compiled(text);
    let suite = pollster::block_on(Suite::new(compilation.design.clone(), BTreeMap::new())).expect("it runs");
    for at in 0..compilation.design.tests.len() {
        let outcome = pollster::block_on(suite.run(at));
        assert!(outcome.failure.is_none(), "{}: {:?}", compilation.design.tests[at].title, outcome.failure);
    }
}

#[test]
fn a_pattern_takes_its_by_names_in_order() {
    passes(
        r#"
        table T "notes" { key (noteId)  index byTag (tag | day) project all }
        table L "links" { key (linkId) }
        entity Note in T { noteId uuid = new  tag string(1..80)  day string(1..80) }
        entity Link in L { linkId uuid = new  noteId uuid }
        pattern byTagDay(tag: string(1..80)) = get Note by tag, day via byTag
        operation note = create Note
        operation link(x: string(1..80)) {
          let n = byTagDay("red", x) else NoSuchNote
          create Link { noteId: n.noteId }
        }
        test "the note with this tag and day, not the other way round" {
          let right = note(tag: "red", day: "mon")
          let wrong = note(tag: "mon", day: "red")
          let l = link("mon")
          expect l.noteId = right.noteId
        }"#,
    );
}

#[test]
fn a_create_takes_its_tenant_where_the_entity_declares_it() {
    passes(
        r#"
        caller { ownerId uuid }
        table T "notes" { key (ownerId | noteId) }
        entity Note in T {
          ownerId uuid
          noteId  uuid = new
          title   string(1..80)
          tag     string(1..80)
          tenant ownerId
        }
        operation write = create Note
        test "by position and by name" {
          as (ownerId: "00000000-0000-4000-8000-000000000001") {
            let n = write("00000000-0000-4000-8000-000000000001", "milk", "red")
            expect n.title = "milk"
            let m = write(title: "eggs", tag: "blue")
            expect m.ownerId = "00000000-0000-4000-8000-000000000001"
          }
        }"#,
    );
}

#[test]
fn an_upsert_needs_what_a_new_item_needs() {
    let compilation = compiled(
        r#"
        table T "notes" { key (noteId) }
        entity Note in T { noteId slug(1..9)  title string(1..80)  tag string(1..80)  words? string(..9) }
        operation save = upsert Note"#,
    );
    let program = &compilation.program;
    let callee = program.callee("save").expect("declared");
    assert!(matches!(callee, Callee::Operation(_)));
    let parameters = program.signature(callee).parameters.iter();
    let shown: Vec<String> =
        parameters.map(|each| format!("{}{}", each.name, if each.optional { "?" } else { "" })).collect();
    assert_eq!(shown, ["noteId", "title", "tag", "words?"]);
}
