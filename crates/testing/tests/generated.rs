//! Designs that nobody wrote: generated from the grammar, filled by generated operations, and asked every question in every
//! way. What the checker accepts must run: no answer is an internal error, and none differs from that of a naive
//! interpreter, which keeps the items as the JSON that a scan returns and looks at all of them for every question and every
//! statement. It shares nothing with the planner or the runtime.
//!
//! `SORTKEY_DESIGNS=2000 SORTKEY_SEED=7 cargo test --workspace --test made_up generated -- --nocapture` looks further.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]
#![expect(clippy::print_stdout, reason = "long runs tell how far they looked")]

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Answer, Arguments, Call, Failure, FailureKind, Ids, Pending, Runtime, Settings};
use sortkey_deploy::deploy;
use sortkey_design::{Compilation, NoFiles};
use sortkey_diagnostics::Severity;
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_lints::{Options, check};
use sortkey_plan::read;
use sortkey_testkit::{Random, number_from_environment};

use crate::support::answers::expected;
use crate::support::design::{GONE, Generated, VERSION, WHO};
use crate::support::kinds::START_MS;
use crate::support::model::{By, Expected, Model, Stored, is_answer};
use crate::support::operations::{Operation, Verb, Write, version_of};
use crate::support::questions::{Asks, Most};

#[test]
fn generated_designs_answer_as_a_naive_interpreter_does() {
    let designs = number_from_environment("SORTKEY_DESIGNS", 60);
    let seed = number_from_environment("SORTKEY_SEED", 1);
    let (mut ran, mut asked, mut done, mut failed) = (0, 0, 0, Vec::new());
    for at in 0..designs {
        let run = || {
            let mut dice = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(at));
            World::new(Generated::new(&mut dice), &mut dice).map(|mut world| world.run(&mut dice))
        };
        // A long run goes on behind the first failure, so that it finds more than one.
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Some((questions, calls))) => {
                ran += 1;
                asked += questions;
                done += calls;
            }
            Ok(None) => {}
            Err(_) => failed.push(at),
        }
    }
    println!("{ran} of {designs} designs compiled and ran; {asked} questions, {done} operations");
    assert!(failed.is_empty(), "designs that failed with SORTKEY_SEED={seed}: {failed:?}");
    assert!(ran * 2 > designs, "most generated designs are designs: {ran} of {designs}");
}

/// A design at work, with what it should hold.
struct World {
    design: Generated,
    engine: Engine,
    runtime: Runtime,
    model: Model,
    /// Calls that can be repeated: the operation, its arguments, and what came of it.
    made: Vec<Made>,
    text: String,
}

/// A call with an idempotency key that succeeded.
struct Made {
    name: String,
    arguments: Map<String, Json>,
    caller: Option<&'static str>,
    answer: Json,
}

const CALLERS: [&str; 3] = ["a", "b", "ab"];

impl World {
    /// A design with the questions and operations that the checker accepts; none if it refuses what is left.
    fn new(mut design: Generated, dice: &mut Random) -> Option<World> {
        let mut dropped: BTreeSet<String> = BTreeSet::new();
        let (text, compilation) = loop {
            let parts = design.parts();
            let kept = parts.iter().filter(|(name, _)| name.is_none_or(|name| !dropped.contains(name)));
            let kept: Vec<(Option<&str>, &str)> = kept.map(|(name, text)| (*name, text.as_str())).collect();
            let text: String = kept.iter().map(|(_, text)| *text).collect();
            let compilation = check("generated.sk", &text, &NoFiles, &Options::default());
            if !compilation.has_errors() {
                break (text, compilation);
            }
            let refused = refused(&compilation, &kept);
            if std::env::var_os("SORTKEY_SHOW").is_some() {
                for each in compilation.diagnostics.iter().filter(|each| each.severity == Severity::Error) {
                    let span = each.primary.span;
                    let line = text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
                    println!("refused: {}: {}", each.title, text[line..].lines().next().unwrap_or_default());
                }
            }
            if refused.is_empty() {
                return None;
            }
            dropped.extend(refused);
        };
        design.questions.retain(|each| !dropped.contains(&each.name));
        design.operations.retain(|each| !dropped.contains(&each.name));
        let program = &compilation.program;
        for (id, pattern) in program.patterns.entries() {
            let plan = read(program, id).and_then(|choice| choice.plan);
            let (Some(plan), Some(first)) = (plan, pattern.entities.first()) else { continue };
            let attributes = &program.entities[*first].attributes;
            if let Some(question) = design.questions.iter_mut().find(|each| *each.name == *pattern.name) {
                question.omits = plan.omits.iter().map(|id| attributes[*id].name.to_string()).collect();
            }
        }
        let engine = Engine::memory(sortkey_engine::Settings {
            expiry_interval: None,
            ..sortkey_engine::Settings::default()
        });
        let now_ms = START_MS + dice.between(0, 5) * 1_000;
        engine.stop_clock_at(now_ms.unsigned_abs());
        let runtime = start(compilation, &engine, &text);
        let model = Model { now_ms, ..Model::default() };
        Some(World { design, engine, runtime, model, made: Vec::new(), text })
    }

