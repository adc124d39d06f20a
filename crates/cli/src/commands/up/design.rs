//! The design that is to run: found, checked, and rejected with its diagnostics if it cannot run.

use std::path::Path;

use sortkey_core::Problem;
use sortkey_design::{Compilation, Design, FileLoader};
use sortkey_diagnostics::{Diagnostic, Severity, Span, render};
use sortkey_lints::{Options, check};

use crate::designs;
use crate::failure::Failure;

/// The design of a file or folder, without errors.
pub(in crate::commands) fn checked(path: &Path) -> Result<Compilation, Failure> {
    without_errors(compiled(path)?)
}

/// The design of a file or folder, without errors and with something to serve.
pub(super) fn runnable(path: &Path) -> Result<Compilation, Failure> {
    let compilation = checked(path)?;
    let design = &compilation.design;
    if design.tables.is_empty() && design.patterns.is_empty() && design.operations.is_empty() {
        let failure =
            Failure::new("there is nothing to run: the design declares no table, pattern or operation");
        return Err(failure.hint("sortkey init DIR writes an example to begin with"));
    }
    Ok(compilation)
}

/// The design of a file or folder, with whatever is wrong with it.
pub(super) fn compiled(path: &Path) -> Result<Compilation, Failure> {
    let file = designs::one(path)?;
    let text = designs::read(&file)?;
    Ok(check(&file.to_string_lossy(), &text, &FileLoader, &Options::default()))
}

/// Shows the errors of a design, which then does not run.
pub(super) fn without_errors(compilation: Compilation) -> Result<Compilation, Failure> {
    let errors: Vec<&Diagnostic> =
        compilation.diagnostics.iter().filter(|each| each.severity == Severity::Error).collect();
    if errors.is_empty() {
        return Ok(compilation);
    }
    show(&compilation, errors.iter().copied());
    let count = errors.len();
    let errors = if count == 1 { "error" } else { "errors" };
    let file = compilation.sources.iter().next().map_or("the design", |(_, source)| source.name.as_str());
    Err(Failure::new(format_args!("{file} has {count} {errors}, so it does not run")))
}

/// The name of a design: its own, or else that of its file.
pub(in crate::commands) fn name(design: &Design, path: &Path) -> String {
    let own = &design.name.text;
    let file = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if own.is_empty() { file.unwrap_or_else(|| "design".to_owned()) } else { own.clone() }
}

/// Tables that are there and cannot be brought together with the design.
pub(in crate::commands) fn refused(compilation: &Compilation, refusals: &[Diagnostic]) -> Failure {
    show(compilation, refusals.iter());
    Failure::new("the design does not fit here; nothing was changed")
}

/// Items that are there and have in common what is to be unique.
pub(super) fn not_unique(compilation: &Compilation, refusals: &[Diagnostic]) -> Failure {
    show(compilation, refusals.iter());
    Failure::new("the design does not fit the items that are there; no item was changed")
}

/// The reasons why a design cannot run although it compiles.
pub(in crate::commands) fn cannot_run(compilation: &Compilation, problems: &[Problem]) -> Failure {
    let place = |span: Span| {
        let at = compilation.sources.position(span);
        let file = compilation.sources.get(span.file).map_or("", |source| source.name.as_str());
        format!("{file}:{}:{}", at.line, at.column)
    };
    for problem in problems {
        designs::say(&format!("{}: {}\n", place(problem.span), problem.message));
    }
    Failure::new("the design cannot run as it is")
}

fn show<'a>(compilation: &Compilation, diagnostics: impl Iterator<Item = &'a Diagnostic>) {
    let style = designs::style();
    let text: String = diagnostics.map(|each| render(each, &compilation.sources, style) + "\n\n").collect();
    designs::say(&text);
}
