//! The five systems, changed at random. What still compiles must run: every pattern and every operation is called with arguments
//! that were taken from stored items, no answer is an internal error, and no answer of a pattern differs from that of a
//! naive interpreter over all items.
//!
//! `SORTKEY_MUTANTS=500 SORTKEY_SEED=7 cargo test --workspace --test made_up mutated -- --nocapture` looks further.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]
#![expect(clippy::print_stdout, reason = "long runs say how far they looked")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Answer, Arguments, Call, Failure, FailureKind, Ids, Pending, Runtime, Settings};
use sortkey_deploy::{Naming, deploy};
use sortkey_design::model::ReadVerb;
use sortkey_design::program::{Callee, Pattern, Signature, Type};
use sortkey_design::{FileLoader, Program, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_lints::{Options, check};
use sortkey_plan::read;
use sortkey_testing::seeding::seed;
use sortkey_testkit::{Random, number_from_environment};

use crate::support::mutation::mutated;
use crate::support::naive::{Asked, Item, is_understood, shown};

/// The moment of every call.
const NOW_MS: u64 = 1_790_000_000_000;

/// The designs of all systems.
fn systems() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    let folders = std::fs::read_dir(&root).expect("the systems").map(|entry| entry.expect("an entry").path());
    let design = |folder: PathBuf| Some(folder.join(folder.file_name()?).with_extension("sk"));
    let mut found: Vec<PathBuf> =
        folders.filter(|path| path.is_dir()).filter_map(design).filter(|path| path.exists()).collect();
    found.sort();
    found
}

#[test]
fn mutated_systems_answer_as_a_naive_interpreter_does() {
    let mutants = number_from_environment("SORTKEY_MUTANTS", 3);
    let seed = number_from_environment("SORTKEY_SEED", 1);
    let (mut ran, mut compared, mut failed) = (0, 0, Vec::new());
    let systems = systems();
    assert!(systems.len() >= 5, "{systems:?}");
    for (place, path) in systems.iter().enumerate() {
        let text = std::fs::read_to_string(path).expect("a design");
        for at in 0..mutants {
            let mut dice = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(at * 7 + place as u64));
            // The first is the system as it is.
            let text = if at == 0 { text.clone() } else { mutated(&text, &mut dice) };
            let run = || Mutant::new(path, &text).map(|mut mutant| mutant.run(&mut dice));
            // A long run goes on behind the first failure, so that it finds more than one.
            match catch_unwind(AssertUnwindSafe(run)) {
                Ok(Some(answers)) => {
                    ran += 1;
                    compared += answers;
                }
                Ok(None) => {}
                Err(_) => failed.push(format!("{} {at}", path.display())),
            }
        }
    }
    println!("{ran} designs ran; {compared} answers compared");
    assert!(failed.is_empty(), "designs that failed with SORTKEY_SEED={seed}: {failed:#?}");
    assert!(ran > systems.len(), "some mutants run: {ran}");
    assert!(compared > 20 * systems.len(), "answers are compared: {compared}");
}

/// A design that runs, with data.
struct Mutant {
    program: Arc<Program>,
    runtime: Runtime,
    items: Vec<Item>,
    text: String,
}

impl Mutant {
    /// None if the checker refuses the design.
    fn new(path: &Path, text: &str) -> Option<Mutant> {
        let path = path.to_string_lossy();
        let bare = check(&path, text, &FileLoader, &Options::default());
        if bare.has_errors() {
            return None;
        }
        let names = bare.program.entities.iter().map(|entity| entity.name.clone());
        let scans: Vec<String> = names
            .map(|name| {
                format!("system pattern naive{name} = scan {name} including expired including deleted\n")
            })
            .collect();
        let text = format!("{text}\n{}", scans.concat());
        let compilation = compile(&path, &text, &FileLoader);
        assert!(!compilation.has_errors(), "{text}\n{:#?}", compilation.diagnostics);
        let design = compilation.design;
        let parameters: BTreeMap<String, String> =
            design.parameters.iter().map(|each| (each.name.text.clone(), "test".to_owned())).collect();
        let naming = Naming { prefix: None, parameters: parameters.clone() };
        let engine = Engine::memory(sortkey_engine::Settings {
            expiry_interval: None,
            ..sortkey_engine::Settings::default()
        });
        engine.stop_clock_at(NOW_MS);
        let backend = Embedded::new(engine);
        let settings = Settings {
            parameters,
            clock: Arc::new(backend.clone()),
            ids: Arc::new(Ids::seeded(7)),
            bcrypt_cost: 4,
            ..ephemeral().expect("randomness")
        };
        let runtime = Runtime::new(Arc::clone(&design), Arc::new(backend.clone()), settings)
            .unwrap_or_else(|problems| panic!("accepted, and does not start: {problems:?}\n{text}"));
        let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
        pollster::block_on(deploy(&design, &naming, &backend, &pause, &mut |_| {}))
            .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        Some(Mutant { program: compilation.program, runtime, items: Vec::new(), text })
    }