    /// Changes items and asks questions, in turns. How many questions and operations.
    fn run(&mut self, dice: &mut Random) -> (usize, usize) {
        let (mut asked, mut done) = (0, 0);
        for _ in 0..3 {
            for _ in 0..20 {
                done += usize::from(self.change(dice));
            }
            for at in 0..self.design.questions.len() {
                for _ in 0..3 {
                    self.ask(at, dice);
                    asked += 1;
                }
            }
            self.model.now_ms += dice.between(0, 2) * 1_000;
            self.engine.stop_clock_at(self.model.now_ms.unsigned_abs());
        }
        (asked, done)
    }

    fn caller(&self, dice: &mut Random) -> Option<&'static str> {
        self.design.has_caller().then(|| *dice.pick(&CALLERS))
    }

    /// Calls an operation, in the database and in the model; whether there is one.
    fn change(&mut self, dice: &mut Random) -> bool {
        if self.design.operations.is_empty() {
            return false;
        }
        // Half of the calls make items, so that there are some.
        let makers =
            self.design.operations.iter().filter(|each| each.steps[0].verb == Verb::Create && each.is_short);
        let makers: Vec<&Operation> = makers.collect();
        let operation = match makers.is_empty() || dice.once_in(2) {
            true => dice.pick(&self.design.operations).clone(),
            false => (*dice.pick(&makers)).clone(),
        };
        if operation.is_idempotent && dice.once_in(3) && self.repeat(&operation, dice) {
            return true;
        }
        let caller = self.caller(dice);
        let (mut arguments, writes) =
            operation.arguments(dice, &self.design.entities, &self.model.items, caller);
        if operation.is_idempotent {
            arguments.insert("once".to_owned(), json!(format!("r{}", self.made.len())));
        }
        let version = self.version(&operation, &writes, dice);
        let before = self.model.items.clone();
        let by = By { caller, version };
        let expected = self.model.call(&self.design, &operation, &writes, by);
        let found = self.call(&operation.name, &arguments, caller, version, (None, None));
        let text = &self.text;
        let about =
            || format!("{text}\n{} {arguments:?} by {by:?}\nbefore: {}", operation.name, json!(before));
        match (&found, &expected) {
            (Ok(answer), Expected::Answer(wanted)) => {
                self.compare(&operation, answer, wanted.as_ref(), &about)
            }
            (Err(failure), Expected::Failure(names)) => {
                assert!(names.contains(failure.kind.name()), "{failure}, expected {names:?}\n{}", about());
            }
            (Err(failure), Expected::Refused) => {
                assert!(failure.kind != FailureKind::Internal, "{failure}\n{}", about());
            }
            (found, expected) => panic!("found {found:?}\nexpected {expected:?}\n{}", about()),
        }
        let stored = self.stored();
        self.model.adopt(&self.design, stored, &about);
        if let (Ok(answer), true) = (found, operation.is_idempotent) {
            let name = operation.name.clone();
            self.made.push(Made { name, arguments, caller, answer: shown(answer) });
        }
        true
    }

    /// A version that the call expects of the item it changes, sometimes the right one.
    fn version(&self, operation: &Operation, writes: &[Write], dice: &mut Random) -> Option<i64> {
        let ([step], [write]) = (operation.steps.as_slice(), writes) else { return None };
        let entity = &self.design.entities[step.entity];
        let changes = matches!(step.verb, Verb::Update | Verb::Delete) && entity.attribute(VERSION).is_some();
        if !changes || operation.is_idempotent || write.is_skipped || !dice.once_in(3) {
            return None;
        }
        let key = entity.key_of(&write.key);
        let mut own =
            self.model.items.iter().filter(|(at, item)| *at == step.entity && entity.key_of(item) == key);
        let version = own.next().and_then(|(_, item)| version_of(item));
        Some(version.unwrap_or_default() + i64::from(dice.once_in(3)))
    }

    /// Makes a call once more, which changes nothing and answers the same, and once with other arguments.
    fn repeat(&self, operation: &Operation, dice: &mut Random) -> bool {
        let earlier: Vec<&Made> = self.made.iter().filter(|made| made.name == operation.name).collect();
        if earlier.is_empty() {
            return false;
        }
        let made = *dice.pick(&earlier);
        let again = self.call(&made.name, &made.arguments, made.caller, None, (None, None));
        let about = || format!("{}\n{} {:?} by {:?}", self.text, made.name, made.arguments, made.caller);
        match again {
            // An item of more than 640 bytes is answered as it is by now; there are none.
            Ok(answer) => assert_eq!(shown(answer), made.answer, "a repeat answers the same\n{}", about()),
            Err(failure) => panic!("a repeat: {failure}\n{}", about()),
        }
        let mut model = self.model.clone();
        model.adopt(&self.design, self.stored(), &about);
        true
    }

    fn compare(
        &self,
        operation: &Operation,
        found: &Answer,
        wanted: Option<&Map<String, Json>>,
        about: &dyn Fn() -> String,
    ) {
        let Some(at) = operation.returns else { return };
        let step = &operation.steps[at];
        let entity = &self.design.entities[step.entity];
        let removes = matches!(step.verb, Verb::Delete | Verb::Purge);
        let soft = step.verb == Verb::Delete && entity.attribute(GONE).is_some();
        match (found, wanted) {
            (Answer::Value(Json::Object(found)), Some(wanted)) => {
                assert!(
                    soft || is_answer(entity, found, wanted),
                    "answered {found:?}, not {wanted:?}\n{}",
                    about()
                );
            }
            (Answer::Nothing | Answer::Value(Json::Null), None) => {}
            // A transaction returns nothing of what it removes, unless it had to be read before.
            (Answer::Nothing, Some(_)) if removes && operation.is_transaction => {}
            (found, wanted) => panic!("answered {found:?}, not {wanted:?}\n{}", about()),
        }
    }

    /// All items, by a scan of each entity.
    fn stored(&self) -> Vec<Stored> {
        let mut all = Vec::new();
        for at in 0..self.design.entities.len() {
            let name = format!("all{at}");
            let found = self.list(&name, &Map::new(), None, &mut |_| None);
            let found = found.unwrap_or_else(|failure| panic!("{}\n{name}: {failure}", self.text));
            for item in found.as_array().into_iter().flatten() {
                all.extend(item.as_object().map(|item| (at, item.clone())));
            }
        }
        all
    }

    fn ask(&self, at: usize, dice: &mut Random) {
        let question = &self.design.questions[at];
        let caller = self.caller(dice);
        let (arguments, given) = question.arguments(dice, &self.model.items, caller);
        let page = match (question.asks, question.most) {
            (Asks::List | Asks::Collect, Most::Page(page)) => Some(page),
            _ => None,
        };
        let mut limit = |_: &Json| page.filter(|_| dice.once_in(3)).map(|page| 1 + dice.below(page));
        let found = self.list(&question.name, &arguments, caller, &mut limit);
        let expected = expected(question, &given, &self.model);
        let now = self.model.now_ms;
        let items = json!(self.model.items);
        let about = || {
            format!("{}\n{} {arguments:?} by {caller:?} at {now}\nitems: {items}", self.text, question.name)
        };
        match found {
            Ok(found) => question.compare(&found, &expected, &about),
            Err(failure) if failure.kind == FailureKind::NotFound && given.is_foreign() => {}
            Err(failure) => panic!("{failure}\n{}", about()),
        }
    }

    /// The whole answer of a pattern, page by page.
    fn list(
        &self,
        name: &str,
        arguments: &Map<String, Json>,
        caller: Option<&str>,
        limit: &mut dyn FnMut(&Json) -> Option<u32>,
    ) -> Result<Json, Failure> {
        let (mut all, mut cursor): (Vec<Json>, Option<String>) = (Vec::new(), None);
        loop {
            let most = limit(&Json::Null);
            match self.call(name, arguments, caller, None, (cursor.as_deref(), most))? {
                Answer::Page { items, cursor: next } => {
                    let is_too_long = most.is_some_and(|most| items.len() > most as usize);
                    assert!(
                        !is_too_long,
                        "{}\n{name} {arguments:?}: more than {most:?}: {items:?}",
                        self.text
                    );
                    all.extend(items);
                    match next {
                        Some(next) => cursor = Some(next),
                        None => return Ok(Json::Array(all)),
                    }
                }
                answer => return Ok(shown(answer)),
            }
        }
    }

    fn call(
        &self,
        name: &str,
        arguments: &Map<String, Json>,
        caller: Option<&str>,
        version: Option<i64>,
        (cursor, limit): (Option<&str>, Option<u32>),
    ) -> Result<Answer, Failure> {
        let caller = caller.map(|who| Map::from_iter([(WHO.to_owned(), json!(who))]));
        let caller = caller.map(|caller| self.runtime.caller(caller).expect("a caller"));
        let given = Arguments::try_from(arguments.clone()).expect("numbers that can be kept");
        let call = Call { name, caller: caller.as_ref(), arguments: given, cursor, limit, version };
        let answer = pollster::block_on(self.runtime.call(call));
        if let Err(failure) = &answer {
            let inside = [
                FailureKind::Internal,
                FailureKind::Unavailable,
                FailureKind::Unreadable,
                FailureKind::Throttled,
            ];
            assert!(!inside.contains(&failure.kind), "{}\n{name} {arguments:?}: {failure}", self.text);
        }
        answer
    }
}

