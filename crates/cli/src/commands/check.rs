//! `sortkey check`: everything that is wrong with a design, or will be.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sortkey_design::{Compilation, FileLoader, wire};
use sortkey_diagnostics::{Diagnostic, Severity, render, to_json};
use sortkey_lints::{Options, check, repair};

use super::Run;
use crate::designs;
use crate::failure::Failure;

/// Check designs the way a compiler checks programs
///
/// Exits with an error if there is an error, or with `--deny warnings` also if there is a warning.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey check                    # every design below this folder
  sortkey check links.sk --fix     # repair what has one right repair
  sortkey check --deny warnings    # in continuous integration")]
pub(super) struct Check {
    /// Files, or folders to look for `.sk` files in [default: .]
    paths: Vec<PathBuf>,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Treat warnings as errors
    #[arg(long, value_name = "LEVEL")]
    deny: Option<Denied>,

    /// Leave a rule out, by name or code; may be given several times
    #[arg(long, value_name = "RULE")]
    off: Vec<String>,

    /// Do not print hints
    #[arg(long)]
    no_hints: bool,

    /// Apply the repairs that cannot be wrong
    #[arg(long)]
    fix: bool,

    /// Write the compiled program as JSON if it has no errors; docs/program.schema.json describes it
    #[arg(long, value_name = "FILE")]
    emit: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For machines
    Json,
    /// One line each: file, line, column, rule, sentence
    Short,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Denied {
    Warnings,
}

impl Run for Check {
    const NAME: &'static str = "check";

    fn run(self) -> Result<(), Failure> {
        let options = Options { off: self.off.clone(), deny_warnings: self.deny.is_some() };
        let mut counts = Counts::default();
        let paths = designs::files(&self.paths)?;
        if self.emit.is_some() && paths.len() != 1 {
            return Err(Failure::new("--emit writes one design, and there are several").hint("name the file"));
        }
        for path in paths {
            let mut compilation = self.checked(&path, &options)?;
            if self.no_hints {
                compilation.diagnostics.retain(|each| each.severity != Severity::Hint);
            }
            counts.add(&compilation.diagnostics);
            self.print(&compilation);
            if let Some(file) = self.emit.as_ref().filter(|_| !compilation.has_errors()) {
                let json = serde_json::to_string(&wire::write(&compilation.program)).map_err(Failure::new)?;
                designs::write(file, &(json + "\n"))?;
            }
        }
        if counts.errors > 0 {
            return Err(Failure::new(counts.sentence()));
        }
        if matches!(self.format, Format::Text) {
            designs::say(&format!("{}\n", counts.sentence()));
        }
        Ok(())
    }
}

impl Check {
    fn checked(&self, path: &Path, options: &Options) -> Result<Compilation, Failure> {
        let name = path.to_string_lossy();
        let text = designs::read(path)?;
        if !self.fix {
            return Ok(check(&name, &text, &FileLoader, options));
        }
        let (repaired, compilation) = repair(&name, &text, &FileLoader, options);
        if repaired != text {
            designs::write(path, &repaired)?;
        }
        Ok(compilation)
    }

    fn print(&self, compilation: &Compilation) {
        let Compilation { diagnostics, sources, .. } = compilation;
        let text: String = match self.format {
            Format::Json => format!("{}\n", to_json(diagnostics, sources)),
            Format::Text => {
                let style = designs::style();
                diagnostics.iter().map(|each| render(each, sources, style) + "\n\n").collect()
            }
            Format::Short => diagnostics
                .iter()
                .map(|each| {
                    let at = sources.position(each.primary.span);
                    let file = sources.get(each.primary.span.file).map_or("", |source| source.name.as_str());
                    let severity = each.severity.as_str();
                    format!("{file}:{}:{}: {severity}: {} [{}]\n", at.line, at.column, each.title, each.rule)
                })
                .collect(),
        };
        designs::say(&text);
    }
}

#[derive(Debug, Default)]
struct Counts {
    files: usize,
    errors: usize,
    warnings: usize,
    hints: usize,
}

impl Counts {
    fn add(&mut self, diagnostics: &[Diagnostic]) {
        self.files += 1;
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Hint => self.hints += 1,
            }
        }
    }

    fn sentence(&self) -> String {
        let plural =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        format!(
            "{}: {}, {}, {}",
            plural(self.files, "design"),
            plural(self.errors, "error"),
            plural(self.warnings, "warning"),
            plural(self.hints, "hint")
        )
    }
}
