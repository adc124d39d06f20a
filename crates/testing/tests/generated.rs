//! Designs that nobody wrote: generated from the grammar, filled with generated items, and asked every question in every
//! way. Every design that compiles must run: no answer is an internal error, and none differs from that of a naive interpreter, which
//! keeps the items as the JSON that the calls returned and reads them all for every question. It shares nothing with the
//! planner or the runtime.
//!
//! `SORTKEY_DESIGNS=2000 SORTKEY_SEED=7 cargo test -p sortkey-testing --test all generated` looks further.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]
#![expect(clippy::print_stdout, reason = "long runs tell how far they looked")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use sortkey_core::{Answer, Arguments, Call, Failure, FailureKind, Ids, Pending, Runtime, Settings};
use sortkey_deploy::deploy;
use sortkey_design::{NoFiles, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_plan::read;
use sortkey_testkit::Random;

use crate::support::answers::expected;
use crate::support::design::{Generated, Question};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn generated_designs_answer_as_a_naive_interpreter_does() {
    let (designs, seed) = (number("SORTKEY_DESIGNS", 120), number("SORTKEY_SEED", 1));
    let (mut ran, mut questions) = (0, 0);
    for at in 0..designs {
        let mut dice = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(at));
        let design = Generated::new(&mut dice);
        if let Some(asked) = run(&design, &mut dice) {
            ran += 1;
            questions += asked;
        }
    }
    println!("{ran} of {designs} designs compiled and ran; {questions} questions");
    assert!(ran * 2 > designs, "most generated designs are designs: {ran} of {designs}");
}

/// Fills a design and asks its questions; none if it does not compile. How many were asked.
fn run(generated: &Generated, dice: &mut Random) -> Option<usize> {
    let bare = compile("generated.sk", &generated.text(&[]), &NoFiles);
    if bare.has_errors() {
        return None;
    }
    // A pattern without a path is refused when a design starts; the others must give the right answer. One that is served by
    // an index which is sparse by nature asks for the items in it, which the naive interpreter cannot determine.
    let wanted: Vec<&Question> = generated
        .questions
        .iter()
        .filter(|question| {
            let compilation = compile("generated.sk", &generated.text(&[question]), &NoFiles);
            let path = compilation.program.patterns.ids().next_back();
            let path = path.and_then(|id| read(&compilation.program, id)).and_then(|choice| choice.plan);
            !compilation.has_errors() && path.is_some_and(|path| path.omits.is_empty())
        })
        .collect();
    let text = generated.text(&wanted);
    let runtime = runtime(&text);
    let mut items: Vec<(usize, Map<String, Json>)> = Vec::new();
    for _ in 0..40 {
        change(generated, &runtime, dice, &mut items, &text);
    }
    let mut asked = 0;
    for question in &wanted {
        for _ in 0..6 {
            let (arguments, given) = question.arguments(dice, &items);
            let found = list(&runtime, &question.name, arguments.clone(), &text);
            let expected = expected(question, &given, &items);
            let about = || format!("{}\n{} {arguments:?}\nitems: {items:#?}", text, question.name);
            question.compare(&found, &expected, &about);
            asked += 1;
        }
    }
    Some(asked)
}

/// Creates, updates or deletes an item, in the database and in the list.
fn change(
    generated: &Generated,
    runtime: &Runtime,
    dice: &mut Random,
    items: &mut Vec<(usize, Map<String, Json>)>,
    text: &str,
) {
    let at = dice.below(generated.entities.len());
    let entity = &generated.entities[at];
    let own: Vec<usize> = (0..items.len()).filter(|each| items[*each].0 == at).collect();
    match dice.below(10) {
        0 | 1 if !own.is_empty() => {
            let which = own[dice.below(own.len())];
            let mut arguments = entity.key_of(&items[which].1);
            let changed = entity.changes(dice);
            arguments.extend(changed.clone());
            match call(runtime, &format!("change{at}"), arguments, text) {
                Ok(Answer::Value(Json::Object(after))) => {
                    let mut expected = items[which].1.clone();
                    for (name, value) in changed {
                        match value {
                            Json::Null => drop(expected.remove(&name)),
                            value => drop(expected.insert(name, value)),
                        }
                    }
                    entity.same_but_derived(&after, &expected, text);
                    items[which].1 = after;
                }
                other => panic!("{text}\nan update gave {other:?}"),
            }
        }
        2 if !own.is_empty() => {
            let which = own[dice.below(own.len())];
            let arguments = entity.key_of(&items[which].1);
            call(runtime, &format!("drop{at}"), arguments, text)
                .unwrap_or_else(|failure| panic!("{text}\n{failure}"));
            items.remove(which);
        }
        _ => {
            let arguments = entity.new_item(dice);
            let key = entity.key_of(&arguments);
            let is_there = own.iter().any(|each| entity.key_of(&items[*each].1) == key);
            match call(runtime, &format!("make{at}"), arguments.clone(), text) {
                Ok(Answer::Value(Json::Object(item))) => {
                    assert!(!is_there, "{text}\ncreated twice: {arguments:?}");
                    items.push((at, item));
                }
                Err(failure) if failure.kind == FailureKind::AlreadyExists => {
                    assert!(is_there, "{text}\nthere is no such item yet: {arguments:?}");
                }
                other => panic!("{text}\na create of {arguments:?} gave {other:?}"),
            }
        }
    }
}

fn list(runtime: &Runtime, name: &str, arguments: Map<String, Json>, text: &str) -> Json {
    let (mut all, mut cursor): (Vec<Json>, Option<String>) = (Vec::new(), None);
    loop {
        let given = Arguments::try_from(arguments.clone()).expect("numbers that can be kept");
        let call = Call { name, arguments: given, cursor: cursor.as_deref(), ..Call::default() };
        match pollster::block_on(runtime.call(call)) {
            Ok(Answer::Page { items, cursor: next }) => {
                all.extend(items);
                match next {
                    Some(next) => cursor = Some(next),
                    None => return Json::Array(all),
                }
            }
            Ok(Answer::Value(value)) => return value,
            Ok(Answer::Nothing) => return Json::Null,
            Err(failure) => panic!("{text}\n{name} {arguments:?}: {failure}"),
        }
    }
}

fn call(runtime: &Runtime, name: &str, arguments: Map<String, Json>, text: &str) -> Result<Answer, Failure> {
    let given = Arguments::try_from(arguments.clone()).expect("numbers that can be kept");
    let answer = pollster::block_on(runtime.call(Call { name, arguments: given, ..Call::default() }));
    if let Err(failure) = &answer {
        let inside = matches!(failure.kind, FailureKind::Internal | FailureKind::Unavailable);
        assert!(!inside, "{text}\n{name} {arguments:?}: {failure}");
    }
    answer
}

fn runtime(text: &str) -> Runtime {
    let compilation = compile("generated.sk", text, &NoFiles);
    assert!(!compilation.has_errors(), "{text}\n{:#?}", compilation.diagnostics);
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let backend = Embedded::new(engine);
    let settings = Settings {
        ids: Arc::new(Ids::seeded(1)),
        parameters: BTreeMap::new(),
        ..ephemeral().expect("randomness")
    };
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    pollster::block_on(deploy(&compilation.design, &settings.naming(), &backend, &pause, &mut |_| {}))
        .unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    Runtime::new(compilation.design, Arc::new(backend), settings)
        .unwrap_or_else(|problems| panic!("{text}\n{problems:?}"))
}