    /// Fills the tables, asks every pattern, calls every operation, and asks again. How many answers were compared.
    fn run(&mut self, dice: &mut Random) -> usize {
        pollster::block_on(seed(&self.runtime, 12, 7, &mut |_| {})).expect("randomness");
        let mut compared = 0;
        for round in 0..2 {
            self.items = self.all_items();
            let program = Arc::clone(&self.program);
            for (id, pattern) in program.patterns.entries() {
                // An index that is sparse by nature finds only what is in it, which the interpreter does not know.
                let plan = read(&program, id).and_then(|choice| choice.plan);
                let is_sparse = plan.is_none_or(|plan| !plan.omits.is_empty());
                for _ in 0..4 {
                    compared += usize::from(self.ask(pattern, !is_sparse, dice));
                }
            }
            for operation in program.operations.iter().filter(|_| round == 0) {
                for _ in 0..3 {
                    let caller = self.caller(dice);
                    let arguments = self.arguments(&operation.signature, dice);
                    // What it answers is its own affair, but it is never an accident.
                    let _ = self.call(&operation.name, &caller, &arguments, None);
                }
            }
        }
        compared
    }

    /// All items.
    fn all_items(&self) -> Vec<Item> {
        let mut all = Vec::new();
        for (id, entity) in self.program.entities.entries() {
            let nobody = Map::new();
            match self.call(&format!("naive{}", entity.name), &nobody, &Map::new(), None) {
                Ok(Answer::Page { items, .. }) => {
                    all.extend(items.into_iter().filter_map(|item| match item {
                        Json::Object(item) => Some((id, item)),
                        _ => None,
                    }))
                }
                other => panic!("a scan of {} gave {other:?}\n{}", entity.name, self.text),
            }
        }
        all
    }

    /// Asks a pattern; whether its answer was compared.
    fn ask(&self, pattern: &Pattern, is_complete: bool, dice: &mut Random) -> bool {
        let (caller, arguments) = (self.caller(dice), self.arguments(&pattern.signature, dice));
        let found = match self.read(pattern, &caller, &arguments) {
            Ok(found) => found,
            // What is another tenant's is not found, and what is not given is asked for.
            Err(failure) => {
                let refusals = [
                    FailureKind::Invalid,
                    FailureKind::NotFound,
                    FailureKind::Forbidden,
                    FailureKind::Unauthenticated,
                ];
                let is_refusal = refusals.contains(&failure.kind);
                assert!(is_refusal, "{} {arguments:?} by {caller:?}: {failure}\n{}", pattern.name, self.text);
                return false;
            }
        };
        let program = &*self.program;
        let asked = Asked { program, pattern, arguments: &arguments, caller: &caller, now_ms: NOW_MS as i64 };
        let expected = asked.expected(&self.items).filter(|_| is_complete && is_understood(program, pattern));
        let Some(expected) = expected else { return false };
        let expected: Vec<Json> = expected.into_iter().map(|item| shown(program, pattern, item)).collect();
        let about = || {
            format!(
                "{} {arguments:?} by {caller:?}\nfound {found:#?}\nexpected {expected:#?}\n{}",
                pattern.name, self.text
            )
        };
        match (pattern.verb, &found) {
            (ReadVerb::Get, Json::Null) => assert!(expected.is_empty(), "{}", about()),
            (ReadVerb::Get, item) => assert!(expected.contains(item), "{}", about()),
            (ReadVerb::Count, count) => assert_eq!(*count, json!(expected.len()), "{}", about()),
            (ReadVerb::Exists, exists) => assert_eq!(*exists, json!(!expected.is_empty()), "{}", about()),
            (_, Json::Array(items)) => {
                let most = pattern.limit.filter(|_| pattern.page.is_none());
                let wanted = most.map_or(expected.len(), |most| expected.len().min(most as usize));
                assert_eq!(items.len(), wanted, "{}", about());
                assert!(items.iter().all(|item| expected.contains(item)), "{}", about());
            }
            (verb, found) => panic!("{verb:?} gave {found}\n{}", about()),
        }
        true
    }

