//! The measurements, pattern by pattern and operation by operation.

use sortkey_design::Program;
use sortkey_design::program::Callee;
use sortkey_plan::{Cost, Script, operation_script, pattern_script};

use super::fit::Comparison;
use super::observed::{Charge, Observed};

/// All measurements of a design, in the order of its text.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Patterns, then operations.
    pub entries: Vec<Measured>,
}

/// The measurements of one pattern or operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// The predicted cost of one call, for items of the usual size.
    pub usual: Cost,
    /// Calls that succeeded.
    pub succeeded: u64,
    /// Calls that failed, as calls of a design may.
    pub failed: u64,
    /// How the last of them failed.
    pub trouble: Option<String>,
    /// The predicted cost of all these calls, with the sizes of the items they touched.
    pub predicted: Cost,
    /// Their consumption.
    pub consumed: Cost,
    /// Calls that differ from the plan, each with the difference.
    pub differences: Vec<String>,
}

impl Report {
    /// Nothing measured yet.
    pub fn new(program: &Program) -> Report {
        let entry =
            |name: &str, usual: Cost| Measured { name: name.to_owned(), usual, ..Measured::default() };
        let patterns = program.patterns.entries().map(|(id, pattern)| {
            let script = pattern_script(program, id);
            entry(&pattern.name, script.map(|script| script.body.cost()).unwrap_or_default())
        });
        let operations = program
            .operations
            .entries()
            .map(|(id, operation)| entry(&operation.name, operation_script(program, id).body.cost()));
        Report { entries: patterns.chain(operations).collect() }
    }

    /// Adds one call.
    pub fn add(
        &mut self,
        program: &Program,
        comparison: Comparison<'_>,
        name: &str,
        requests: &[Observed],
        failed: Option<&str>,
    ) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.name == name) else { return };
        let Some(script) = script(program, name) else { return };
        match failed {
            None => entry.succeeded += 1,
            Some(failed) => {
                entry.failed += 1;
                entry.trouble = Some(failed.to_owned());
            }
        }
        for request in requests {
            entry.consumed += cost(request, &request.consumed);
        }
        match comparison.compare(&script, requests, failed) {
            Ok(predicted) => {
                for (request, charges) in requests.iter().zip(predicted) {
                    entry.predicted += cost(request, &charges);
                }
            }
            Err(difference) => entry.differences.push(difference),
        }
    }

    /// Adds the measurements of another report on the same design.
    pub fn extend(&mut self, other: Report) {
        for (entry, more) in self.entries.iter_mut().zip(other.entries) {
            entry.succeeded += more.succeeded;
            entry.failed += more.failed;
            entry.trouble = more.trouble.or(entry.trouble.take());
            entry.predicted += more.predicted;
            entry.consumed += more.consumed;
            entry.differences.extend(more.differences);
        }
    }

    /// Whether a call of a pattern or an operation succeeded.
    pub fn has_succeeded(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name && entry.succeeded > 0)
    }

    /// The patterns and operations of which no call succeeded.
    pub fn missing(&self) -> Vec<&Measured> {
        self.entries.iter().filter(|entry| entry.succeeded == 0).collect()
    }
}

fn script(program: &Program, name: &str) -> Option<Script> {
    match program.callee(name)? {
        Callee::Pattern(id) => pattern_script(program, id),
        Callee::Operation(id) => Some(operation_script(program, id)),
        Callee::Effect(_) => None,
    }
}

fn cost(request: &Observed, charges: &[Charge]) -> Cost {
    let units: f64 = charges.iter().map(Charge::total).sum();
    match request.reads() {
        true => Cost { requests: 1.0, rcu: units, wcu: 0.0 },
        false => Cost { requests: 1.0, rcu: 0.0, wcu: units },
    }
}
