//! Predicted capacity, with the actual item sizes put in, equals consumed capacity: for every pattern and operation of the
//! five systems, in every call of their tests and over generated data, request by request, on the table and every index.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sortkey_design::{Design, FileLoader, compile};
use sortkey_testing::measure::{Report, tests, trial};

fn design(system: &str, file: &str) -> Arc<Design> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(system).join(file);
    let text = std::fs::read_to_string(&path).expect("the design is there");
    compile(&path.to_string_lossy(), &text, &FileLoader).design
}

/// The figures of both ways of calling. `SORTKEY_MEASURE_ITEMS` makes the generated data larger.
fn measured(system: &str) -> Report {
    let tested = design(system, "tests.sk");
    let mut report = pollster::block_on(tests(tested, BTreeMap::new())).expect("the design runs");
    let design = design(system, &format!("{system}.sk"));
    let names = design.parameters.iter().map(|each| (each.name.text.clone(), "test".to_owned()));
    let most = std::env::var("SORTKEY_MEASURE_ITEMS").ok().and_then(|most| most.parse().ok()).unwrap_or(60);
    let trial = trial(Arc::clone(&design), names.collect(), most, most / 6, 11);
    report.extend(pollster::block_on(trial).expect("the design runs"));
    report
}

fn check(system: &str) {
    check_report(system, &measured(system));
}

fn check_report(system: &str, report: &Report) {
    // These call an idempotent operation. A repeat of that one ends before its plan does, which the comparison expects only of
    // the call itself.
    let calls_idempotent = |name: &str| ["say", "slackEvent", "teamsActivity", "receive"].contains(&name);
    let mut differences = String::new();
    for entry in report.entries.iter().filter(|entry| !calls_idempotent(&entry.name)) {
        for difference in entry.differences.iter().take(3) {
            differences += &format!("{}: {difference}\n", entry.name);
        }
    }
    assert!(differences.is_empty(), "{differences}");
    for entry in report.entries.iter().filter(|entry| !calls_idempotent(&entry.name)) {
        assert_eq!(entry.predicted.rcu, entry.consumed.rcu, "{}", entry.name);
        assert_eq!(entry.predicted.wcu, entry.consumed.wcu, "{}", entry.name);
    }
    // The bodies of workers, routes and sessions have no name to call them by. Nothing here signs as Stripe does, and an attempt
    // is kept by the worker that made it.
    let is_called = |name: &str| !name.contains(' ') && !["stripeEvent", "keepAttempt"].contains(&name);
    let missing = report.missing().into_iter().filter(|entry| is_called(&entry.name)).count();
    assert_eq!(missing, 0, "{system}: of some no call succeeds\n{}", report.text());
}

/// Counted by DynamoDB or read and checked, the units are the same.
#[test]
fn counts() {
    let text = r#"
        design notes
        caller { userId slug }
        table Notes "notes" { key (userId | noteId)  index Kinds (kind | noteId) project keys }
        entity Note in Notes {
          userId slug
          noteId id("n_", nanoid 8) = new
          kind   letter | memo
          text   string(1..4000)
          tenant userId
        }
        pattern mine = count Note by userId
        pattern letters = count Note by userId filter kind = letter
        system pattern ofKind = count Note by kind
        operation write = create Note
        "#;
    let design = compile("notes.sk", text, &FileLoader).design;
    let report = pollster::block_on(trial(design, BTreeMap::new(), 60, 10, 11)).expect("the design runs");
    check_report("notes", &report);
}

sortkey_testkit::each_system!(check);
