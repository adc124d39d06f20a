//! A plan that is wrong is noticed: calls of one design held against the plans of designs that differ in one thing.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use sortkey_core::{Backend, Call, Pending, Runtime, Settings};
use sortkey_deploy::{Naming, deploy};
use sortkey_design::program::Callee;
use sortkey_design::{Design, NoFiles, Program, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_plan::{Script, operation_script, pattern_script};
use sortkey_testing::measure::{Comparison, Meter, Observed};

const DESIGN: &str = r#"
table T { key (holder | id)  index byTag (tag | id) project all  index byName (name | id) project keys }
entity Note in T {
  holder slug(1..20)
  id    slug(1..20)
  tag   slug(1..20)
  name  slug(1..20)
  text  string(..5_000)
  unique name
}
system pattern one = get Note by holder, id strong
system pattern tagged = list Note by tag page 5
system operation write = create Note
system operation retag(holder, id, tag: slug) { update Note(holder, id) { tag } }
system operation retext(holder, id, text) { update Note(holder, id) { text } }
"#;

fn design(text: &str) -> Arc<Design> {
    let compilation = compile("t.sk", text, &NoFiles);
    assert_eq!(compilation.diagnostics, [], "{text}");
    compilation.design
}

fn design_program(text: &str) -> Arc<Program> {
    compile("t.sk", text, &NoFiles).program
}

/// The plan of a call; none if no path serves it.
fn script(program: &Program, name: &str) -> Option<Script> {
    match program.callee(name).expect("declared") {
        Callee::Pattern(id) => pattern_script(program, id),
        Callee::Operation(id) => Some(operation_script(program, id)),
        Callee::Effect(_) => None,
    }
}

/// The design at work, and what each of its calls sent.
fn measured() -> (Runtime, BTreeMap<&'static str, Vec<Observed>>) {
    let design = design(DESIGN);
    let meter = Arc::new(Meter::new(Embedded::new(Engine::memory(sortkey_engine::Settings::default()))));
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
    let naming = Naming { prefix: Some("t-".to_owned()), parameters: BTreeMap::new() };
    pollster::block_on(deploy(&design, &naming, &*meter, &pause, &mut |_| {})).expect("deployed");
    let settings = Settings { table_prefix: Some("t-".to_owned()), ..ephemeral().expect("randomness") };
    let backend: Arc<dyn Backend> = Arc::clone(&meter) as Arc<dyn Backend>;
    let runtime = Runtime::new(design, backend, settings).expect("a design that runs");
    let calls: [(&str, Json); 5] = [
        ("write", json!({ "holder": "a", "id": "1", "tag": "x", "name": "n", "text": "t".repeat(3_000) })),
        ("one", json!({ "holder": "a", "id": "1" })),
        ("tagged", json!({ "tag": "x" })),
        ("retag", json!({ "holder": "a", "id": "1", "tag": "y" })),
        ("retext", json!({ "holder": "a", "id": "1", "text": "u".repeat(2_000) })),
    ];
    meter.take();
    let mut seen = BTreeMap::new();
    for (name, arguments) in calls {
        let Json::Object(arguments) = arguments else { continue };
        let arguments = arguments.try_into().expect("numbers that can be kept");
        let call = Call { name, arguments, ..Call::default() };
        pollster::block_on(runtime.call(call)).expect("it succeeds");
        seen.insert(name, meter.take());
    }
    (runtime, seen)
}

#[test]
fn only_the_right_plan_fits() {
    let (runtime, seen) = measured();
    let right = design_program(DESIGN);
    let comparison = Comparison::new(&runtime);
    for (name, requests) in &seen {
        let script = script(&right, name).expect("a path");
        let fits = comparison.compare(&script, requests, None);
        assert!(fits.is_ok(), "{name}: {fits:?}");
    }
    // The call, what is changed in the text, and into what.
    let wrong = [
        ("one", "by holder, id strong", "by holder, id"),
        ("tagged", "(tag | id) project all", "(holder, tag | id) project all"),
        ("write", "  unique name\n", ""),
        ("write", "(name | id) project keys", "(name | id) project all"),
        ("write", "index byTag (tag | id) project all  ", ""),
        ("retag", "{ update Note(holder, id) { tag } }", "{ update Note(holder, id) { text: \"\" } }"),
        ("retag", "{ update Note(holder, id) { tag } }", "{ delete Note(holder, id) }"),
        ("retext", "(tag | id) project all", "(tag | id) project keys"),
        ("retext", "{ update Note(holder, id) { text } }", "{ update Note(holder, id) { name: text } }"),
    ];
    for (name, text, instead) in wrong {
        let changed = DESIGN.replace(text, instead);
        assert_ne!(changed, DESIGN, "{text}");
        let other = design_program(&changed);
        let Some(requests) = seen.get(name) else { continue };
        let comparison = Comparison::with(&runtime, &other);
        let fits = script(&other, name).map(|script| comparison.compare(&script, requests, None));
        assert!(!matches!(fits, Some(Ok(_))), "{name} fits the plan with {instead:?} for {text:?}");
    }
}
