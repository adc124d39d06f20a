//! Another key in the same table: both designs have their items side by side, told apart by their keys.

use serde_json::json;
use sortkey_embedded::block_on;
use sortkey_migrate::Side;
use sortkey_value::AttributeValue;

use crate::support::{World, call};

const BEFORE: &str = r#"design notes version 1
table Notes "notes" { key (PK | SK) }
entity Note in Notes {
  PK = "NOTE#{noteId}"  SK = "META"
  noteId slug
  writer slug @immutable
  words  string(1..400)
}
system operation write = create Note
system operation edit  = update Note [words]
system operation erase = delete Note
system pattern note = get Note by noteId strong
"#;

const AFTER: &str = r#"design notes version 2
table Notes "notes" { key (PK | SK) }
entity Note in Notes {
  PK = "WRITER#{writer}"  SK = "NOTE#{noteId}"
  writer slug
  noteId slug
  words  string(1..400)
}
system operation write = create Note
system operation edit  = update Note [words]
system operation erase = delete Note
system pattern note     = get Note by writer, noteId strong
system pattern ofWriter = list Note by writer strong page 50
migrate "before.sk" { Note from Note {} }
"#;

#[test]
fn items_get_another_key_in_their_table() {
    let world = World::of(BEFORE, AFTER);
    let alone = world.old_alone();
    for at in 0..9 {
        call(&alone, "write", json!({ "noteId": format!("n{at}"), "writer": "ada", "words": "before" }));
    }
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    let (old, new) = (world.side(Side::Old), world.side(Side::New));
    call(&old, "edit", json!({ "noteId": "n0", "words": "both" }));
    call(&old, "erase", json!({ "noteId": "n1" }));
    call(&old, "write", json!({ "noteId": "n9", "writer": "bob", "words": "both" }));
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    call(&old, "erase", json!({ "noteId": "n2" }));
    let verified = |what: &str| {
        let report = block_on(runner.verify(&mut |_| ())).expect("compared");
        assert_eq!(report.differences, 0, "{what}: {:?}", report.listed);
    };
    verified("copied");
    block_on(runner.switch()).expect("switched");
    call(&new, "edit", json!({ "writer": "ada", "noteId": "n3", "words": "after" }));
    call(&new, "erase", json!({ "writer": "ada", "noteId": "n4" }));
    call(&new, "write", json!({ "writer": "cy", "noteId": "n10", "words": "after" }));
    verified("switched");
    block_on(runner.back()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(call(&old, "note", json!({ "noteId": "n3" }))["words"], "after");
    assert_eq!(call(&old, "note", json!({ "noteId": "n10" }))["words"], "after");
    assert!(call(&old, "note", json!({ "noteId": "n4" })).is_null(), "erased by the new design");
    block_on(runner.switch()).expect("switched again");
    block_on(runner.finish(&mut |_| ())).expect("finished");
    let ids: Vec<String> = call(&new, "ofWriter", json!({ "writer": "ada" }))
        .as_array()
        .into_iter()
        .flatten()
        .map(|note| note["noteId"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(ids, ["n0", "n3", "n5", "n6", "n7", "n8"]);
    let is_old = |item: &&sortkey_value::Map| item.get("SK") == Some(&AttributeValue::S("META".to_owned()));
    let left: Vec<_> = world.own_items("notes").into_iter().filter(|item| is_old(&item)).collect();
    assert!(left.is_empty(), "items of the old design are gone: {left:?}");
    assert!(!world.items("notes").iter().any(|item| item.contains_key("sortkey#from")));
}

/// Keys that look alike, and an index that both have: a design would answer with items of the other.
#[test]
fn items_that_a_design_would_take_for_its_own_are_refused() {
    let alike = AFTER.replace("WRITER#{writer}", "NOTE#{writer}").replace("NOTE#{noteId}", "META");
    let alike = alike
        .replace("by writer, noteId strong", "by writer strong")
        .replace("system pattern ofWriter = list Note by writer strong page 50\n", "");
    let indexed = |text: &str| {
        text.replace("{ key (PK | SK) }", "{ key (PK | SK)  index ByWriter (writer | SK) project all }")
    };
    for (before, after) in [(BEFORE.to_owned(), alike), (indexed(BEFORE), indexed(AFTER))] {
        let world = World::of(&before, &after);
        let alone = world.old_alone();
        call(&alone, "write", json!({ "noteId": "n1", "writer": "ada", "words": "before" }));
        let survey = block_on(world.runner().survey(&mut |_| ())).expect("counted");
        assert_eq!(survey.unfit_count, 1, "{:?}", survey.unfit);
        assert!(survey.unfit[0].contains("give the new table another name"), "{:?}", survey.unfit);
    }
}
