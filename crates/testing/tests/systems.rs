//! The tests of the five systems pass: what their documents promise, kept by the runtime.

use std::collections::BTreeMap;
use std::path::Path;

use sortkey_design::{FileLoader, compile};
use sortkey_diagnostics::{Style, render};
use sortkey_testing::Suite;

fn check(system: &str) {
    check_file(system, "tests.sk");
}

fn check_file(system: &str, tests: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(system);
    let file = path.join(tests);
    let text = std::fs::read_to_string(&file).expect("the design is there");
    let compilation = compile(&file.to_string_lossy(), &text, &FileLoader);
    assert!(!compilation.has_errors(), "{system} compiles");
    let design = compilation.design;
    let suite = pollster::block_on(Suite::new(design, BTreeMap::new())).expect("the design runs");
    assert!(!suite.tests().is_empty(), "{system} has tests");
    let mut report = String::new();
    for at in 0..suite.tests().len() {
        let outcome = pollster::block_on(suite.run(at));
        if let Some(failure) = outcome.failure {
            report +=
                &format!("{}\n{}\n", outcome.title, render(&failure, &compilation.sources, Style::Plain));
        }
    }
    assert!(report.is_empty(), "{report}");
}

/// The design that the migration of the seller profiles starts from.
#[test]
fn seller_profiles_before() {
    check_file("seller-profiles", "tests-before.sk");
}

sortkey_testkit::each_system!(check);
