//! The corrected systems resolve without errors, every pattern of theirs has a path, and no path changes unnoticed:
//! the lock file beside each design has the agreed paths. `SORTKEY_BLESS=1` rewrites it.

use std::path::{Path, PathBuf};

use sortkey_design::{FileLoader, compile};
use sortkey_diagnostics::{Style, render};
use sortkey_plan::lock_file;

/// Every design under `systems/` but the faithful transcriptions, which are wrong on purpose, and the files of tests,
/// which declare nothing of their own.
fn corrected() -> Vec<PathBuf> {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    let folders = std::fs::read_dir(systems).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let designs = files.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".sk") && !name.contains("as-written") && !name.starts_with("tests")
    });
    let mut designs: Vec<PathBuf> = designs.collect();
    designs.sort();
    designs
}

#[test]
fn systems_resolve_and_keep_their_access_paths() {
    for path in corrected() {
        let text = std::fs::read_to_string(&path).unwrap();
        let compilation = compile(&path.to_string_lossy(), &text, &FileLoader);
        let shown: Vec<String> = compilation
            .diagnostics
            .iter()
            .map(|each| render(each, &compilation.sources, Style::Plain))
            .collect();
        assert!(shown.is_empty(), "{}", shown.join("\n\n"));
        let lock = lock_file(&compilation.program);
        assert!(!lock.contains("no path"), "{}\n{lock}", path.display());
        let file = path.with_extension("lock");
        if std::env::var_os("SORTKEY_BLESS").is_some() {
            std::fs::write(&file, &lock).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), lock, "{}", file.display());
    }
}
