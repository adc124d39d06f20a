//! Applying the repairs that need no decision: what `sortkey check --fix` does.
//!
//! A repair is text put into text, so it may go wrong in ways that its rule did not foresee. None is kept that makes
//! the design worse: a repaired design parses, and no error is there that was not there before.

use crate::{Options, check};
use sortkey_design::{Compilation, Loader, SYNTAX};
use sortkey_diagnostics::{Diagnostic, FileId, Fix, Severity, apply};
use std::collections::BTreeMap;

/// A repair may uncover another; a few rounds are enough, and two that undo each other must end.
const ROUNDS: usize = 8;

/// The text after all automatic repairs, and what is still found in it. A text with mistakes of syntax stays as it is:
/// where its declarations end is a guess.
pub fn repair(name: &str, text: &str, loader: &dyn Loader, options: &Options) -> (String, Compilation) {
    let mut text = text.to_owned();
    let mut compilation = check(name, &text, loader, options);
    for _ in 0..ROUNDS {
        if !parses(&compilation.diagnostics) {
            break;
        }
        let fixes: Vec<Fix> = automatic(&compilation.diagnostics);
        let together = attempt(name, &text, loader, options, &compilation, &fixes);
        let step = together.or_else(|| {
            fixes.iter().find_map(|fix| {
                attempt(name, &text, loader, options, &compilation, std::slice::from_ref(fix))
            })
        });
        let Some((repaired, found)) = step else { break };
        (text, compilation) = (repaired, found);
    }
    (text, compilation)
}

fn automatic(diagnostics: &[Diagnostic]) -> Vec<Fix> {
    let fixes = diagnostics.iter().filter_map(|each| each.fixes.first());
    fixes.filter(|fix| fix.automatic).cloned().collect()
}

/// The text with some repairs, unless that changes nothing or adds an error.
fn attempt(
    name: &str,
    text: &str,
    loader: &dyn Loader,
    options: &Options,
    before: &Compilation,
    fixes: &[Fix],
) -> Option<(String, Compilation)> {
    let (repaired, count) = apply(text, FileId(0), fixes);
    if count == 0 || repaired == text {
        return None;
    }
    let after = check(name, &repaired, loader, options);
    let (old, new) = (errors(&before.diagnostics), errors(&after.diagnostics));
    let is_worse = new.iter().any(|(rule, count)| *count > old.get(rule).copied().unwrap_or(0));
    (!is_worse).then_some((repaired, after))
}

fn errors(diagnostics: &[Diagnostic]) -> BTreeMap<&'static str, usize> {
    let mut found = BTreeMap::new();
    for each in diagnostics.iter().filter(|each| each.severity == Severity::Error) {
        *found.entry(each.rule).or_insert(0) += 1;
    }
    found
}

fn parses(diagnostics: &[Diagnostic]) -> bool {
    !diagnostics.iter().any(|each| each.rule == SYNTAX.name)
}
