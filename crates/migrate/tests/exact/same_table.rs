//! Another key in the same table: both designs have their items side by side, distinguished by their keys.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use sortkey_core::FailureKind;
use sortkey_embedded::block_on;
use sortkey_migrate::Side;
use sortkey_value::AttributeValue;

use crate::support::{World, call, try_call};

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

/// Writers of both designs all the time: every note is found under its new key in the end, with the last words that were acknowledged.
#[test]
fn items_get_another_key_while_writers_are_at_work() {
    let world = World::of(BEFORE, AFTER);
    let alone = world.old_alone();
    let note = |writer: usize, at: usize, words: &str| json!({ "noteId": format!("w{writer}n{at}"), "writer": format!("w{writer}"), "words": words });
    for writer in 0..3 {
        (0..20).for_each(|at| drop(call(&alone, "write", note(writer, at, "before"))));
    }
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).expect("prepared");
    let is_over = AtomicBool::new(false);
    let written: Vec<BTreeMap<usize, Option<String>>> = std::thread::scope(|threads| {
        let write = |writer: usize| {
            let (old, new, is_over) = (world.side(Side::Old), world.side(Side::New), &is_over);
            move || {
                let mut known: BTreeMap<usize, Option<String>> =
                    (0..20).map(|at| (at, Some("before".to_owned()))).collect();
                for count in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        return known;
                    }
                    let (at, words) = (count * 7 % 25, format!("words {count}"));
                    let arguments = match (known.get(&at), count % 4) {
                        (Some(Some(_)), 0) => (
                            "erase",
                            json!({ "noteId": format!("w{writer}n{at}"), "writer": format!("w{writer}") }),
                            None,
                        ),
                        (Some(Some(_)), _) => ("edit", note(writer, at, &words), Some(words)),
                        _ => ("write", note(writer, at, &words), Some(words)),
                    };
                    // The new design writes as soon as it may, every other time.
                    for (runtime, is_old) in if count % 2 == 0 {
                        [(&new, false), (&old, true)]
                    } else {
                        [(&old, true), (&new, false)]
                    } {
                        let mut given = arguments.1.clone();
                        if is_old && arguments.0 != "write" {
                            drop(given.as_object_mut().and_then(|given| given.remove("writer")));
                        }
                        match block_on(try_call(runtime, arguments.0, given)) {
                            Ok(_) => drop(known.insert(at, arguments.2.clone())),
                            Err(failure) if failure.kind == FailureKind::Unavailable => continue,
                            Err(failure) if failure.kind == FailureKind::Conflict => {}
                            Err(failure) => panic!("{}: {failure}", arguments.0),
                        }
                        break;
                    }
                }
                known
            }
        };
        let writers: Vec<_> = (0..3).map(|writer| threads.spawn(write(writer))).collect();
        let work = || {
            block_on(runner.start())?;
            block_on(runner.copy(&mut |_| ()))?;
            let report = block_on(runner.verify(&mut |_| ()))?;
            assert_eq!(report.differences, 0, "{:?}", report.listed);
            for _ in 0..2 {
                block_on(runner.switch())?;
                std::thread::sleep(Duration::from_millis(40));
                block_on(runner.back())?;
            }
            block_on(runner.switch())
        };
        let outcome = work();
        is_over.store(true, Ordering::Relaxed);
        outcome.unwrap_or_else(|refusal| panic!("{refusal}"));
        writers.into_iter().map(|writer| writer.join().expect("no panic")).collect()
    });
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    block_on(runner.finish(&mut |_| ())).expect("finished");
    let new = world.side(Side::New);
    for (writer, known) in written.iter().enumerate() {
        let found = call(&new, "ofWriter", json!({ "writer": format!("w{writer}") }));
        let found: BTreeMap<&str, &str> = found
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|note| Some((note["noteId"].as_str()?, note["words"].as_str()?)))
            .collect();
        let ids: Vec<(String, &String)> = known
            .iter()
            .filter_map(|(at, words)| Some((format!("w{writer}n{at}"), words.as_ref()?)))
            .collect();
        let wanted: BTreeMap<&str, &str> =
            ids.iter().map(|(id, words)| (id.as_str(), words.as_str())).collect();
        assert_eq!(found, wanted);
    }
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
