//! Running the rules: which are on, at which level, and what an `allow` silences.

mod possible;

use crate::context::Paths;
use crate::{Context, Lint, lints};
use sortkey_design::model::Allow;
use sortkey_design::{Compilation, Loader, UNKNOWN_RULE, compile};
use sortkey_diagnostics::{Diagnostic, Severity, Span, sort};

/// A project's settings for the rules.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Rules that do not run at all.
    pub off: Vec<String>,
    /// Whether warnings weigh as much as errors.
    pub deny_warnings: bool,
}

/// Compiles a file and runs every rule on it: what `sortkey check` does.
pub fn check(name: &str, text: &str, loader: &dyn Loader, options: &Options) -> Compilation {
    let mut compilation = compile(name, text, loader);
    let found = lint(&compilation, options);
    compilation.diagnostics.extend(found);
    sort(&mut compilation.diagnostics);
    if options.deny_warnings {
        for diagnostic in &mut compilation.diagnostics {
            if diagnostic.severity == Severity::Warning {
                diagnostic.severity = Severity::Error;
            }
        }
    }
    compilation
}

/// Runs every rule on a compiled design.
pub fn lint(compilation: &Compilation, options: &Options) -> Vec<Diagnostic> {
    let (design, program) = (&compilation.design, &compilation.program);
    let on = |lint: &&Lint| !options.off.iter().any(|off| off == lint.name || off == lint.code);
    let paths = Paths::of(program);
    let mut found: Vec<Diagnostic> =
        lints().filter(on).flat_map(|lint| Context::new(design, program, &paths, lint).run()).collect();
    found.retain(|diagnostic| !design.allows.iter().any(|allow| silences(allow, diagnostic)));
    found.extend(possible::impossible(compilation, &found));
    found.extend(design.allows.iter().filter_map(unknown_allow));
    sort(&mut found);
    found.dedup();
    say_how_to_silence(&mut found);
    found
}

/// A hint is an opinion: the first of each rule gets a note on how to silence it.
fn say_how_to_silence(found: &mut [Diagnostic]) {
    let mut said: Vec<&str> = Vec::new();
    for diagnostic in found.iter_mut().filter(|each| each.severity == Severity::Hint) {
        if !said.contains(&diagnostic.rule) {
            said.push(diagnostic.rule);
            let note =
                format!("To keep it as it is, write `allow {} because \"...\"` here.", diagnostic.rule);
            diagnostic.notes.push(note);
        }
    }
}

/// An `allow` silences its rule where the primary label lies in its block.
fn silences(allow: &Allow, diagnostic: &Diagnostic) -> bool {
    let here = diagnostic.primary.span;
    // Mixins put attributes of one place into entities of another, so any label may lie in the block.
    let inside = |span: Span| allow.scope.contains(span);
    allow.rule.is(diagnostic.rule)
        && (inside(here) || diagnostic.secondary.iter().any(|label| inside(label.span)))
}

/// An `allow` of a rule that does not exist silences nothing, which a reader of the design would not notice.
fn unknown_allow(allow: &Allow) -> Option<Diagnostic> {
    if allow.rule.text.is_empty() || lints().any(|lint| allow.rule.is(lint.name)) {
        return None;
    }
    let title = format!("there is no rule called `{}`", allow.rule);
    let (code, name) = (UNKNOWN_RULE.code, UNKNOWN_RULE.name);
    Some(Diagnostic::new(code, name, Severity::Warning, allow.rule.span, title))
}