fn shown(answer: Answer) -> Json {
    match answer {
        Answer::Nothing => Json::Null,
        Answer::Value(value) => value,
        Answer::Page { items, .. } => Json::Array(items),
    }
}

/// The questions and operations with an error in them.
fn refused(compilation: &Compilation, parts: &[(Option<&str>, &str)]) -> BTreeSet<String> {
    let errors = compilation.diagnostics.iter().filter(|each| each.severity == Severity::Error);
    let mut refused = BTreeSet::new();
    for error in errors {
        let (start, mut end) = (error.primary.span.start as usize, 0);
        for (name, text) in parts {
            end += text.len();
            if start < end {
                refused.extend(name.map(str::to_owned));
                break;
            }
        }
    }
    refused
}

fn start(compilation: Compilation, engine: &Engine, text: &str) -> Runtime {
    let backend = Embedded::new(engine.clone());
    let settings = Settings {
        ids: Arc::new(Ids::seeded(1)),
        clock: Arc::new(backend.clone()),
        parameters: BTreeMap::new(),
        ..ephemeral().expect("randomness")
    };
    let runtime = Runtime::new(compilation.design, Arc::new(backend.clone()), settings)
        .unwrap_or_else(|problems| panic!("accepted, and does not start: {problems:?}\n{text}"));
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    pollster::block_on(deploy(runtime.design(), &Default::default(), &backend, &pause, &mut |_| {}))
        .unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    runtime
}