    /// The whole answer of a pattern, page by page.
    fn read(
        &self,
        pattern: &Pattern,
        caller: &Map<String, Json>,
        arguments: &Map<String, Json>,
    ) -> Result<Json, Failure> {
        let (mut all, mut cursor): (Vec<Json>, Option<String>) = (Vec::new(), None);
        loop {
            match self.call(&pattern.name, caller, arguments, cursor.as_deref())? {
                Answer::Page { items, cursor: next } => {
                    all.extend(items);
                    match next {
                        Some(next) => cursor = Some(next),
                        None => return Ok(Json::Array(all)),
                    }
                }
                Answer::Value(value) => return Ok(value),
                Answer::Nothing => return Ok(Json::Null),
            }
        }
    }

    fn call(
        &self,
        name: &str,
        caller: &Map<String, Json>,
        arguments: &Map<String, Json>,
        cursor: Option<&str>,
    ) -> Result<Answer, Failure> {
        let is_system =
            self.program.callee(name).is_some_and(|callee: Callee| self.program.is_system(callee));
        let own = match is_system || self.program.caller.is_empty() {
            true => None,
            false => Some(self.runtime.caller(caller.clone())?),
        };
        let given = Arguments::try_from(arguments.clone())?;
        let call = Call { name, caller: own.as_ref(), arguments: given, cursor, ..Call::default() };
        let answer = pollster::block_on(self.runtime.call(call));
        if let Err(failure) = &answer {
            let inside = [FailureKind::Internal, FailureKind::Unavailable, FailureKind::Unreadable];
            // Nothing carries out effects here.
            let is_effect = failure.message.starts_with("nothing carries out the effect");
            assert!(
                is_effect || !inside.contains(&failure.kind),
                "{name} {arguments:?} by {caller:?}: {failure}\n{}",
                self.text
            );
        }
        answer
    }

    /// Somebody who has what some item has under the same names.
    fn caller(&self, dice: &mut Random) -> Map<String, Json> {
        let mut caller = Map::new();
        for attribute in self.program.caller.iter() {
            let value = self.value_called(&attribute.name, dice).or_else(|| made(&attribute.ty, dice));
            caller.extend(value.map(|value| (attribute.name.to_string(), value)));
        }
        caller
    }

    /// Arguments that belong together: most are those of one item.
    fn arguments(&self, signature: &Signature, dice: &mut Random) -> Map<String, Json> {
        let mut arguments = Map::new();
        let of_one = signature.parameters.iter().find_map(|parameter| parameter.attribute);
        let own: Vec<&Item> =
            self.items.iter().filter(|item| of_one.is_some_and(|(entity, _)| entity == item.0)).collect();
        let item = (!own.is_empty()).then(|| *dice.pick(&own));
        for parameter in &signature.parameters {
            let may_be_left_out = parameter.optional || parameter.of_caller.is_some();
            if may_be_left_out && dice.once_in(2) {
                continue;
            }
            let of_item = item.filter(|_| !dice.once_in(6)).and_then(|(_, item)| item.get(&*parameter.name));
            let value = of_item.cloned().or_else(|| self.value_called(&parameter.name, dice));
            let value = value.or_else(|| made(&parameter.ty, dice));
            arguments.extend(value.map(|value| (parameter.name.to_string(), value)));
        }
        arguments
    }

    /// A value that some item has under a name.
    fn value_called(&self, name: &str, dice: &mut Random) -> Option<Json> {
        let values: Vec<&Json> = self.items.iter().filter_map(|(_, item)| item.get(name)).collect();
        (!values.is_empty()).then(|| (*dice.pick(&values)).clone())
    }
}

/// A value of a type, for what no item has.
fn made(ty: &Type, dice: &mut Random) -> Option<Json> {
    Some(match ty {
        Type::Int { min, max } => {
            let least = min.unwrap_or(0);
            json!(dice.between(least, max.unwrap_or(least.saturating_add(9)).min(least.saturating_add(9))))
        }
        Type::Decimal { .. } => json!(dice.between(0, 9)),
        Type::Bool => json!(dice.once_in(2)),
        Type::Enum(words) => json!(&**dice.pick(&words.words)),
        Type::Set { of, .. } | Type::List { of, .. } => match &**of {
            // As much as there is, so that rules are satisfied.
            Type::Enum(words) => words.words.iter().map(|word| Json::from(&**word)).collect(),
            of => Json::Array(vec![made(of, dice)?]),
        },
        Type::Time { .. } => json!("2026-09-21T00:00:00.000Z"),
        Type::Date => json!("2026-09-21"),
        Type::Month => json!("2026-09"),
        Type::String { .. } | Type::Any { .. } | Type::Unknown => json!(dice.pick(&["a", "text", "a-b"])),
        _ => return None,
    })
}
