//! How well the tests of a system watch over it. Long, so it runs only where `SORTKEY_MUTANTS` names a system; the
//! command `sortkey test --mutate` does the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sortkey_design::{FileLoader, compile};
use sortkey_testing::{Suite, mutants};

#[test]
fn most_mutants_are_noticed() {
    let Ok(system) = std::env::var("SORTKEY_MUTANTS") else { return };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(&system).join("tests.sk");
    let text = std::fs::read_to_string(&file).expect("the tests are there");
    let compilation = compile(&file.to_string_lossy(), &text, &FileLoader);
    let all = mutants(&compilation.design);
    let count = all.len();
    let mut missed = Vec::new();
    for mutant in all {
        let noticed = match pollster::block_on(Suite::new(Arc::new(mutant.design), BTreeMap::new())) {
            Ok(suite) => (0..suite.tests().len()).any(|at| !pollster::block_on(suite.run(at)).passed()),
            Err(_) => true,
        };
        if !noticed {
            let line = compilation.sources.position(mutant.span).line;
            missed.push(format!("{} (line {line})", mutant.what));
        }
    }
    let share = missed.len() * 100 / count.max(1);
    assert!(share <= 5, "{} of {count} mutants are noticed by no test:\n{}", missed.len(), missed.join("\n"));
}
