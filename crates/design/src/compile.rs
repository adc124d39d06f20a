//! From source files to a design: imports followed, old designs of migrations compiled beside the new one.

use crate::lower::{self, Unit};
use crate::model::Design;
use crate::problems::IMPORT;
use crate::program::Program;
use crate::{coherence, elaborate, idle, inline, limits, resolve, sealed, stored};
use sortkey_diagnostics::{Diagnostic, FileId, Severity, Sources, sort};
use sortkey_syntax::ast::Item;
use sortkey_syntax::parse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many files one design may consist of: a bound against imports that generate imports.
const MAX_FILES: usize = 200;

/// How many designs one may migrate from: each is compiled beside it.
const MAX_MIGRATIONS: usize = 8;

/// Loads imported files.
pub trait Loader {
    /// The name and text of the file that `from` calls `path`, or why it cannot be loaded.
    fn load(&self, from: &str, path: &str) -> Result<(String, String), String>;
}

/// Files on disk, relative to the file that names them.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileLoader;

/// A loader without files, for texts that import nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

/// The result of a compilation. It always has a design, however broken the text is.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The files read.
    pub sources: Sources,
    /// The design as written.
    pub design: Arc<Design>,
    /// The elaborated program: complete if there are no errors.
    pub program: Arc<Program>,
    /// The problems found, in reading order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Compilation {
    /// Whether there are errors, so that parts of the design have no meaning.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl Loader for FileLoader {
    fn load(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let folder = Path::new(from).parent().map(PathBuf::from).unwrap_or_default();
        let file = folder.join(path);
        let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((file.to_string_lossy().into_owned(), text))
    }
}

impl Loader for NoFiles {
    fn load(&self, _from: &str, _path: &str) -> Result<(String, String), String> {
        Err("this text stands alone".to_owned())
    }
}

/// Compiles a file and everything it imports.
pub fn compile(name: &str, text: &str, loader: &dyn Loader) -> Compilation {
    let mut sources = Sources::new();
    let mut diagnostics = Vec::new();
    let units = read(name, text, loader, &mut sources, &mut diagnostics);
    let mut design = lower::design(&units, &mut diagnostics);
    load_the_past(name, &mut design, loader, &mut sources, &mut diagnostics);
    design.allows.sort_by_key(|allow| allow.span);
    resolve::check(&design, &mut diagnostics);
    let design = Arc::new(design);
    let program = Arc::new(elaborate::elaborate(&design, &mut diagnostics));
    stored::check(&design, &program, &mut diagnostics);
    sealed::check(&design, &program, &mut diagnostics);
    limits::check(&design, &program, &mut diagnostics);
    coherence::check(&design, &program, &mut diagnostics);
    idle::check(&design, &mut diagnostics);
    // Replace calls of rules by their conditions, so that later stages meet none.
    let mut design = Arc::unwrap_or_clone(design);
    inline::rules(&mut design, &mut diagnostics);
    let design = Arc::new(design);
    sort(&mut diagnostics);
    diagnostics.dedup();
    Compilation { sources, design, program, diagnostics }
}

/// Compiles the designs that this one migrates from, but not the predecessors of those.
fn load_the_past(
    name: &str,
    design: &mut Design,
    loader: &dyn Loader,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (at, migration) in design.migrations.iter_mut().enumerate().filter(|(_, each)| !each.from.is_empty())
    {
        let span = migration.from_span;
        if at >= MAX_MIGRATIONS {
            let title = format!("a design follows at most {MAX_MIGRATIONS} others");
            diagnostics.push(IMPORT.at(span, title));
            return;
        }
        let from = sources.get(span.file).map_or(name.to_owned(), |source| source.name.clone());
        match loader.load(&from, &migration.from) {
            Ok((old_name, old_text)) => {
                // Problems of the old design are ignored here; checking that design itself reports them.
                let mut ignored = Vec::new();
                let units = read(&old_name, &old_text, loader, sources, &mut ignored);
                migration.old = Some(Box::new(lower::design(&units, &mut ignored)));
            }
            Err(reason) => {
                let title = format!("`{}` cannot be read: {reason}", migration.from);
                diagnostics.push(IMPORT.at(span, title));
            }
        }
    }
}

/// Reads and parses a file and its imports, each once.
fn read(
    name: &str,
    text: &str,
    loader: &dyn Loader,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut seen = vec![name.to_owned()];
    let mut waiting = vec![sources.add(name, text)];
    while let Some(file) = waiting.pop() {
        let Some(source) = sources.get(file) else { continue };
        let (from, parsed) = (source.name.clone(), parse(&source.text, file));
        diagnostics.extend_from_slice(parsed.diagnostics());
        for item in parsed.file().items() {
            let Item::Import(import) = item else { continue };
            let Some(path) = import.path() else { continue };
            let span = parsed.span(path.range());
            match loader.load(&from, &path.value()) {
                Ok((name, _)) if seen.contains(&name) => {}
                Ok(_) if seen.len() >= MAX_FILES => {
                    diagnostics.push(IMPORT.at(span, format!("a design has at most {MAX_FILES} files")));
                }
                Ok((name, text)) => {
                    seen.push(name.clone());
                    waiting.push(sources.add(name, text));
                }
                Err(reason) => {
                    diagnostics.push(IMPORT.at(span, format!("`{}` cannot be read: {reason}", path.value())));
                }
            }
        }
        units.push(Unit::new(parsed, file));
    }
    units.sort_by_key(|unit| unit.file != FileId(0));
    units
}
