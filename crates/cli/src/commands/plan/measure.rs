//! The units that calls really consume, beside those that were predicted.

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_design::Design;
use sortkey_diagnostics::counted_with;
use sortkey_testing::measure::{tests, trial};

use crate::designs;
use crate::failure::Failure;

/// Calls of everything, as a share of the generated items.
const ITEMS_PER_CALL: u64 = 10;
/// A fixed seed, so that every run is alike.
const SEED: u64 = 1;

/// Runs the tests of a design and calls everything over generated data; prints what was predicted and consumed.
pub(super) fn show(design: Design, items: u64) -> Result<(), Failure> {
    let design = Arc::new(design);
    let names = design.parameters.iter().map(|each| (each.name.text.clone(), "test".to_owned()));
    let names: BTreeMap<String, String> = names.collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(Failure::new)?;
    let calls = (items / ITEMS_PER_CALL).max(1);
    let called = trial(Arc::clone(&design), names.clone(), items, calls, SEED);
    let mut report = runtime.block_on(called).map_err(Failure::new)?;
    if !design.tests.is_empty() {
        let tested = runtime.block_on(tests(Arc::clone(&design), names)).map_err(|problems| {
            let what: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            Failure::new(what.join("; "))
        })?;
        report.extend(tested);
    }
    designs::say(&report.text());
    match report.differences() {
        0 => Ok(()),
        differences => Err(Failure::new(format_args!(
            "{} not what the plan says",
            counted_with(differences, "call", ("was", "were"))
        ))),
    }
}
