//! How well the tests of a system watch over it. Long, so it runs only where `SORTKEY_MUTANTS` names a system; the
//! command `sortkey test --mutate` does the same.

use std::collections::BTreeMap;
use std::path::Path;

use sortkey_design::{FileLoader, compile};
use sortkey_testing::{Survey, survey};

#[test]
fn most_mutants_are_noticed() {
    let Ok(system) = std::env::var("SORTKEY_MUTANTS") else { return };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(&system).join("tests.sk");
    let text = std::fs::read_to_string(&file).expect("the tests are there");
    let compilation = compile(&file.to_string_lossy(), &text, &FileLoader);
    let tests: Vec<usize> = (0..compilation.design.tests.len()).collect();
    let Survey { count, unnoticed } = survey(&compilation.design, &tests, &BTreeMap::new());
    let missed: Vec<String> = unnoticed
        .iter()
        .map(|mutant| format!("{} (line {})", mutant.what, compilation.sources.position(mutant.span).line))
        .collect();
    assert!(
        missed.len() * 100 <= count * 3,
        "{} of {count} mutants are noticed by no test:\n{}",
        missed.len(),
        missed.join("\n")
    );
}
